<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

/** Results answer requests of PHP's own web server. */
final class WebTest extends TestCase
{
    /** @var resource */
    private static $server;
    private static string $address;

    public static function setUpBeforeClass(): void
    {
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($probe);
        self::$address = (string) stream_socket_get_name($probe, false);
        fclose($probe);
        $null = ['file', Repository::nowhere(), 'w'];
        $server = proc_open([PHP_BINARY, ...Repository::polyfill(), '-S', self::$address, __DIR__ . '/tools/web.php'], [['pipe', 'r'], $null, $null], $pipes);
        self::assertNotFalse($server);
        self::$server = $server;
        for ($tries = 0; $tries < 2000 && @stream_socket_client('tcp://' . self::$address) === false; $tries++) {
            usleep(5_000);
        }
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server, 9);
        proc_close(self::$server);
    }

    /** @return array{string, array<string, string>, string} status line, headers, body */
    private function get(string $query): array
    {
        $context = stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 60]]);
        $body = (string) file_get_contents('http://' . self::$address . "/?do=$query", false, $context);
        $headers = [];
        foreach (\array_slice($http_response_header, 1) as $line) {
            [$name, $value] = explode(': ', $line, 2) + [1 => ''];
            $headers[$name] = $value;
        }
        return [$http_response_header[0], $headers, $body];
    }

    public function testAnAcceptedResultSendsItsHeadersAlone(): void
    {
        [$status, $headers, $body] = $this->get('accepted');
        self::assertStringContainsString('200', $status);
        self::assertSame('"minute";q=5;w=60', $headers['RateLimit-Policy']);
        self::assertSame('"minute";r=4;t=60;ratelimit-limit=5;ratelimit-remaining=4;ratelimit-reset=60', $headers['RateLimit']);
        self::assertSame(['5', '4'], [$headers['X-RateLimit-Limit'], $headers['X-RateLimit-Remaining']]);
        self::assertSame('', $body);
    }

    public function testARefusalIsProblemDetails(): void
    {
        [$status, $headers, $body] = $this->get('refused');
        self::assertStringContainsString('429', $status);
        self::assertSame('7', $headers['Retry-After']);
        self::assertSame('application/problem+json', $headers['Content-Type']);
        $problem = json_decode($body, true);
        self::assertIsArray($problem);
        self::assertSame([429, 7, ['minute']], [$problem['status'], $problem['retry_after'], $problem['violated-policies']]);
    }

    public function testSeveralResultsAddUp(): void
    {
        [$status, $headers, $body] = $this->get('several');
        self::assertStringContainsString('429', $status);
        self::assertSame('"minute";q=5;w=60, "hour";q=2;w=60, "day";q=9;w=60', $headers['RateLimit-Policy']);
        self::assertSame('"minute";r=4;t=60, "hour";r=0;t=7, "day";r=0;t=90', $headers['RateLimit']);
        self::assertSame('90', $headers['Retry-After']);
        self::assertSame(1, substr_count($body, '"violated-policies":["hour"]'));
        self::assertSame(1, substr_count($body, '"type"'));
    }

    public function testAResultBehindABodyThatHasLeftChangesNothing(): void
    {
        [$status, $headers, $body] = $this->get('gone');
        self::assertStringContainsString('429', $status);
        self::assertSame('"minute";q=5;w=60, "hour";q=2;w=60', $headers['RateLimit-Policy']);
        self::assertSame(1, substr_count($body, '"type"'));
    }

    public function testALateResultIsAnException(): void
    {
        self::assertSame('outputFrequencyLimit\Result::send() comes too late: headers were sent by the output that began', $this->get('late')[2]);
    }

    public function testTheClientIsThePeer(): void
    {
        self::assertSame('127.0.0.1', $this->get('client')[2]);
    }

    public function testARequestThatPhpServesIsOneWithAllOfItsFibers(): void
    {
        self::assertSame('203.0.113.7', $this->get('begun')[2]);
    }
}
