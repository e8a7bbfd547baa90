<?php

declare(strict_types=1);

/**
 * Counts the instructions of one decision with valgrind's callgrind, independently of the machine's load.
 *
 * Callgrind counts N and 2N calls; the difference, divided by N and without the empty loop's, is the count of one
 * call. (valgrind hides the kernel's vDSO from a program, so reading a clock counts as one system call here; on the
 * machine itself it is some 50 instructions.)
 */
final class Callgrind
{
    private const CALLS = 500;

    /**
     * @param list<string> $php   the command line of a PHP that has loaded ratelimit and ratelimit_floor
     * @param list<string> $names of contestants in peers.php
     * @return array{counts: array<string, array{admit: int, refuse: int}>, hash: string} the hash that doHandle() took:
     *                            "aes" where valgrind and the processor know AES, else "sip"
     */
    public static function count(array $php, array $names): array
    {
        $folder = sys_get_temp_dir() . '/ratelimit-callgrind-' . bin2hex(random_bytes(6));
        mkdir($folder, 0700);
        try {
            array_unshift($names, 'loop');
            $command = array_merge(
                ['valgrind', '--tool=callgrind', "--callgrind-out-file=$folder/dump", '--dump-before=zim_RatelimitFloor_mark'],
                $php,
                [dirname(__DIR__) . '/instructions.php', implode(',', $names), (string) self::CALLS, $folder],
            );
            exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $said, $exit);
            if ($exit !== 0) {
                throw new RuntimeException("valgrind ended with $exit: " . implode("\n", array_slice(preg_grep('/^==/', $said, PREG_GREP_INVERT), -5)));
            }
            $per = self::perCall($folder, $names);
            return ['counts' => self::withoutLoop($per), 'hash' => self::hash($folder)];
        } finally {
            array_map('unlink', glob("$folder/*"));
            rmdir($folder);
        }
    }

    /** Each case has four dumps, of which every second one lies between two marks: N calls, then 2N. */
    private static function perCall(string $folder, array $names): array
    {
        $totals = [];
        for ($i = 1; is_file("$folder/dump.$i"); ++$i) {
            preg_match('/^(?:totals|summary): (\d+)/m', file_get_contents("$folder/dump.$i"), $total);
            $totals[] = (int) ($total[1] ?? 0);
        }
        if (count($totals) < 8 * count($names)) {
            throw new RuntimeException('callgrind counted ' . count($totals) . ' parts instead of ' . 8 * count($names));
        }
        $counts = [];
        foreach ($names as $n => $name) {
            foreach (['admit', 'refuse'] as $w => $what) {
                $i = 8 * $n + 4 * $w;
                $counts[$name][$what] = (int) round(($totals[$i + 3] - $totals[$i + 1]) / self::CALLS);
            }
        }
        return $counts;
    }

    private static function withoutLoop(array $counts): array
    {
        $loop = $counts['loop'];
        unset($counts['loop']);
        return array_map(static fn (array $c): array => ['admit' => $c['admit'] - $loop['admit'], 'refuse' => $c['refuse'] - $loop['refuse']], $counts);
    }

    private static function hash(string $folder): string
    {
        foreach (glob("$folder/dump.*") as $file) {
            if (str_contains(file_get_contents($file), 'rl_hash_sip')) {
                return 'sip';
            }
        }
        return 'aes';
    }
}
