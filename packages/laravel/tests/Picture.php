<?php

namespace FrequencyLimit\Laravel\Tests;

/** Draws answers as a terminal shows them, in SVG. */
final class Picture
{
    private const HEADERS = [
        'x-ratelimit-limit' => 'X-RateLimit-Limit', 'x-ratelimit-remaining' => 'X-RateLimit-Remaining',
        'retry-after' => 'Retry-After', 'x-ratelimit-reset' => 'X-RateLimit-Reset',
    ];

    /** @param  list<array{status: int, headers: array<string, string>, body: string}>  $answers */
    public static function of(array $answers): string
    {
        $lines = [['#8b949e', "Route::get('search', …)->middleware('throttle:3,1');"], ['', '']];
        foreach ($answers as $answer) {
            $headers = array_intersect_key(self::HEADERS, $answer['headers']);
            $lines[] = ['#e6edf3', '$ curl -i http://localhost/api/search'];
            $lines[] = [$answer['status'] === 200 ? '#3fb950' : '#f85149', 'HTTP/1.1 '.$answer['status'].($answer['status'] === 200 ? ' OK' : ' Too Many Requests')];
            foreach ($headers as $key => $name) {
                $lines[] = ['#79c0ff', "$name: ".$answer['headers'][$key]];
            }
            $lines[] = ['#e6edf3', mb_strimwidth($answer['body'], 0, 60, '…')];
            $lines[] = ['', ''];
        }
        array_pop($lines);

        $text = '';
        foreach ($lines as $i => [$colour, $line]) {
            if ($line !== '') {
                $text .= sprintf("<text x=\"16\" y=\"%d\" fill=\"%s\">%s</text>\n", 30 + 18 * $i, $colour, htmlspecialchars($line, ENT_XML1));
            }
        }
        $height = 28 + 18 * count($lines);

        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"$height\" viewBox=\"0 0 560 $height\" font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"13\">\n"
            ."<rect width=\"560\" height=\"$height\" rx=\"8\" fill=\"#0d1117\"/>\n$text</svg>\n";
    }
}
