<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit\Polyfill\Core\Moments;
use PHPUnit\Framework\TestCase;

final class MomentsTest extends TestCase
{
    public function testListsThatShareAnArrayNeverChange(): void
    {
        mt_srand(1);
        /** @var list<array{list<int>, Moments}> $made each list, and what it must hold */
        $made = [[[], Moments::of([])]];
        for ($step = 0; $step < 3000; $step++) {
            /* Mostly the latest list, as a store has it; at times an older one, from which another has grown. */
            [$list, $moments] = mt_rand(0, 3) ? $made[\count($made) - 1] : $made[array_rand($made)];
            $n = \count($list);
            $i = mt_rand(0, 1) ? $n : mt_rand(0, $n);
            switch (mt_rand(0, 5)) {
                case 0:
                    $begin = min($n, mt_rand(0, 9));
                    $made[] = [\array_slice($list, $begin), $moments->from($begin)];
                    break;
                case 1:
                    $fewer = min($i, mt_rand(0, 2));
                    array_splice($list, $i - $fewer, $fewer);
                    $made[] = [$list, $moments->without($i, $fewer)];
                    break;
                default:
                    $moment = $i < $n ? $list[$i] : ($n ? end($list) + mt_rand(0, 1) : 0);
                    $more = mt_rand(0, 3);
                    array_splice($list, $i, 0, array_fill(0, $more, $moment));
                    $made[] = [$list, $moments->with($i, $moment, $more)];
            }
        }
        foreach ($made as [$list, $moments]) {
            $found = [];
            for ($i = 0; $i < $moments->count(); $i++) {
                $found[] = $moments->at($i);
            }
            self::assertSame($list, $found);
            foreach ([0, 5, 500] as $t) {
                self::assertSame(\count(array_filter($list, static fn (int $moment): bool => $moment <= $t)), $moments->firstAfter($t));
            }
        }
    }
}
