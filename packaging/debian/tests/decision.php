<?php
/* A limit of one call: the first passes, the second does not. */
echo json_encode(FrequencyLimit::doHandle('package', 1, 3600, 1)), ' ', json_encode(FrequencyLimit::doHandle('package', 1, 3600, 1));
