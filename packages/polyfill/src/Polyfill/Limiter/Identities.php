<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limiter;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Key;

/** Reads the identity of a call: one, or, of limits with by(), one for each label. */
final class Identities
{
    /**
     * Throws PHP's error for a value that is no identity: nothing is converted, not even without strict_types.
     *
     * @param string $method of the parameter, for PHP's message
     * @return int|string|array<mixed>
     */
    public static function check(mixed $id, string $method): int|string|array
    {
        if (\is_int($id) || \is_string($id) || \is_array($id)) {
            return $id;
        }
        throw Argument::noIdentity($id, $method, 1, '$id');
    }

    /**
     * Returns the keys of all labels, or the one key.
     *
     * @param int|string|array<mixed> $id
     * @return non-empty-list<Key>
     */
    public static function keys(LimiterCore $core, int|string|array $id): array
    {
        if (!\is_array($id)) {
            return [$core->labels ? throw self::wrong($core, 'be an array with the identities for %s, one identity given') : $core->key(self::of('$id', $id))];
        }
        $keys = self::read($core, $id);
        $missing = array_diff_key($core->labels, $keys);
        if ($missing) {
            throw self::wrong($core, 'have the identities for %s, none for \'' . substr($core->labels[array_key_first($missing)], 0, 64) . '\' given');
        }
        return array_values($keys) ?: [$core->key(0)];
    }

    /**
     * Returns the keys of the labels that the call brings, at least one, by the labels' indexes.
     *
     * @param int|string|array<mixed> $id
     * @return non-empty-array<int, Key>
     */
    public static function someKeys(LimiterCore $core, int|string|array $id): array
    {
        if (!\is_array($id)) {
            return self::keys($core, $id);
        }
        $keys = self::read($core, $id);
        if ($keys === [] && $core->storeless === null) {
            throw self::wrong($core, 'have an identity for %s, none given');
        }
        return $keys ?: [$core->key(0)];
    }

    public static function of(string $argument, int|string $id): int|string
    {
        return \is_int($id) ? $id : Argument::identityText($argument, $id);
    }

    /**
     * @param array<mixed> $ids
     * @return array<int, Key> by the index of the label, in the order of the labels
     */
    private static function read(LimiterCore $core, array $ids): array
    {
        if (!$core->labels && $core->storeless === null) {
            throw Argument::invalid('$id must be an int or a string, an array given: the limits of the limiter have no by()');
        }
        $keys = [];
        foreach ($ids as $label => $id) {
            $label = (string) $label;
            $i = array_search($label, $core->labels, true);
            if ($i === false && $core->storeless === null && !$core->hasNone(null, $label)) {
                throw self::wrong($core, 'have identities for %s only, one for \'' . substr($label, 0, 64) . '\' given');
            }
            if (!\is_int($id) && !\is_string($id)) {
                throw Argument::invalid("\$id['$label'] must be an int or a string, " . get_debug_type($id) . ' given');
            }
            $id = self::of("\$id['$label']", $id);
            if ($i !== false) {
                $keys[$i] = $core->keyOfLabel($i, $id);
            }
        }
        ksort($keys);
        return $keys;
    }

    private static function wrong(LimiterCore $core, string $format): \FrequencyLimit\InvalidArgument
    {
        $labels = implode(', ', array_map(static fn (string $label): string => "by('$label')", $core->labels));
        return Argument::invalid('$id must ' . str_replace('%s', $labels, $format));
    }
}
