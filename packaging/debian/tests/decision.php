<?php
/* A limit of one call: the first passes, the second does not. The identity is new, because the user's counts outlive this process. */
$id = random_int(1, PHP_INT_MAX);
echo json_encode(FrequencyLimit::doHandle('package', $id, 3600, 1)), ' ', json_encode(FrequencyLimit::doHandle('package', $id, 3600, 1));
