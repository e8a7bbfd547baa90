<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

/** The scripts are generated: scripts/packages.sh writes them. */
final class ScriptsTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/polyfill-' . bin2hex(random_bytes(6));
        mkdir("$this->folder/package", 0700, true);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function testTheScriptsAreThoseThatTheExtensionEmbeds(): void
    {
        $repository = Repository::required();
        foreach (['counter' => 'counter.lua', 'limiter' => 'limiter/*.lua'] as $name => $files) {
            exec("sh $repository/src/redis/lua/embed.sh name $this->folder/$name.h $repository/src/redis/lua/$files", $output, $exit);
            self::assertSame(0, $exit);
            preg_match_all('/^"(.*)\\\\n"$/m', (string) file_get_contents("$this->folder/$name.h"), $lines);
            $embedded = implode('', array_map(static fn (string $line): string => stripslashes($line) . "\n", $lines[1]));
            self::assertStringEqualsFile(\dirname(__DIR__) . "/resources/$name.lua", $embedded);
        }
    }

    public function testAMirroredPackageHasTheScriptsOrNamesTheCommandThatMakesThem(): void
    {
        exec('composer --version 2>&1', $output, $exit);
        if ($exit !== 0) {
            self::markTestSkipped('Composer is not installed.');
        }
        $package = \dirname(__DIR__);
        $source = "$this->folder/package";
        exec("cp -r $package/composer.json $package/.gitattributes $package/src $package/global $source");
        file_put_contents("$this->folder/composer.json", json_encode([
            'repositories' => [['type' => 'path', 'url' => $source, 'options' => ['symlink' => false]], ['packagist.org' => false]],
            'require' => ['ratelimit/polyfill' => '*@dev'],
        ]));
        self::assertStringContainsString('the script resources/counter.lua is missing: run scripts/packages.sh generate', $this->call('update'));

        exec("cp -r $package/resources $source");
        self::assertStringEndsWith('server unavailable', $this->call('reinstall ratelimit/polyfill'));
    }

    /** Runs a command of Composer in the folder. Returns what a call on Redis throws there. */
    private function call(string $command): string
    {
        exec("cd $this->folder && composer --no-interaction $command 2>&1", $output, $exit);
        self::assertSame(0, $exit, implode("\n", $output));
        [, $output] = Repository::run(['-n', '-d', 'ratelimit.store=unix:///nowhere', '-d', 'ratelimit.on_failure=throw', '-r', "require '$this->folder/vendor/autoload.php';
            try { FrequencyLimit::doHandle('a', 1, 60, 1); } catch (FrequencyLimit\StoreException) { echo 'server unavailable'; } catch (Throwable \$e) { echo \$e->getMessage(); }"]);
        return $output;
    }
}
