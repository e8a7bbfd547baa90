<?php

/*
 * Runs Laravel's own tests, which extend Orchestra\Testbench\TestCase, on the framework of this package. Testbench itself
 * is not needed: what these tests use of it is here. RATELIMIT_PROVIDER=1 registers this package's provider.
 */

namespace {
    require __DIR__.'/../../vendor/autoload.php';

    spl_autoload_register(function (string $class): void {
        if (str_starts_with($class, 'Illuminate\\Tests\\')) {
            $file = getenv('LARAVEL_TESTS').'/'.strtr(substr($class, strlen('Illuminate\\Tests\\')), '\\', '/').'.php';
            if (is_file($file)) {
                require $file;
            }
        }
    });
}

namespace Orchestra\Testbench\Attributes {
    use Attribute;

    #[Attribute(Attribute::TARGET_CLASS | Attribute::TARGET_METHOD | Attribute::IS_REPEATABLE)]
    final class WithConfig
    {
        public function __construct(public readonly string $key, public readonly mixed $value)
        {
        }
    }

    #[Attribute(Attribute::TARGET_CLASS | Attribute::TARGET_METHOD | Attribute::IS_REPEATABLE)]
    final class WithMigration
    {
        public function __construct(string ...$types)
        {
        }
    }

    #[Attribute(Attribute::TARGET_CLASS | Attribute::TARGET_METHOD | Attribute::IS_REPEATABLE)]
    final class RequiresEnv
    {
        public function __construct(public readonly string $name, public readonly ?string $message = null)
        {
        }
    }
}

namespace Orchestra\Testbench {
    use FrequencyLimit\Laravel\RatelimitServiceProvider;
    use FrequencyLimit\Laravel\Tests\Skeleton;
    use Orchestra\Testbench\Attributes\RequiresEnv;
    use Orchestra\Testbench\Attributes\WithConfig;
    use Orchestra\Testbench\Attributes\WithMigration;
    use ReflectionClass;
    use ReflectionMethod;

    abstract class TestCase extends \Illuminate\Foundation\Testing\TestCase
    {
        public function createApplication()
        {
            $config = [];
            foreach ($this->attributes(WithConfig::class) as $attribute) {
                $config[$attribute->key] = $attribute->value;
            }
            $this->traitsUsedByTest = array_flip(class_uses_recursive(static::class));

            $app = Skeleton::application(getenv('RATELIMIT_PROVIDER') ? [RatelimitServiceProvider::class] : [], $config);
            if ($this->attributes(WithMigration::class) !== []) {
                $app->afterResolving('migrator', fn ($migrator) => $migrator->path(__DIR__.'/migrations'));
            }

            return $app;
        }

        protected function setUp(): void
        {
            foreach ($this->attributes(RequiresEnv::class) as $attribute) {
                if (getenv($attribute->name) === false) {
                    $this->markTestSkipped($attribute->message ?? "$attribute->name is not set");
                }
            }
            parent::setUp();
            if (method_exists($this, 'defineRoutes')) {
                $this->defineRoutes($this->app['router']);
            }
        }

        /** @return list<object> those of the class, its parents and the method */
        private function attributes(string $type): array
        {
            $attributes = (new ReflectionMethod($this, $this->name()))->getAttributes($type);
            for ($class = new ReflectionClass($this); $class; $class = $class->getParentClass()) {
                $attributes = [...$class->getAttributes($type), ...$attributes];
            }

            return array_map(fn ($attribute) => $attribute->newInstance(), $attributes);
        }
    }
}
