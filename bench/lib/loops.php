<?php

/**
 * Writes the measured loops: the same two for each contestant, with its decision written out inside. They are written
 * to a file and required from there, because PHP neither optimises nor compiles the code of eval().
 */
function bench_write_loops(array $contestants, string $file): void
{
    $php = "<?php\n// Written by bench/lib/loops.php.\n";
    foreach ($contestants as $name => $contestant) {
        $make = isset($contestant['make']) ? "\$limiter = {$contestant['make']};" : '';
        $key = isset($contestant['key']) ? "\$key = {$contestant['key']};" : '';
        $php .= <<<PHP

            // \$n calls for one identity: the time in ns, and the admissions.
            function bench_hot_$name(int \$id, int \$number, int \$n): array
            {
                $make
                $key
                \$admitted = 0;
                \$begin = hrtime(true);
                for (\$i = 0; \$i < \$n; ++\$i) {
                    if ({$contestant['call']}) {
                        ++\$admitted;
                    }
                }
                return [hrtime(true) - \$begin, \$admitted];
            }

            // \$each calls for each of many identities.
            function bench_many_$name(array \$ids, int \$number, int \$each): array
            {
                $make
                \$admitted = 0;
                \$begin = hrtime(true);
                foreach (\$ids as \$id) {
                    $key
                    for (\$i = 0; \$i < \$each; ++\$i) {
                        if ({$contestant['call']}) {
                            ++\$admitted;
                        }
                    }
                }
                return [hrtime(true) - \$begin, \$admitted];
            }

            // One call for each of many identities.
            function bench_random_$name(array \$ids, int \$number): array
            {
                $make
                \$admitted = 0;
                \$begin = hrtime(true);
                foreach (\$ids as \$id) {
                    $key
                    if ({$contestant['call']}) {
                        ++\$admitted;
                    }
                }
                return [hrtime(true) - \$begin, \$admitted];
            }

            PHP;
    }
    // Another run may be reading it.
    file_put_contents("$file.new", $php);
    rename("$file.new", $file);
}
