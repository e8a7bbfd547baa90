<?php

declare(strict_types=1);

namespace App\Web;

use FrequencyLimit\StoreException;
use FrequencyLimit\Request;

/**
 * The front controller: the page at /, a form's target for each button, and the same as JSON below /api.
 *
 *     GET  /api/state                 what is left of everything
 *     POST /api/comment               one comment; 429 when it is too often. So /api/like, upload, visit, conversation,
 *                                     window, log, report, search
 *     POST /api/schedule   at=…       books a message for a moment to come
 *     POST /api/withdraw   at=…       takes a booking back
 *     POST /api/forget     action=…   forgets a count, or a ban
 *     POST /api/redis      want=…     "stop" or "start": in scripts/demo.sh --web --redis alone
 *
 * A field that cannot be read is 400, and nothing is counted.
 *
 * The cookie "user", or ?user=, names the user.
 */
final class Application
{
    private const TIMES_MAX = 100;

    private readonly Visitor $visitor;
    private readonly Texts $text;
    private readonly Card $card;
    private readonly Schedule $schedule;
    private readonly ?Demo $demo;
    /** @var array<string, Action> */
    private readonly array $actions;

    /**
     * @param array<string, mixed> $server
     * @param array<string, mixed> $query
     * @param array<string, mixed> $form
     * @param array<string, mixed> $cookies
     */
    public function __construct(
        private readonly array $server,
        private readonly array $query,
        private readonly array $form,
        array $cookies,
    ) {
        $this->visitor = new Visitor($query, $cookies, (string) ($server['HTTP_ACCEPT_LANGUAGE'] ?? ''));
        $this->text = Texts::in($this->visitor->language);
        $this->card = new Card($this->text, $this->visitor->user);
        $this->schedule = new Schedule($this->text, $this->visitor);
        $this->actions = Actions::all();
        $this->demo = Demo::fromEnvironment();
        Request::identifyBy(fn (): int => $this->visitor->user);
    }

    public function respond(): Response
    {
        $path = (string) parse_url((string) $this->server['REQUEST_URI'], PHP_URL_PATH);
        $isApi = str_starts_with($path, '/api/');
        $name = substr($path, $isApi ? strlen('/api/') : 1);
        if (!$this->visitor->isKnown) {
            return self::badField('user', 'one of ' . implode(', ', Visitor::USERS));
        }
        try {
            if ($this->server['REQUEST_METHOD'] !== 'POST') {
                return $this->get($name, $isApi);
            }
            if (!$this->isOurs()) {
                return Response::json(403, ['error' => 'This came from another site.']);
            }
            return $this->post($name, $isApi);
        } catch (StoreException $e) {
            return Response::json(503, ['accepted' => false, 'why' => ($this->text)('unavailable'), 'error' => $e->getMessage()]);
        }
    }

    private function get(string $name, bool $isApi): Response
    {
        if ($isApi) {
            return $name === 'state' ? Response::json(200, $this->state()) : self::notFound($this->isKnown($name));
        }
        if ($name !== '') {
            return self::notFound($this->isKnown($name));
        }
        $this->visitor->remember();
        return $this->query === [] ? $this->page(200, null) : Response::seeOther('/');
    }

    private function post(string $name, bool $isApi): Response
    {
        if (!$this->isKnown($name)) {
            return self::notFound(false);
        }
        $mistake = $this->mistake($name);
        if ($mistake !== null) {
            return $mistake;
        }
        if ($name === 'redis') {
            $this->demo->want($this->field('want'));
            return $isApi ? Response::json(200, ['accepted' => true] + $this->everywhere()) : Response::seeOther('/');
        }
        [$status, $outcome, $headers] = match ($name) {
            'schedule' => $this->schedule->book($this->field('at')),
            'withdraw' => [200, ['accepted' => $this->schedule->withdraw((int) $this->field('at'))], []],
            'forget' => [200, $this->forget($this->field('action')), []],
            default => $this->press($this->actions[$name]),
        };
        $about = match ($name) {
            'withdraw' => 'schedule',
            'forget' => $this->field('action'),
            default => $name,
        };
        $about = isset($this->actions[$about]) ? $about : 'schedule';
        $outcome = ['action' => $about] + $outcome + ['why' => null];
        if ($isApi) {
            $card = isset($this->actions[$about]) ? $this->card->of($this->actions[$about]) : $this->schedule->card();
            return Response::json($status, $outcome + ['card' => $card] + $this->everywhere(), $headers);
        }
        return $status === 200 ? Response::seeOther("/#$about") : $this->page($status, $outcome, $headers);
    }

    /** Returns the answer to a field that cannot be read. */
    private function mistake(string $name): ?Response
    {
        $times = $this->form['times'] ?? '1';
        return match (true) {
            $name === 'forget' && !isset($this->actions[$this->field('action')]) && $this->field('action') !== 'schedule'
                => self::badField('action', 'one of ' . implode(', ', array_keys($this->actions)) . ', schedule'),
            $name === 'withdraw' && !preg_match('/^\d{1,12}$/D', $this->field('at')) => self::badField('at', 'a unix time'),
            $name === 'redis' && !in_array($this->field('want'), Demo::WANTED, true) => self::badField('want', 'one of ' . implode(', ', Demo::WANTED)),
            !is_string($times) || !preg_match('/^\d{1,3}$/D', $times) || $times < 1 || $times > self::TIMES_MAX
                => self::badField('times', 'a number of 1 to ' . self::TIMES_MAX),
            default => null,
        };
    }

    /** @return array{int, array<string, mixed>, array<string, string>} */
    private function press(Action $action): array
    {
        // A form without JavaScript may send many requests at once: the last answer stands for all.
        $times = (int) ($this->form['times'] ?? 1);
        do {
            $answer = $action->press($this->visitor->user);
        } while ($answer->accepted && --$times > 0);
        $outcome = [
            'accepted' => $answer->accepted,
            'reason' => $answer->accepted ? 'accepted' : $answer->facts->reason->value,
            'why' => $this->card->why($action, $answer),
            'note' => $this->card->note($action, $answer),
            'us' => round($answer->us, 1),
            'store' => $answer->facts->store,
        ];
        return [$answer->status(), $outcome, $answer->headers];
    }

    /** @return array<string, mixed> */
    private function forget(string $name): array
    {
        if ($name === 'schedule') {
            $this->schedule->forget();
        } else {
            ($this->actions[$name] ?? null)?->forget($this->visitor->user);
        }
        return ['accepted' => true];
    }

    /** @return array<string, mixed> */
    private function state(): array
    {
        $cards = array_map($this->card->of(...), array_values($this->actions));
        return ['cards' => [...$cards, $this->schedule->card()]] + $this->everywhere();
    }

    /** The fields of every answer: its moment (answers may overtake each other), its user and its worker. */
    private function everywhere(): array
    {
        return ['user' => $this->visitor->user, 'now' => microtime(true), 'worker' => getmypid()]
            + ($this->demo === null ? [] : ['demo' => $this->demo->facts()]);
    }

    /**
     * @param array<string, mixed>|null $outcome of the form that was sent
     * @param array<string, string> $headers
     */
    private function page(int $status, ?array $outcome, array $headers = []): Response
    {
        $render = static function (array $page): string {
            extract($page);
            ob_start();
            require __DIR__ . '/page.php';
            return ob_get_clean();
        };
        return Response::html($status, $render([
            'text' => $this->text,
            'user' => $this->visitor->user,
            'actions' => $this->actions,
            'card' => $this->card,
            'schedule' => $this->schedule,
            'outcome' => $outcome ?? [],
            'demo' => $this->demo,
        ]), $headers);
    }

    private function isKnown(string $name): bool
    {
        return isset($this->actions[$name]) || in_array($name, ['schedule', 'withdraw', 'forget'], true)
            || ($name === 'redis' && $this->demo !== null);
    }

    /** Returns whether a page of this site has sent the form: another site's form would carry our cookies, too. */
    private function isOurs(): bool
    {
        $site = $this->server['HTTP_SEC_FETCH_SITE'] ?? null;
        if ($site !== null) {
            return $site === 'same-origin' || $site === 'none';
        }
        // Over http, except to this machine, browsers send only the Origin header; curl sends neither header.
        $origin = $this->server['HTTP_ORIGIN'] ?? null;
        return $origin === null || preg_replace('~^https?://~', '', $origin) === ($this->server['HTTP_HOST'] ?? '');
    }

    private function field(string $name): string
    {
        $value = $this->form[$name] ?? '';
        return is_string($value) ? $value : '';
    }

    private static function badField(string $name, string $wanted): Response
    {
        return Response::json(400, ['error' => "$name must be $wanted"]);
    }

    private static function notFound(bool $wantsPost): Response
    {
        return $wantsPost
            ? Response::json(405, ['error' => 'POST only'], ['Allow' => 'POST'])
            : Response::json(404, ['error' => 'no such page']);
    }
}
