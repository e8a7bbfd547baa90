<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\DataCollector;

use FrequencyLimit\Monitor;
use FrequencyLimit\Result;
use Symfony\Bundle\FrameworkBundle\DataCollector\AbstractDataCollector;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Event\RequestEvent;
use Symfony\Component\HttpKernel\KernelEvents;

/**
 * Shows a request's decisions in the profiler: those of limiters, of doHandle() and of attributes. It is the listener of
 * Monitor::listen(), unless the application sets one of its own.
 */
final class DecisionsCollector extends AbstractDataCollector implements EventSubscriberInterface
{
    /** The most decisions of a request that are kept. */
    private const MOST = 1000;

    /** The main request while it runs. */
    private ?Request $request = null;

    public static function getSubscribedEvents(): array
    {
        return [KernelEvents::REQUEST => ['begin', 4096]];
    }

    public function begin(RequestEvent $event): void
    {
        // The container may have been built in a PHP with the extension.
        if ($event->isMainRequest() && class_exists(Monitor::class)) {
            $this->reset();
            $this->request = $event->getRequest();
            Monitor::listen($this->add(...));
        }
    }

    public function collect(Request $request, Response $response, ?\Throwable $exception = null): void
    {
        // A sub-request does not end the recording. The listener stays, because it may be one of the application by now.
        if ($request === $this->request) {
            $this->request = null;
        }
    }

    public function reset(): void
    {
        $this->request = null;
        $this->data = ['decisions' => [], 'refused' => 0, 'count' => 0];
    }

    /** @return list<array<string, mixed>> */
    public function getDecisions(): array
    {
        return $this->data['decisions'] ?? [];
    }

    /** Returns the number of decisions, also of those that are not kept. */
    public function getCount(): int
    {
        return $this->data['count'] ?? 0;
    }

    public function getRefused(): int
    {
        return $this->data['refused'] ?? 0;
    }

    public function getName(): string
    {
        return 'ratelimit';
    }

    public static function getTemplate(): ?string
    {
        return '@Ratelimit/collector.html.twig';
    }

    private function add(string $name, int|string $identity, Result $result): void
    {
        if (null === $this->request) {
            return;
        }
        ++$this->data['count'];
        $this->data['refused'] += (int) !$result->accepted;
        if ($this->data['count'] <= self::MOST) {
            $this->data['decisions'][] = [
                'limiter' => $name, 'key' => $identity, 'accepted' => $result->accepted, 'reason' => $result->reason->value, 'by' => $result->name,
                'limit' => $result->limit, 'remaining' => $result->remaining, 'retryAfter' => $result->retryAfter, 'shadow' => $result->shadow, 'store' => $result->store,
            ];
        }
    }
}
