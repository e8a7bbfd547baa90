<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Command;

use FrequencyLimit\StoreException;
use Ratelimit\Symfony\NativeLimiter;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;
use Symfony\Contracts\Service\ServiceProviderInterface;

/** Does something with keys of a limiter. The exit status is 0 if it was done with each of them. */
abstract class LimiterCommand extends Command
{
    /** @param ServiceProviderInterface<\Ratelimit\Symfony\FactoryInterface> $factories by the names of the limiters */
    public function __construct(private readonly ServiceProviderInterface $factories)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addArgument('limiter', InputArgument::REQUIRED, 'The name of a limiter of framework.rate_limiter')
            ->addArgument('keys', InputArgument::REQUIRED | InputArgument::IS_ARRAY, 'Keys as the application gives them to create(), such as client addresses');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $style = new SymfonyStyle($input, $output);
        $name = $input->getArgument('limiter');
        if (!$this->factories->has($name)) {
            $style->error(sprintf('There is no limiter "%s". These are served by ratelimit: %s.', $name, implode(', ', array_keys($this->factories->getProvidedServices()))));

            return self::FAILURE;
        }
        $status = self::SUCCESS;
        foreach ($input->getArgument('keys') as $key) {
            $limiter = $this->factories->get($name)->create($key);
            try {
                if (!$limiter instanceof NativeLimiter) {
                    throw new \LogicException('the limiter has no counts of its own that ratelimit serves');
                }
                $style->writeln(OutputFormatter::escape(sprintf('%s, %s: %s', $name, $key, $this->apply($limiter, $input))));
            } catch (StoreException|\LogicException $e) {
                $style->error(sprintf('%s, %s: %s', $name, $key, $e->getMessage()));
                $status = self::FAILURE;
            }
        }

        return $status;
    }

    /**
     * Returns what was done.
     *
     * @throws StoreException
     * @throws \LogicException
     */
    abstract protected function apply(NativeLimiter $limiter, InputInterface $input): string;
}
