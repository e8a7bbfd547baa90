<?php

declare(strict_types=1);

/** Plots as SVG, readable on a light and on a dark page. Their values are times in ns. Each has a line that names its axis. */
final class Svg
{
    /** The longest of the bars over a linear axis, as a multiple of the shortest. */
    private const LINEAR_MAX = 20;
    private const IS_LINEAR = 'Linear axis from 0; shorter is faster. Blue: this extension.';
    private const IS_LOGARITHMIC = 'Logarithmic axis: each line is ten times the one before it; further left is faster. Blue: this extension.';
    private const STYLE = <<<'CSS'
        text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #57606a }
        .left { text-anchor: end } .middle { text-anchor: middle } .small { font-size: 12px }
        text.ours { font-weight: 600; fill: #0969da }
        rect, circle { fill: #afb8c1 } rect.ours, circle.ours { fill: #0969da }
        path { fill: none; stroke: #8c959f; stroke-width: 2 } path.ours { stroke: #0969da }
        path.dashed { stroke-dasharray: 5 4 }
        path.grid { stroke: #d0d7de; stroke-width: 1; stroke-dasharray: 2 3 }
        @media (prefers-color-scheme: dark) {
        text { fill: #9198a1 } text.ours { fill: #4493f8 } rect, circle { fill: #656c76 } rect.ours, circle.ours { fill: #4493f8 }
        path { stroke: #656c76 } path.ours { stroke: #4493f8 } path.grid { stroke: #3d444d } }
        CSS;

    /**
     * One row for each. Times of one magnitude are bars over a linear axis from 0; others are dots over a logarithmic axis, where a
     * length would mean nothing.
     *
     * @param list<array{string, float, bool}> $rows label, ns, whether it is ours
     */
    public static function rows(string $title, array $rows): string
    {
        [$left, $width, $top, $row] = [440, 880, 52, 26];
        $times = array_column($rows, 1);
        $linear = max($times) <= self::LINEAR_MAX * min($times);
        $scale = $linear ? self::steps(max($times)) : self::decades($times);
        [$from, $to] = [$scale[0], end($scale)];
        $part = static fn (float $ns): float => $linear ? $ns / $to : (log10(max($ns, $from)) - log10($from)) / (log10($to) - log10($from));
        $x = static fn (float $ns): float => $left + ($width - $left - 90) * $part($ns);
        $bottom = $top + count($rows) * $row + 4;
        $svg = self::text(0, 36, $linear ? self::IS_LINEAR : self::IS_LOGARITHMIC, 'small');
        foreach ($scale as $tick) {
            $svg .= sprintf("<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", $x($tick), $top - 4, $bottom)
                . self::text($x($tick), $bottom + 18, self::tick($tick), 'middle');
        }
        foreach ($rows as $i => [$label, $ns, $ours]) {
            $y = $top + $i * $row;
            $class = $ours ? ' class="ours"' : '';
            $svg .= self::text($left - 14, $y + 15, self::plain($label), $ours ? 'left ours' : 'left')
                . ($linear ? sprintf("<rect%s x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\" rx=\"2\"/>\n", $class, $left, $y + 1, max(2, $x($ns) - $left))
                    : sprintf("<circle%s cx=\"%.1f\" cy=\"%d\" r=\"6\"/>\n", $class, $x($ns), $y + 10))
                . self::text($x($ns) + ($linear ? 6 : 12), $y + 15, Table::time($ns), $ours ? 'ours' : '');
        }
        return self::page($title, $width, $bottom + 30, self::text(0, 18, $title) . $svg);
    }

    /**
     * Lines over a logarithmic axis.
     *
     * @param array<string, array{points: array<int, float>, ours: bool, dashed: bool}> $lines label => x => ns
     */
    public static function lines(string $title, string $axis, array $lines): string
    {
        [$left, $right, $top, $height, $width] = [70, 560, 56, 300, 820];
        $all = array_merge(...array_map(static fn (array $line): array => array_values($line['points']), array_values($lines)));
        $xs = array_unique(array_merge(...array_map(static fn (array $line): array => array_keys($line['points']), array_values($lines))));
        sort($xs);
        $scale = self::decades($all);
        [$from, $to] = [$scale[0], end($scale)];
        $x = static fn (int $n): float => $left + ($right - $left) * (log10($n) - log10($xs[0])) / max(0.1, log10(end($xs)) - log10($xs[0]));
        $y = static fn (float $ns): float => $top + $height - $height * (log10(max($ns, $from)) - log10($from)) / (log10($to) - log10($from));
        $svg = self::text(0, 18, $title) . self::text(0, 36, 'Both axes are logarithmic: each line is ten times the one below it. Blue: this extension.', 'small');
        foreach ($scale as $tick) {
            $svg .= sprintf("<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", $left, $y($tick), $right) . self::text($left - 10, $y($tick) + 4, self::tick($tick), 'left');
        }
        foreach ($xs as $n) {
            $svg .= self::text($x($n), $top + $height + 20, number_format($n), 'middle');
        }
        $svg .= self::text(($left + $right) / 2, $top + $height + 42, $axis, 'middle');
        // Labels at the lines' ends, apart from each other.
        $ends = array_map(static fn (array $line): float => $y(end($line['points'])) + 4, $lines);
        asort($ends);
        $last = -INF;
        foreach ($ends as $label => $end) {
            $last = $ends[$label] = max($end, $last + 17);
        }
        foreach ($lines as $label => ['points' => $points, 'ours' => $ours, 'dashed' => $dashed]) {
            $class = trim(($ours ? 'ours' : '') . ($dashed ? ' dashed' : ''));
            $path = $dots = '';
            foreach ($points as $n => $ns) {
                $path .= sprintf('%s%.1f %.1f', $path === '' ? 'M' : 'L', $x($n), $y($ns));
                $dots .= sprintf("<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", $ours ? ' class="ours"' : '', $x($n), $y($ns));
            }
            $end = $points[array_key_last($points)];
            $svg .= "<path class=\"$class\" d=\"$path\"/>\n$dots"
                . self::text($right + 12, $ends[$label], self::plain($label) . ': ' . Table::time($end), $ours ? 'ours' : '');
        }
        return self::page($title, $width, $top + $height + 56, $svg);
    }

    private static function page(string $title, int $width, int $height, string $body): string
    {
        $title = htmlspecialchars($title);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 $width $height\" width=\"$width\" height=\"$height\" role=\"img\">\n"
            . "<title>$title</title>\n<style>\n" . self::STYLE . "\n</style>\n$body</svg>\n";
    }

    private static function text(float $x, float $y, string $text, string $class = ''): string
    {
        return sprintf("<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", $x, $y, $class === '' ? '' : " class=\"$class\"", htmlspecialchars($text));
    }

    /** Without Markdown. */
    private static function plain(string $label): string
    {
        return strtr($label, ['`' => '', '**' => '']);
    }

    /** @return non-empty-list<float> the powers of ten around all values */
    private static function decades(array $values): array
    {
        $from = 10 ** floor(log10(max(1, min($values))));
        $to = max($from * 10, 10 ** ceil(log10(max($values))));
        return array_map(static fn (int $power): float => $from * 10 ** $power, range(0, (int) round(log10($to / $from))));
    }

    /** @return non-empty-list<float> round numbers from 0 to at least the value, four to eight steps */
    private static function steps(float $max): array
    {
        $step = 10 ** floor(log10($max));
        while ($max / $step < 4) {
            $step /= 2;
        }
        return array_map(static fn (int $i): float => $i * $step, range(0, (int) ceil($max / $step)));
    }

    private static function tick(float $ns): string
    {
        return match (true) {
            $ns == 0 => '0',
            $ns < 1e3 => (int) $ns . ' ns',
            $ns < 1e6 => (int) ($ns / 1e3) . ' µs',
            default => (int) ($ns / 1e6) . ' ms',
        };
    }
}
