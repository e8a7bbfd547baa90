<?php

declare(strict_types=1);

require_once __DIR__ . '/../../tests/include/fpm.inc';

/** nginx in front of php-fpm, with this PHP's extensions and opcache, on a free port of 127.0.0.1. */
final class WebServer
{
    public readonly string $folder;
    public readonly string $url;
    private Server $fpm;
    private Server $nginx;

    /** Returns the missing program, or null. */
    public static function missing(): ?string
    {
        if (fpm_binary() === null) {
            return 'php-fpm of PHP ' . PHP_VERSION;
        }
        return self::program('nginx') === null ? 'nginx' : null;
    }

    /**
     * @param string                $root    the scripts: /name is $root/name.php
     * @param array<string, string> $ini     beside this PHP's own settings
     * @param ?array{string, int}   $limited a script behind limit_req, as /limit_req, and its limit. With that limit as ?n it
     *                                       has so many places, of which one a minute becomes free; with another ?n it
     *                                       refuses nothing. ?id is the identity.
     */
    public function __construct(private readonly string $root, private readonly int $workers, private readonly array $ini = [],
        private readonly ?array $limited = null)
    {
        $this->folder = temp_folder(0755);
        $this->startFpm();
        for ($attempt = 1;; ++$attempt) {
            $probe = stream_socket_server('tcp://127.0.0.1:0');
            $address = stream_socket_get_name($probe, false);
            fclose($probe);
            $this->nginx = $this->startNginx($address);
            if (eventually(fn (): bool => !$this->nginx->runs() || @stream_socket_client("tcp://$address") !== false, 10.0) && $this->nginx->runs()) {
                break; // otherwise another process has taken the port
            }
            $this->nginx->stop();
            if ($attempt === 5) {
                throw new RuntimeException('nginx does not start: ' . file_get_contents("$this->folder/nginx.log"));
            }
        }
        $this->url = "http://$address";
    }

    public function pin(string $fpm, string $nginx): void
    {
        foreach ([$fpm => self::children($this->fpm->pid), $nginx => self::children($this->nginx->pid)] as $processor => $pids) {
            foreach ($pids as $pid) {
                shell_exec("taskset -acp $processor $pid 2>/dev/null");
            }
        }
    }

    /** @return array{int, int} the ns that php-fpm's workers and those of nginx have spent on a processor */
    public function workersTime(): array
    {
        return array_map(static fn (Server $of): int => array_sum(array_map(
            static fn (int $pid): int => (int) file_get_contents("/proc/$pid/schedstat"), self::children($of->pid))), [$this->fpm, $this->nginx]);
    }

    /** @return list<int> */
    private static function children(int $pid): array
    {
        return array_map('intval', array_filter(explode(' ', trim((string) @file_get_contents("/proc/$pid/task/$pid/children")))));
    }

    /** Returns the body of one response; throws for another status. */
    public function get(string $path, int ...$statuses): string
    {
        $body = (string) @file_get_contents($this->url . $path, false, stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 30]]));
        preg_match('~^HTTP/\S+ (\d+)~', $http_response_header[0] ?? '', $status);
        if (!in_array((int) ($status[1] ?? 0), $statuses ?: [200], true)) {
            throw new RuntimeException("$path: status " . ($status[1] ?? 'none') . ": $body\n" . $this->log());
        }
        return $body;
    }

    /** Returns the ends of both logs. */
    public function log(): string
    {
        return substr(@file_get_contents("$this->folder/fpm.log") . @file_get_contents("$this->folder/nginx.log"), -2000);
    }

    public function stop(): void
    {
        $this->nginx->stop();
        $this->fpm->stop();
    }

    private static function program(string $name): ?string
    {
        foreach (['/usr/sbin', '/usr/local/sbin', '/usr/bin'] as $folder) {
            if (is_executable("$folder/$name")) {
                return "$folder/$name";
            }
        }
        return null;
    }

    private function startFpm(): void
    {
        file_put_contents("$this->folder/fpm.conf", "[global]\nerror_log = $this->folder/fpm.log\n[www]\n"
            . (posix_geteuid() === 0 ? "user = root\ngroup = root\n" : '')
            . "listen = $this->folder/fpm.sock\nlisten.mode = 0666\nlisten.backlog = 1024\npm = static\npm.max_children = $this->workers\n"
            . "clear_env = no\ncatch_workers_output = yes\n");
        // This PHP's own extensions and settings.
        $options = [];
        $own = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
        foreach ($own as $i => $word) {
            if ($word === '-d') {
                array_push($options, '-d', $own[$i + 1]);
            }
        }
        $this->fpm = new Server([fpm_binary(), '-n', '-F', '-R', '-y', "$this->folder/fpm.conf", ...$options, ...ini_options($this->ini)], "$this->folder/fpm.log", 'TERM');
        if (!eventually(fn (): bool => !$this->fpm->runs() || str_contains((string) @file_get_contents("$this->folder/fpm.log"), 'ready to handle'), 20.0)
            || !$this->fpm->runs()) {
            throw new RuntimeException('php-fpm does not start: ' . file_get_contents("$this->folder/fpm.log"));
        }
    }

    private function startNginx(string $address): Server
    {
        $php = $this->toFpm('$1');
        [$zones, $limited] = $this->limitReq();
        $temporary = '';
        foreach (['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi'] as $kind) {
            $temporary .= "    {$kind}_temp_path $this->folder/$kind;\n";
        }
        file_put_contents("$this->folder/nginx.conf", <<<CONF
            daemon off;
            worker_processes 1;
            pid $this->folder/nginx.pid;
            error_log $this->folder/nginx.log;
            events { worker_connections 256; }
            http {
                access_log off;
                keepalive_requests 100000000;
            $temporary
            $zones
                server {
                    listen $address backlog=1024;
                    $limited
                    location ~ ^/(\w+)$ {
            $php
                    }
                }
            }
            CONF . (posix_geteuid() === 0 ? "\nuser root;\n" : "\n"));
        return new Server([self::program('nginx'), '-p', $this->folder, '-e', "$this->folder/nginx.log", '-c', "$this->folder/nginx.conf"],
            "$this->folder/nginx.log", 'TERM');
    }

    /** Returns the directives of a location that asks php-fpm for a script. */
    private function toFpm(string $script): string
    {
        $directives = "            fastcgi_pass unix:$this->folder/fpm.sock;\n";
        foreach (['SCRIPT_FILENAME' => "$this->root/$script.php", 'SCRIPT_NAME' => "/$script.php", 'REQUEST_METHOD' => '$request_method',
            'REQUEST_URI' => '$request_uri', 'QUERY_STRING' => '$query_string', 'DOCUMENT_URI' => '$document_uri',
            'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '$remote_addr', 'HTTP_HOST' => '$host',
            'GATEWAY_INTERFACE' => 'CGI/1.1'] as $name => $value) {
            $directives .= "            fastcgi_param $name $value;\n";
        }
        return $directives;
    }

    /**
     * nginx has no number of requests in a variable, so each of the two limits has a zone of its own. A request whose key is
     * empty is not counted.
     *
     * @return array{string, string} the zones, and the location
     */
    private function limitReq(): array
    {
        if ($this->limited === null) {
            return ['', ''];
        }
        [$script, $limit] = $this->limited;
        $burst = $limit - 1; // beside the request that is served now
        return [<<<CONF
                map \$arg_n \$limited_id { $limit \$arg_id; default ''; }
                map \$arg_n \$open_id { $limit ''; default \$arg_id; }
                limit_req_zone \$limited_id zone=limited:10m rate=1r/m;
                limit_req_zone \$open_id zone=open:10m rate=1000000r/s;
                limit_req_status 429;
                limit_req_log_level info;
            CONF, <<<CONF
            location = /limit_req {
                        limit_req zone=limited burst=$burst nodelay;
                        limit_req zone=open burst=1000000 nodelay;
            {$this->toFpm($script)}
                    }
            CONF];
    }
}
