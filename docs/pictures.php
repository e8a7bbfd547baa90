<?php

/*
 * Draws docs/decision.svg, sharers.svg, edges.svg, outage.svg and fleet.svg:
 *
 *     php -d ratelimit.testing=1 docs/pictures.php docs
 *
 * Coordinates are pixels. The decisions in edges.svg are those of the extension; the shares in fleet.svg are those of the table
 * that bench/fleet.sh writes into docs/redis.md.
 */

declare(strict_types=1);

use FrequencyLimit\{Clock, Limit, Limiter};

const STYLE = <<<'CSS'
    text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #57606a }
    .head { font-weight: 600; fill: #24292f } .code { font-family: ui-monospace, monospace; font-size: 12px }
    .middle { text-anchor: middle } .left { text-anchor: end } .small { font-size: 11.5px }
    rect { fill: #f6f8fa; stroke: #d0d7de } path, line { fill: none; stroke: #8c959f; stroke-width: 1.5 }
    circle { fill: #8c959f } .frame { fill: none; stroke-dasharray: 4 3 } .grid { stroke: #d0d7de; stroke-width: 1 }
    rect.ours { fill: #ddf4ff; stroke: #0969da } path.ours { stroke: #0969da } text.ours { fill: #0969da; font-weight: 600 }
    rect.good { fill: #dafbe1; stroke: #1a7f37 } path.good { stroke: #1a7f37 } circle.good { fill: #1a7f37 }
    rect.bad { fill: #ffebe9; stroke: #cf222e } path.bad { stroke: #cf222e } circle.bad { fill: #cf222e }
    rect.wait { fill: #fff8c5; stroke: #9a6700 } path.wait { stroke: #9a6700 } circle.wait { fill: #9a6700 }
    .tip { fill: #8c959f; stroke: none }
    @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .head { fill: #f0f6fc } rect { fill: #151b23; stroke: #3d444d } path, line { stroke: #656c76 }
    circle, .tip { fill: #656c76 } .frame { fill: none } .grid { stroke: #3d444d }
    rect.ours { fill: #121d2f; stroke: #4493f8 } path.ours { stroke: #4493f8 } text.ours { fill: #4493f8 }
    rect.good { fill: #12261e; stroke: #3fb950 } path.good { stroke: #3fb950 } circle.good { fill: #3fb950 }
    rect.bad { fill: #25171c; stroke: #f85149 } path.bad { stroke: #f85149 } circle.bad { fill: #f85149 }
    rect.wait { fill: #272115; stroke: #d29922 } path.wait { stroke: #d29922 } circle.wait { fill: #d29922 } }
    CSS;

function page(string $title, int $width, int $height, string $body): string
{
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 $width $height\" width=\"$width\" height=\"$height\" role=\"img\">\n"
        . '<title>' . htmlspecialchars($title) . "</title>\n<style>\n" . STYLE . "\n</style>\n"
        . "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
        . "<path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n$body</svg>\n";
}

function text(float $x, float $y, string $text, string $class = ''): string
{
    return sprintf("<text x=\"%g\" y=\"%g\"%s>%s</text>\n", $x, $y, $class === '' ? '' : " class=\"$class\"", htmlspecialchars($text));
}

/** A box with one line of text for each element, the first one as its head. */
function box(float $x, float $y, float $width, float $height, array $lines, string $class = ''): string
{
    $svg = sprintf("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"6\"%s/>\n", $x, $y, $width, $height, $class === '' ? '' : " class=\"$class\"");
    $from = $y + $height / 2 - (count($lines) - 1) * 8.5 + 4.5;
    foreach ($lines as $i => $line) {
        $svg .= text($x + $width / 2, $from + $i * 17, $line, $i === 0 ? 'middle head' : 'middle small');
    }
    return $svg;
}

/** A frame with its name at the top. */
function frame(float $x, float $y, float $width, float $height, string $name): string
{
    return sprintf("<rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"8\"/>\n", $x, $y, $width, $height) . text($x + 12, $y + 19, $name);
}

function arrow(string $path, string $class = ''): string
{
    return sprintf("<path%s d=\"%s\" marker-end=\"url(#tip)\"/>\n", $class === '' ? '' : " class=\"$class\"", $path);
}

/** The way of a decision: shared memory, or Redis behind a lease, the deny cache and the circuit breaker. */
function decision(): string
{
    $svg = box(20, 30, 190, 50, ['doHandle(), consume()', 'your PHP code'], 'ours')
        . arrow('M210 55H246')
        . box(250, 30, 150, 50, ['ratelimit.store'])
        . arrow('M400 55H556') . text(478, 47, 'shm:', 'middle code')
        . box(560, 30, 250, 50, ['shared memory', 'one 16-byte compare-and-swap'], 'ours')
        . arrow('M810 55H866') . box(870, 30, 110, 50, ['decided'], 'good')

        . arrow('M325 80V116') . text(335, 103, 'redis://…', 'code')
        . box(250, 120, 150, 50, ['lease', 'permits of a batch?'], 'ours')
        . arrow('M400 145H866') . text(478, 137, 'yes', 'middle') . text(633, 137, 'leased limits only: under 1 µs, no round trip', 'middle small')
        . box(870, 120, 110, 50, ['accepted'], 'good')

        . arrow('M325 170V206') . text(335, 193, 'no')
        . box(250, 210, 150, 50, ['deny cache', 'refused just now?'], 'ours')
        . arrow('M400 235H866') . text(478, 227, 'yes', 'middle') . text(633, 227, 'some 25 ns, no round trip', 'middle small')
        . box(870, 210, 110, 50, ['refused'], 'bad')

        . arrow('M325 260V296') . text(335, 283, 'no')
        . box(250, 300, 150, 50, ['circuit breaker', 'of this server'], 'ours')
        . arrow('M400 325H556') . text(478, 317, 'closed', 'middle')
        . box(560, 300, 250, 50, ['Redis', 'one script, one round trip'])
        . arrow('M810 325H866') . text(838, 317, 'reply', 'middle small')
        . box(870, 300, 110, 50, ['decided'], 'good')

        . arrow('M325 350V416') . text(335, 380, 'open') . text(335, 397, '(one probe a second)', 'small')
        . arrow('M685 350V416') . text(695, 388, 'no reply in time: opens the breaker')
        . box(250, 420, 560, 92, ['ratelimit.on_failure', "local: this machine's shared memory, with the same limits", 'allow: passes', 'deny: is refused',
            'throw: a StoreException'], 'wait')
        . arrow('M810 466H866') . box(870, 441, 110, 50, ['decided'], 'wait');
    return page('The way of a decision through the store, the lease, the deny cache and the circuit breaker', 1000, 530, $svg);
}

/** The processes that count together: by default, with a file, on Redis. */
function sharers(): string
{
    $worker = fn (float $x, float $y, int $n): string => implode('', array_map(
        fn (int $i): string => sprintf("<circle cx=\"%g\" cy=\"%g\" r=\"5\"/>\n", $x + $i * 18, $y), range(0, $n - 1)));
    $segment = fn (float $x, float $y, float $width, array $lines): string => box($x, $y, $width, 44, $lines, 'ours');

    $svg = text(20, 24, 'shm:', 'head code') . text(60, 24, '(default): one segment for each user')
        . frame(20, 36, 960, 168, 'one machine')
        . box(36, 68, 250, 62, ['']) . text(48, 86, 'PHP-FPM', 'head')
        . text(48, 106, 'pool www', 'small') . $worker(122, 102, 4) . text(48, 123, 'pool api', 'small') . $worker(122, 119, 3)
        . box(304, 68, 150, 62, ['queue workers']) . box(472, 68, 150, 62, ['cron, commands'])
        . implode('', array_map(fn (int $x): string => arrow("M$x 130V146"), [161, 379, 547]))
        . $segment(36, 150, 586, ['segment of www-data: survives restarts'])
        . box(640, 68, 150, 62, ['commands']) . arrow('M715 130V146') . $segment(640, 150, 150, ['segment of root'])
        . box(808, 68, 156, 62, ['container']) . arrow('M886 130V146') . $segment(808, 150, 156, ['segments of its own'])

        . text(20, 238, 'shm:', 'head code') . text(60, 238, 'with ratelimit.shm_path: one file, also for pools of several users')
        . frame(20, 250, 960, 168, 'one machine')
        . box(36, 282, 250, 62, ['']) . text(48, 300, 'PHP-FPM master', 'head')
        . text(48, 320, 'user www', 'small') . $worker(122, 316, 4) . text(48, 337, 'user api', 'small') . $worker(122, 333, 3)
        . box(304, 282, 150, 62, ['Apache']) . box(472, 282, 150, 62, ['queue workers']) . box(640, 282, 150, 62, ['cron, commands'])
        . box(808, 282, 156, 62, ['container', 'with the volume'])
        . implode('', array_map(fn (int $x): string => arrow("M$x 344V360"), [161, 379, 547, 715, 886]))
        . $segment(36, 364, 928, ['/var/lib/ratelimit/segment: survives a reboot'])

        . text(20, 452, 'redis://…', 'head code') . text(92, 452, 'one count for all machines')
        . frame(20, 464, 300, 100, 'machine 1') . box(36, 494, 268, 54, ['FPM, Apache, workers, cron', 'deny cache and breaker in its segment'])
        . frame(340, 464, 300, 100, 'machine 2') . box(356, 494, 268, 54, ['FPM, Apache, workers, cron', 'deny cache and breaker in its segment'])
        . frame(660, 464, 320, 100, 'containers') . box(676, 494, 288, 54, ['each with segments of its own', 'deny cache and breaker in its segment'])
        . implode('', array_map(fn (int $x): string => arrow("M$x 564V592"), [170, 490, 820]))
        . $segment(20, 596, 960, ['Redis: one server, a master behind sentinels, or a cluster']);
    return page('The processes that share counts: of one user, of one file, of one Redis', 1000, 656, $svg);
}

/** The same eleven calls under a fixed window and a sliding log of 5 in 60 seconds. */
function edges(): string
{
    $calls = [0, 50, 52, 54, 56, 62, 64, 66, 68, 70, 72];
    [$left, $scale] = [190, 8.2];
    $x = fn (float $second): float => $left + $second * $scale;
    $svg = '';
    foreach ([0, 20, 40, 60, 80] as $second) {
        $svg .= sprintf("<line class=\"grid\" x1=\"%1\$g\" y1=\"64\" x2=\"%1\$g\" y2=\"88\"/>\n<line class=\"grid\" x1=\"%1\$g\" y1=\"182\" x2=\"%1\$g\" y2=\"206\"/>\n", $x($second))
            . text($x($second), 270, "$second s", 'middle small');
    }
    $rows = ['fixedWindow(5, 60)' => Limit::fixedWindow(5, 60), 'slidingLog(5, 60)' => Limit::slidingLog(5, 60)];
    foreach (array_keys($rows) as $i => $name) {
        $limiter = new Limiter("edges.$i", $rows[$name]);
        Clock::freeze(1_900_000_020);
        $y = 76 + $i * 118;
        $svg .= text($left - 22, $y + 5, $name, 'left code');
        $passed = [];
        $now = 0;
        foreach ($calls as $second) {
            Clock::advance($second - $now);
            $now = $second;
            $accepted = $limiter->consume('picture')->accepted;
            $svg .= $accepted ? sprintf("<circle class=\"good\" cx=\"%g\" cy=\"%g\" r=\"6.5\"/>\n", $x($second), $y)
                : sprintf("<path class=\"bad\" d=\"M%g %gl10 10m0 -10l-10 10\"/>\n", $x($second) - 5, $y - 5);
            $accepted && $passed[] = $second;
        }
        Clock::unfreeze();
        // The window of 60 seconds with the most of them.
        $count = fn (int $from): int => count(array_filter($passed, fn (int $second): bool => $second >= $from && $second < $from + 60));
        $most = max(array_map($count, $passed));
        $from = array_values(array_filter($passed, fn (int $second): bool => $count($second) === $most))[$i === 0 ? 0 : 1] ?? $passed[0];
        $to = $most > 5 ? max($passed) + 1 : min($from + 60, 84);
        $svg .= sprintf("<path class=\"%s\" d=\"M%g %gv6H%gv-6\"/>\n", $most > 5 ? 'bad' : 'good', $x($from), $y + 18, $x($to) - 1)
            . text(($x($from) + $x($to)) / 2, $y + 42, "$most pass in " . ($most > 5 ? max($passed) - $from . ' s' : 'any 60 s'), 'middle');
    }
    $svg .= sprintf("<rect class=\"wait\" x=\"%g\" y=\"36\" width=\"%g\" height=\"16\" rx=\"3\"/>\n", $x(0), 60 * $scale) . text($x(30), 48, 'first window', 'middle small')
        . sprintf("<rect class=\"wait\" x=\"%g\" y=\"36\" width=\"%g\" height=\"16\" rx=\"3\"/>\n", $x(62), 22 * $scale) . text($x(73), 48, 'second window', 'middle small')
        . text(20, 20, 'The same eleven calls, at most 5 in 60 seconds', 'head')
        . '<circle class="good" cx="600" cy="16" r="6.5"/>' . text(614, 20, 'passes')
        . '<path class="bad" d="M681 11l10 10m0 -10l-10 10"/>' . text(700, 20, 'is refused');
    return page('A fixed window admits nine calls around its edge, a sliding log five', 900, 284, $svg);
}

/** An outage of Redis over time: the server, the breaker, the calls, the policies. */
function outage(): string
{
    [$left, $scale] = [180, 100];
    $x = fn (float $second): float => $left + $second * $scale;
    $bar = fn (float $from, float $to, float $y, string $text, string $class): string => sprintf(
        "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"26\" rx=\"4\"/>\n", $class, $x($from), $y, ($to - $from) * $scale)
        . ($text === '' ? '' : text($x(($from + $to) / 2), $y + 17, $text, 'middle small'));
    $svg = '';
    for ($second = 0; $second <= 7; $second++) {
        $svg .= sprintf("<line class=\"grid\" x1=\"%1\$g\" y1=\"40\" x2=\"%1\$g\" y2=\"126\"/>\n<line class=\"grid\" x1=\"%1\$g\" y1=\"180\" x2=\"%1\$g\" y2=\"222\"/>\n", $x($second))
            . text($x($second), 238, "$second s", 'middle small');
    }
    $svg .= text(20, 20, 'An outage of Redis, with the default settings', 'head')
        . text($left - 14, 65, 'Redis', 'left') . $bar(0, 1.3, 48, 'answers', 'good') . $bar(1.3, 5.2, 48, 'does not reply', 'bad') . $bar(5.2, 7.4, 48, 'answers', 'good')
        . text($left - 14, 109, 'circuit breaker', 'left') . $bar(0, 1.4, 92, 'closed', 'good');
    // Each probe waits for connect_timeout, 0.2 s. The first comes after 0.1 s, each further one twice as late, up to retry_delay, a second.
    $open = 1.4;
    foreach ([1.5, 1.9, 2.5, 3.5, 4.7] as $probe) {
        $svg .= $bar($open, $probe, 92, '', 'bad') . $bar($probe, $probe + 0.2, 92, '', 'wait')
            . sprintf("<circle class=\"wait\" cx=\"%g\" cy=\"149\" r=\"6\"/>", $x($probe + 0.1));
        $open = $probe + 0.2;
    }
    $svg .= text($x(2.6) + 12, 146, 'probes,', 'small') . text($x(2.6) + 12, 160, '0.2 s each', 'small') . text($x(4.2), 109, 'open', 'middle small');
    $svg .= $bar($open, 5.9, 92, '', 'bad') . $bar(5.9, 5.94, 92, '', 'wait') . $bar(5.94, 7.4, 92, 'closed', 'good')
        . text($left - 14, 153, 'calls that wait', 'left')
        . sprintf("<circle class=\"wait\" cx=\"%g\" cy=\"149\" r=\"6\"/>", $x(1.35)) . text($x(1.35) - 12, 146, 'pending calls,', 'left small') . text($x(1.35) - 12, 160, '0.1 s', 'left small')
        . sprintf("<circle class=\"good\" cx=\"%g\" cy=\"149\" r=\"6\"/>", $x(5.92)) . text($x(5.92) + 12, 146, 'the probe gets', 'small') . text($x(5.92) + 12, 160, 'its reply', 'small')
        . text($left - 14, 205, 'decided by', 'left')
        . $bar(0, 1.4, 188, 'Redis', '') . $bar(1.4, 5.94, 188, 'ratelimit.on_failure, at once', 'wait') . $bar(5.94, 7.4, 188, 'Redis', '')
        . text($left - 14, 270, 'local', 'left code') . text($x(0), 270, "(default) this machine's shared memory counts, with the same limits, until Redis answers", 'small')
        . text($left - 14, 289, 'allow', 'left code') . text($x(0), 289, 'each call passes', 'small')
        . text($left - 14, 308, 'deny', 'left code') . text($x(0), 308, 'each call is refused, with a Retry-After of one second', 'small')
        . text($left - 14, 327, 'throw', 'left code') . text($x(0), 327, 'each call throws a StoreException', 'small');
    return page('An outage of Redis: the breaker opens, single probes ask for the server, and the failure policy decides', 960, 346, $svg);
}

/** The decisions of a fleet that ask Redis, by the table in redis.md. */
function fleet(): string
{
    preg_match_all('/^\| `(?:lease=)?(\w+)`, `(?:deny_cache=)?(\w+)` \| ([\d.]+) % \| [\d,]+ \| (\d+) \| ([\d.]+) %/m',
        file_get_contents(__DIR__ . '/redis.md'), $rows, PREG_SET_ORDER);
    [$left, $scale, $y] = [330, 8, 62];
    $bar = fn (float $percent, float $y, string $class): string => sprintf("<rect class=\"%s\" x=\"%d\" y=\"%g\" width=\"%g\" height=\"16\" rx=\"3\"/>\n", $class, $left, $y, $percent * $scale)
        . text($left + $percent * $scale + 8, $y + 12.5, "$percent %", 'small');
    $svg = text(20, 24, 'Decisions that ask Redis, of 1,000,000 a second on ten machines', 'head')
        . text($left, 48, 'of all decisions', 'small') . sprintf("<rect x=\"%d\" y=\"38\" width=\"10\" height=\"10\"/>\n", $left - 16)
        . text($left + 166, 48, 'of those about the 200 hottest identities', 'ours small') . sprintf("<rect class=\"ours\" x=\"%d\" y=\"38\" width=\"10\" height=\"10\"/>\n", $left + 150);
    foreach ($rows as [, $lease, $deny, $all, $servers, $hottest]) {
        $svg .= text($left - 14, $y + 14, $lease === 'off' ? 'no leases' : 'leases', 'left head')
            . text($left - 14, $y + 31, 'refusals cached ' . ($deny === 'window' ? "to the window's end" : 'for a second') . "; $servers servers", 'left small')
            . $bar((float) $all, $y, '') . $bar((float) $hottest, $y + 19, 'ours');
        $y += 50;
    }
    return page('Decisions of a fleet that ask Redis, with leases and without', 960, $y + 6, $svg);
}

$folder = $argv[1] ?? throw new InvalidArgumentException('name the folder of the pictures');
foreach (['decision', 'sharers', 'edges', 'outage', 'fleet'] as $picture) {
    file_put_contents("$folder/$picture.svg", $picture());
}
