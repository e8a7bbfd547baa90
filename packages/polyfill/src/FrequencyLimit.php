<?php
declare(strict_types=1);

/* The second name of the global class, as the extension has it. */
class_alias(\FrequencyLimit::class, 'FrequencyLimit\FrequencyLimit');
