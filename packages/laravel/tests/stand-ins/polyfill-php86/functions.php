<?php

if (! function_exists('clamp')) {
    function clamp(mixed $value, mixed $min, mixed $max): mixed
    {
        return $value > $max ? $max : ($value < $min ? $min : $value);
    }
}

if (! enum_exists('SortDirection', false)) {
    enum SortDirection
    {
        case Ascending;
        case Descending;
    }
}
