<?php
/** The work between two decisions: a request that uses a framework, and fills the processor's caches. */
error_reporting(E_ALL & ~E_DEPRECATED);
$sum = 0;
if (getenv('BENCH_AUTOLOAD') !== false) {
    require getenv('BENCH_AUTOLOAD');
    $routes = new Symfony\Component\Routing\RouteCollection();
    for ($i = 0; $i < 100; ++$i) {
        $routes->add("route$i", new Symfony\Component\Routing\Route("/blog/$i/{slug}/{page}", ['_controller' => "c$i"], ['page' => '\d+']));
    }
    $request = Symfony\Component\HttpFoundation\Request::createFromGlobals();
    $matcher = new Symfony\Component\Routing\Matcher\UrlMatcher($routes, (new Symfony\Component\Routing\RequestContext())->fromRequest($request));
    $sum += strlen($matcher->match('/blog/99/a-post/7')['_controller']);
    $dispatcher = new Symfony\Component\EventDispatcher\EventDispatcher();
    for ($i = 0; $i < 50; ++$i) {
        $dispatcher->addListener('request', static function (object $event) use (&$sum): void {
            ++$sum;
        }, $i);
    }
    $dispatcher->dispatch(new stdClass(), 'request');
    $sum += (new Illuminate\Support\Collection(range(1, 500)))->map(static fn (int $n): int => $n * 2)->filter(static fn (int $n): bool => $n % 3 === 0)->sum();
    $response = new Symfony\Component\HttpFoundation\JsonResponse(['sum' => $sum]);
    $sum += strlen((string) $response);
}
// A page's worth of data: more than the second-level cache holds.
$rows = [];
for ($i = 0; $i < 20_000; ++$i) {
    $rows[] = ['id' => $i, 'text' => "row $i"];
}
$sum += strlen(json_encode($rows));
echo $sum;
