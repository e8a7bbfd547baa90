<?php

namespace FrequencyLimit\Laravel\Tests;

use Symfony\Component\Process\Process;

/** A php-fpm with the extension on a unix socket, and a FastCGI client. It ends with the object. */
final class Fpm
{
    private function __construct(private readonly Process $process, private readonly string $socket, private readonly string $script)
    {
    }

    /**
     * Starts a php-fpm that runs one script.
     *
     * @param  list<string>  $settings  options of PHP
     * @return self|string a string: the reason why there is none
     */
    public static function start(string $folder, string $script, array $settings = []): self|string
    {
        $version = PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION;
        $binaries = [getenv('TEST_PHP_FPM') ?: '', dirname(PHP_BINARY, 2).'/sbin/php-fpm', "/usr/sbin/php-fpm$version", '/usr/sbin/php-fpm', '/usr/local/sbin/php-fpm'];
        $binary = current(array_filter($binaries, is_executable(...)));
        if ($binary === false) {
            return 'there is no php-fpm';
        }

        $options = [];
        if (! self::hasExtension([$binary])) {
            $options = Php::options();
            if ($options === [] || ! self::hasExtension([$binary, ...$options])) {
                return "$binary does not load the extension ratelimit: set PHP_INI_SCAN_DIR";
            }
        }

        $user = posix_geteuid() === 0 ? "user = root\ngroup = root\n" : '';
        file_put_contents("$folder/fpm.conf", "[global]\nerror_log = $folder/fpm.log\n[www]\n{$user}listen = $folder/fpm.sock\n"
            ."pm = static\npm.max_children = 4\ncatch_workers_output = yes\nclear_env = no\n");
        $process = new Process([$binary, '-F', '-R', '-y', "$folder/fpm.conf", ...$options, ...$settings], $folder, null, null, null);
        $process->start();
        $until = microtime(true) + 20;
        while (! file_exists("$folder/fpm.sock") && $process->isRunning() && microtime(true) < $until) {
            usleep(10_000);
        }

        return file_exists("$folder/fpm.sock")
            ? new self($process, "$folder/fpm.sock", $script)
            : 'php-fpm does not start: '.$process->getErrorOutput().@file_get_contents("$folder/fpm.log");
    }

    /** Returns the answer to a GET request. */
    public function get(string $path, array $headers = []): array
    {
        return $this->together([$path], $headers)[0];
    }

    /**
     * Sends requests at the same time.
     *
     * @param  list<string>  $paths
     * @return list<array{status: int, headers: array<string, string>, body: string}>
     */
    public function together(array $paths, array $headers = []): array
    {
        $connections = [];
        foreach ($paths as $i => $path) {
            $connections[$i] = stream_socket_client("unix://$this->socket", $code, $message, 20) ?: throw new \RuntimeException($message);
            $parameters = '';
            foreach ($this->parameters($path, $headers) as $name => $value) {
                $parameters .= pack('NN', strlen($name) | 0x80000000, strlen($value) | 0x80000000).$name.$value;
            }
            // Begin as a responder, the parameters, their end, the end of an empty body.
            fwrite($connections[$i], self::record(1, pack('nCx5', 1, 0)).self::record(4, $parameters).self::record(4, '').self::record(5, ''));
        }

        return array_map($this->answer(...), $connections);
    }

    /** @return array<string, string> */
    private function parameters(string $path, array $headers): array
    {
        $parameters = [
            'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => $path, 'QUERY_STRING' => '', 'SCRIPT_FILENAME' => $this->script,
            'SCRIPT_NAME' => '/index.php', 'DOCUMENT_ROOT' => dirname($this->script), 'SERVER_PROTOCOL' => 'HTTP/1.1',
            'GATEWAY_INTERFACE' => 'CGI/1.1', 'SERVER_NAME' => 'localhost', 'SERVER_PORT' => '80', 'REMOTE_ADDR' => '192.0.2.1', 'HTTP_HOST' => 'localhost',
        ];
        foreach ($headers as $name => $value) {
            $parameters['HTTP_'.strtoupper(strtr($name, '-', '_'))] = $value;
        }

        return $parameters;
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0).$content;
    }

    /** @param  resource  $connection */
    private function answer($connection): array
    {
        $output = '';
        stream_set_timeout($connection, 20);
        $bytes = stream_get_contents($connection);
        // The worker waits for it before it takes the next request.
        fclose($connection);
        for ($at = 0; $at + 8 <= strlen($bytes); $at += 8 + $record['length'] + $record['padding']) {
            $record = unpack('Cversion/Ctype/nid/nlength/Cpadding', $bytes, $at);
            if ($record['type'] === 6) {
                $output .= substr($bytes, $at + 8, $record['length']);
            }
        }

        [$head, $body] = explode("\r\n\r\n", $output, 2) + [1 => ''];
        $answer = ['status' => 200, 'headers' => [], 'body' => $body];
        foreach (explode("\r\n", $head) as $line) {
            [$name, $value] = explode(': ', $line, 2) + [1 => ''];
            if (strcasecmp($name, 'Status') === 0) {
                $answer['status'] = (int) $value;
            } else {
                $answer['headers'][strtolower($name)] = $value;
            }
        }

        return $answer;
    }

    /** @param  list<string>  $command */
    private static function hasExtension(array $command): bool
    {
        $process = new Process([...$command, '-m']);
        $process->run();

        return preg_match('/^ratelimit$/m', $process->getOutput()) === 1;
    }

    public function __destruct()
    {
        $this->process->stop(5);
    }
}
