<?php

declare(strict_types=1);

namespace FrequencyLimit\IdeStub;

use PhpParser\Node\Expr\MethodCall;
use PhpParser\Node\Expr\NullsafeMethodCall;
use PhpParser\Node\Expr\StaticCall;
use PhpParser\Node\Identifier;
use PhpParser\Node\Name;
use PhpParser\Node\Stmt\Expression;
use Psalm\CodeLocation;
use Psalm\Issue\PluginIssue;
use Psalm\IssueBuffer;
use Psalm\Plugin\EventHandler\AfterStatementAnalysisInterface;
use Psalm\Plugin\EventHandler\Event\AfterStatementAnalysisEvent;
use Psalm\Type\Atomic\TNamedObject;

/** A plugin of Psalm, which does not read #[\NoDiscard] itself: <plugin filename="vendor/ratelimit/ide-stub/psalm.php"/> */
final class NoDiscard implements AfterStatementAnalysisInterface
{
    public static function afterStatementAnalysis(AfterStatementAnalysisEvent $event): ?bool
    {
        $statement = $event->getStmt();
        $call = $statement instanceof Expression ? $statement->expr : null;
        if (!($call instanceof MethodCall || $call instanceof NullsafeMethodCall || $call instanceof StaticCall) || !$call->name instanceof Identifier) {
            return null;
        }
        $source = $event->getStatementsSource();
        foreach (self::classes($call, $event) as $class) {
            if (self::mustBeUsed("$class::$call->name", $event)) {
                $issue = new DiscardedResult("The result of $class::$call->name() is thrown away", new CodeLocation($source, $call));
                IssueBuffer::maybeAdd($issue, $source->getSuppressedIssues());
            }
        }
        return null;
    }

    /** @return list<string> the classes that have the method */
    private static function classes(MethodCall|NullsafeMethodCall|StaticCall $call, AfterStatementAnalysisEvent $event): array
    {
        $on = $call instanceof StaticCall ? $call->class : $call->var;
        if ($on instanceof Name) {
            $name = $on->getAttribute('resolvedName');
            return \is_string($name) ? [$name] : [];
        }
        $classes = [];
        foreach ($event->getStatementsSource()->getNodeTypeProvider()->getType($on)?->getAtomicTypes() ?? [] as $type) {
            if ($type instanceof TNamedObject) {
                $classes[] = $type->value;
            }
        }
        return $classes;
    }

    private static function mustBeUsed(string $method, AfterStatementAnalysisEvent $event): bool
    {
        $codebase = $event->getCodebase();
        $declared = $codebase->methodExists($method) ? $codebase->getDeclaringMethodId($method) : null;
        if ($declared === null) {
            return false;
        }
        [$class, $name] = explode('::', $declared);
        foreach ($codebase->classlike_storage_provider->get($class)->methods[$name]->attributes ?? [] as $attribute) {
            if ($attribute->fq_class_name === 'NoDiscard') {
                return true;
            }
        }
        return false;
    }
}

/** Is reported for a call whose result is thrown away, although its method has #[\NoDiscard]. */
final class DiscardedResult extends PluginIssue
{
}
