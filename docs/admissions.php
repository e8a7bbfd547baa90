<?php

/*
 * Draws docs/admissions.svg: the same requests to each limit, and which of them it admits.
 *
 *     php -d ratelimit.testing=1 docs/admissions.php > docs/admissions.svg
 */

declare(strict_types=1);

use FrequencyLimit\{Clock, Limit, Limiter, Period};

const START = 1_900_000_020; // a whole minute
const SECONDS = 240;
const LEFT = 180;
const SCALE = 2.5;
const ROW = 34;

// One at second 10, then one each second from 50 to 100 and from 170 on.
$requests = [10, ...range(50, 100), ...range(170, SECONDS - 1)];

$limits = [
    'fixedWindow(6, 60)' => Limit::fixedWindow(6, 60),
    'calendar(6, Minute)' => Limit::calendar(6, Period::Minute, 'UTC'),
    'slidingLog(6, 60)' => Limit::slidingLog(6, 60),
    'slidingWindow(6, 60)' => Limit::slidingWindow(6, 60),
    'tokenBucket(6, 60)' => Limit::tokenBucket(6, 60),
];

/** @return list<int> the seconds at which a request was admitted */
function admitted(string $name, Limit $limit, array $requests): array
{
    $limiter = new Limiter($name, $limit);
    Clock::freeze(START);
    $now = 0;
    $admitted = [];
    foreach ($requests as $second) {
        Clock::advance($second - $now);
        $now = $second;
        if ($limiter->consume('picture')->accepted) {
            $admitted[] = $second;
        }
    }
    Clock::unfreeze();
    return $admitted;
}

/** The most of them within one half-open minute. */
function most(array $seconds): int
{
    return max(array_map(
        static fn (int $begin): int => count(array_filter($seconds, static fn (int $s): bool => $s >= $begin && $s < $begin + 60)),
        $seconds,
    ));
}

function row(int $number, string $title, string $class, array $seconds, string $right): string
{
    $y = 20 + $number * ROW;
    $line = sprintf("<text x=\"%d\" y=\"%d\" class=\"name\">%s</text>\n", LEFT - 12, $y + 15, $title);
    $line .= sprintf("<path class=\"axis\" d=\"M%d %dh%d\"/>\n", LEFT, $y + 20, SECONDS * SCALE);
    $line .= "<path class=\"$class\" d=\"";
    foreach ($seconds as $second) {
        $line .= sprintf('M%s %dv16', LEFT + ($second + 0.5) * SCALE, $y + 3);
    }
    return $line . sprintf("\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + SECONDS * SCALE + 12, $y + 15, $right);
}

$width = LEFT + (int) (SECONDS * SCALE) + 110;
$bottom = 20 + (count($limits) + 1) * ROW;
$height = $bottom + 34;

echo <<<SVG
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height" role="img">
    <title>Which of the same requests each limit admits</title>
    <style>
    text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #57606a }
    .name { text-anchor: end; font-family: ui-monospace, monospace; font-size: 12px }
    .minute { text-anchor: middle; font-size: 11px }
    path { fill: none; stroke-width: 1.6 }
    .asked { stroke: #8c959f }
    .admitted { stroke: #0969da }
    .axis, .edge { stroke: #d0d7de; stroke-width: 1 }
    .edge { stroke-dasharray: 2 3 }
    @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .admitted { stroke: #4493f8 } .asked { stroke: #656c76 } .axis, .edge { stroke: #3d444d } }
    </style>

    SVG;

for ($second = 0; $second <= SECONDS; $second += 60) {
    $x = LEFT + $second * SCALE;
    printf("<path class=\"edge\" d=\"M%d 14V%d\"/>\n", $x, $bottom);
    printf("<text x=\"%d\" y=\"%d\" class=\"minute\">%d:00</text>\n", $x, $bottom + 18, intdiv($second, 60));
}
echo row(0, 'requests', 'asked', $requests, 'most in 60 s:');
foreach (array_keys($limits) as $i => $name) {
    $seconds = admitted("picture.$i", $limits[$name], $requests);
    echo row($i + 1, $name, 'admitted', $seconds, (string) most($seconds));
}
echo "</svg>\n";
