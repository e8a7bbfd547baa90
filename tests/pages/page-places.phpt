--TEST--
The operator's page shows how many places of a concurrent limit are held, as they are taken and come free
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/page.inc';
require_once __DIR__ . '/../include/redis.inc';
require_once __DIR__ . '/../../examples/autoload.php';
use App\UploadController;
use FrequencyLimit\{Limit, Limiter};

$redis = new RedisServer();
$server = app(['ratelimit.store' => $redis->dsn()], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$admin = $server->visitor();
same(303, log_in($admin)->status, 'in');
$left = fn (): string => watched($admin)[0]['left'];

$uploads = new Limiter('upload.places', Limit::concurrent(UploadController::AT_ONCE, UploadController::LONGEST), $redis->dsn());
$row = ['name' => 'upload.places', 'id' => '7', 'limits' => 'concurrent:2/600s', 'kind' => 'limiter'];
same(null, button($admin, 'look', $row), 'a look');
same('0 of 2 held', $left(), 'no upload runs');
$first = $uploads->acquire(7);
same('1 of 2 held', $left(), 'one runs');
$second = $uploads->acquire(7);
same('2 of 2 held', $left(), 'two run');
same(429, $server->visitor()->post('/api/upload')->status, 'a third must wait');
$first->release();
same('1 of 2 held', $left(), 'one has ended');
same(200, $server->visitor()->post('/api/upload')->status, 'the third passes');
same('1 of 2 held', $left(), 'and has ended, too');
$second->release();
same('0 of 2 held', $left(), 'none runs');
ok(str_contains($server->visitor()->get('/')->body, '2 at the same time') || str_contains($server->visitor()->get('/')->body, '同时最多 2 个'), "the user's page states the places");
done();
?>
--EXPECT--
done
