<?php

declare(strict_types=1);

if (!function_exists('deepclone_to_array')) {
    /**
     * Returns what deepclone_from_array() makes a copy of. A value without objects is its own copy.
     *
     * @return array<string, mixed>
     */
    function deepclone_to_array(mixed $value, ?array $allowedClasses = null, bool $allowNamedClosure = false): array
    {
        $hasObject = is_object($value) && !$value instanceof UnitEnum;
        is_array($value) && array_walk_recursive($value, static function (mixed $one) use (&$hasObject): void {
            $hasObject = $hasObject || (is_object($one) && !$one instanceof UnitEnum);
        });

        return $hasObject ? ['serialized' => serialize($value)] : ['value' => $value];
    }

    /** @param array<string, mixed> $data */
    function deepclone_from_array(array $data, ?array $allowedClasses = null, bool $allowNamedClosure = false): mixed
    {
        return $data['value'] ?? unserialize($data['serialized'], ['allowed_classes' => $allowedClasses ?? true]);
    }
}
