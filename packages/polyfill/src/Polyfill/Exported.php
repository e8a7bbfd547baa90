<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

/** Reads and writes the arrays of serialize() and var_export(). */
final class Exported
{
    /** @param array<mixed> $array */
    public static function text(array $array, string $key, string $class): string
    {
        $text = $array[$key] ?? null;
        if (!\is_string($text)) {
            throw Argument::invalid("the array of a FrequencyLimit\\$class must have a string under '$key', "
                . (\array_key_exists($key, $array) ? get_debug_type($text) : 'nothing') . ' given');
        }
        return $text;
    }

    /**
     * Returns the array of a limiter: the name, the texts of the limits, the store; of a limiter of the file its name alone.
     *
     * @return array<string, mixed>
     */
    public static function write(LimiterCore $core): array
    {
        return $core->named === null ? self::whole($core) : ['named' => $core->name];
    }

    /** @return array{name: string, limits: list<string>, store: ?string} */
    public static function whole(LimiterCore $core): array
    {
        return ['name' => $core->name, 'limits' => array_map(LimitText::write(...), $core->allLimits()), 'store' => $core->dsn()];
    }

    /**
     * Returns the arguments of a Limiter's constructor.
     *
     * @param array<mixed> $array
     * @return array{string, list<Limit>, ?string}
     */
    public static function arguments(array $array): array
    {
        $name = self::text($array, 'name', 'Limiter');
        $texts = $array['limits'] ?? null;
        $store = $array['store'] ?? null;
        if (!\is_array($texts) || ($store !== null && !\is_string($store))) {
            throw Argument::invalid('the array of a FrequencyLimit\Limiter must have texts under \'limits\', and a string or null '
                . 'under \'store\'');
        }
        $limits = [];
        foreach ($texts as $text) {
            $limits[] = \is_string($text) ? LimitParser::parse($text) : throw Argument::invalid(
                'the array of a FrequencyLimit\Limiter must have texts under \'limits\', ' . get_debug_type($text) . ' given',
            );
        }
        return [$name, $limits, $store];
    }

    /** @param array<mixed> $array */
    public static function read(array $array): Limiter
    {
        if (isset($array['named'])) {
            return Limiter::named(self::text($array, 'named', 'Limiter'));
        }
        return new Limiter(...self::arguments($array));
    }

    public static function limiter(LimiterCore $core): Limiter
    {
        return new Limiter($core->name, array_map(Access::limit(...), $core->allLimits()) ?: Limit::none(), $core->dsn());
    }
}
