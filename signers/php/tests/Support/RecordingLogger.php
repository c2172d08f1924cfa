<?php

declare(strict_types=1);

namespace Countersign\Tests\Support;

use Psr\Log\AbstractLogger;

/** Keeps what was logged. */
final class RecordingLogger extends AbstractLogger
{
    /** @var list<string> */
    public array $levels = [];
    /** With all values of the context. */
    public string $text = '';

    /** @param mixed $level */
    public function log($level, $message, array $context = []): void
    {
        $this->levels[] = $level;
        $this->text .= $message . json_encode($context) . "\n";
    }
}
