<?php
require __DIR__ . '/page.php';

if (FrequencyLimit::doHandle('page', (int) $_GET['id'], 3600, (int) $_GET['n'])) {
    comments();
} else {
    too_often(3600);
}
