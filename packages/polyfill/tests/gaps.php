<?php

declare(strict_types=1);

/*
 * Lists the parts of the extension's API that this package has not, as lines of tests/tools/surface.php: none. SurfaceTest compares them: a new
 * part of the API fails it until this package has the part, or this list names it.
 *
 * @return list<string>
 */
return [];
