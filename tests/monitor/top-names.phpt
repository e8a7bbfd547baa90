--TEST--
top() and bans() tell a label and a limiter from a limiter's name that has a NUL
--EXTENSIONS--
ratelimit
--FILE--
<?php
use FrequencyLimit\{Limit, Limiter, Monitor};

$plain = new Limiter("team\0login", Limit::fixedWindow(1, 60)->ban(50));
$labels = new Limiter('login', Limit::fixedWindow(1, 60)->by('team')->ban(50));
for ($i = 0; $i < 3; $i++) {
	$plain->allow('one');
	$labels->allow(['team' => 'two']);
}
foreach ([Monitor::top(), Monitor::bans()] as $rows) {
	usort($rows, fn (array $a, array $b): int => $a['identity'] <=> $b['identity']);
	foreach ($rows as $row) {
		echo json_encode([$row['name'], $row['by'], $row['identity'], $row['limit'] ?? '']), "\n";
	}
}
?>
--EXPECT--
["team\u0000login",null,"one","fixed:1\/1m,ban=50s"]
["login","team","two","fixed:1\/1m,ban=50s,by=team"]
["team\u0000login",null,"one",""]
["login","team","two",""]
