<?php

declare(strict_types=1);

/*
 * surface.php FILE: loads a file, which declares the API or an autoloader of it, and prints the API as lines of text.
 */

require $argv[1];

const CLASSES = [
    'FrequencyLimit', 'FrequencyLimit\Period', 'FrequencyLimit\Reason', 'FrequencyLimit\Limit', 'FrequencyLimit\LimiterInterface',
    'FrequencyLimit\Limiter', 'FrequencyLimit\Permit', 'FrequencyLimit\Result', 'FrequencyLimit\AccessLimit',
    'FrequencyLimit\ConcurrencyLimit', 'FrequencyLimit\RateLimit', 'FrequencyLimit\Monitor', 'FrequencyLimit\Request', 'FrequencyLimit\Clock', 'FrequencyLimit\LimitExceeded', 'FrequencyLimit\LoginRequired',
    'FrequencyLimit\InvalidArgument', 'FrequencyLimit\StoreException',
];
/** PHP's own interfaces that follow from a class' kind, and methods that a library needs and an extension does not. */
const OWN_INTERFACES = ['UnitEnum', 'BackedEnum', 'Throwable', 'Stringable'];
const OWN_METHODS = ['__destruct', '__clone', '__debugInfo'];

function type_text(?ReflectionType $type): string
{
    $text = (string) $type;
    if ($type instanceof ReflectionUnionType) {
        $names = array_map(strval(...), $type->getTypes());
        sort($names);
        $text = implode('|', $names);
    }
    return str_replace('self', 'self', $text);
}

function parameter_text(ReflectionParameter $parameter): string
{
    $type = type_text($parameter->getType());
    /* An identity is checked at run time: PHP would make 1 of true without strict_types. The test of identities covers it. */
    if ($type === 'mixed' && in_array($parameter->getName(), ['id', 'userId'], true)) {
        $type = match (true) {
            $parameter->getDeclaringClass()?->getName() === 'FrequencyLimit\Limiter' => 'array|int|string',
            $parameter->getDeclaringFunction()->getName() === 'doHandle' => 'int',
            default => 'int|string',
        };
    }
    $default = '';
    if ($parameter->isDefaultValueAvailable()) {
        $value = $parameter->getDefaultValue();
        $default = ' = ' . ($value instanceof UnitEnum ? $value::class . "::$value->name" : json_encode($value));
    }
    return "$type \${$parameter->getName()}$default";
}

/** @return list<string> */
function class_lines(string $name): array
{
    if (!class_exists($name) && !interface_exists($name)) {
        return [];
    }
    $class = new ReflectionClass($name);
    $kind = $class->isEnum() ? 'enum' : ($class->isInterface() ? 'interface' : 'class');
    $lines = ["$kind $name" . ($class->isFinal() ? ' final' : '')];
    $parent = $class->getParentClass();
    if ($parent) {
        $lines[] = "$name extends {$parent->getName()}";
    }
    foreach (array_diff($class->getInterfaceNames(), OWN_INTERFACES) as $interface) {
        $lines[] = "$name implements $interface";
    }
    foreach ($class->isEnum() ? $name::cases() : [] as $case) {
        $lines[] = "$name::$case->name = $case->value";
    }
    foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
        if ($property->getDeclaringClass()->getName() === $name) {
            $lines[] = "$name \${$property->getName()} " . type_text($property->getType()) . ($property->isReadOnly() ? ' readonly' : '');
        }
    }
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        $isOwn = $method->getDeclaringClass()->getName() === $name && !in_array($method->getName(), OWN_METHODS, true);
        if ($isOwn && !($class->isEnum() && $method->isInternal())) {
            $lines[] = "$name::{$method->getName()}(" . implode(', ', array_map(parameter_text(...), $method->getParameters())) . '): '
                . type_text($method->getReturnType()) . ($method->isStatic() ? ' static' : '');
        }
    }
    return $lines;
}

foreach (CLASSES as $class) {
    foreach (class_lines($class) as $line) {
        echo $line, "\n";
    }
}
