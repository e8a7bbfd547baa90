<?php

declare(strict_types=1);

/*
 * messenger:consume of an application: handles a number of messages, and prints how many of them its limiter has accepted.
 */

use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Component\Console\Application;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\NullOutput;
use Symfony\Component\DependencyInjection\Container;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\Messenger\Command\ConsumeMessagesCommand;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\RoutableMessageBus;
use Symfony\Component\Messenger\Transport\InMemory\InMemoryTransport;

require dirname(__DIR__).'/bootstrap.php';

[, $namespace, $messages] = $argv;
$kernel = new AppKernel(['jobs' => ['policy' => 'fixed_window', 'limit' => 4, 'interval' => '1 hour']], ['namespace' => $namespace], null,
    static fn (ContainerBuilder $builder) => $builder->setAlias('jobs', 'limiter.jobs')->setPublic(true));
$kernel->boot();
$limiters = $kernel->getContainer()->get('jobs');
$accepted = 0;
$handler = static function () use ($limiters, &$accepted): void {
    $accepted += (int) $limiters->create('tenant')->consume()->isAccepted();
};
$transport = new InMemoryTransport();
for ($i = 0; $i < $messages; ++$i) {
    $transport->send(new Envelope(new \stdClass()));
}
$bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([\stdClass::class => [$handler]]))]);
$transports = new Container();
$transports->set('jobs', $transport);
$application = new Application();
$application->setAutoExit(false);
$command = new ConsumeMessagesCommand(new RoutableMessageBus(new Container(), $bus), $transports, new EventDispatcher());
method_exists($application, 'addCommand') ? $application->addCommand($command) : $application->add($command);
$application->run(new ArrayInput(['command' => 'messenger:consume', 'receivers' => ['jobs'], '--limit' => $messages]), new NullOutput());
echo $accepted;
