<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Result;

use FrequencyLimit\Polyfill\Request\Client;

/** Sends a decision as the answer of the running web request. A later decision of the request adds to the earlier ones. */
final class Response
{
    /** @var array<string, string> by the limits' names */
    private static array $policies = [];
    /** @var array<string, string> by the limits' names */
    private static array $states = [];
    /** The header line of the policies, by which a later call knows that it serves the same request. */
    private static string $line = '';
    private static int $retryAfter = 0;
    private static bool $hasBody = false;

    public static function send(Decision $decision, bool $legacy): void
    {
        /* On the command line there is neither a request nor a header. */
        if (!Client::servesWeb()) {
            $decision->answer->accepted || self::sendBody($decision);
            return;
        }
        if (headers_sent($file, $line)) {
            if (self::$hasBody && self::isSameRequest()) {
                return; /* an earlier refusal is the answer */
            }
            $place = $file === '' ? 'an unknown file' : $file;
            throw new \LogicException("FrequencyLimit\\Result::send() comes too late: headers were sent by the output that began in $place:$line");
        }
        self::sendHeaders($decision, $legacy);
        /* Only the first refusal has a body: two would be no JSON. */
        if (!$decision->answer->accepted && !self::$hasBody) {
            self::$hasBody = true;
            http_response_code(Http::status($decision));
            header('Content-Type: application/problem+json');
            self::sendBody($decision);
        }
    }

    private static function isSameRequest(): bool
    {
        return self::$line !== '' && \in_array(self::$line, headers_list(), true);
    }

    private static function sendHeaders(Decision $decision, bool $legacy): void
    {
        if (!self::isSameRequest()) {
            self::$policies = self::$states = [];
            self::$line = '';
            self::$retryAfter = 0;
            self::$hasBody = false;
        }
        self::$policies = array_replace(self::$policies, Http::policies($decision));
        self::$states = array_replace(self::$states, Http::states($decision));
        if (self::$policies) {
            self::$line = 'RateLimit-Policy: ' . implode(', ', self::$policies);
            header(self::$line);
            header('RateLimit: ' . Http::join(self::$states, $legacy ? $decision : null));
        }
        if ($decision->hasRetryAfter() && $decision->retryAfterSeconds() > self::$retryAfter) {
            self::$retryAfter = $decision->retryAfterSeconds();
            header('Retry-After: ' . self::$retryAfter);
        }
        foreach ($legacy ? Http::legacyHeaders($decision) : [] as $name => $value) {
            header("$name: $value");
        }
    }

    private static function sendBody(Decision $decision): void
    {
        echo json_encode(Http::problem($decision), JSON_UNESCAPED_SLASHES), "\n";
    }
}
