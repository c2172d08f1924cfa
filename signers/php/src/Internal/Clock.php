<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Closure;
use DateTimeImmutable;
use Exception;

/**
 * The signer's clock, and its correction by the service's.
 *
 * @internal
 */
final class Clock
{
    private const CORRECTION_SECONDS_MAX = 86_400;

    private float $correctionSeconds = 0.0;

    /** @param ?Closure(): (int|float) $now Unix seconds */
    public function __construct(private readonly ?Closure $now)
    {
    }

    public function nowSeconds(): int
    {
        return (int) floor($this->uncorrected() + $this->correctionSeconds);
    }

    /** Takes over the service's time (RFC 3339); false if it is no time, or more than a day away. */
    public function correct(string $serverTime): bool
    {
        $pattern = '/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)\z/';
        if (preg_match($pattern, $serverTime) !== 1) {
            return false;
        }
        try {
            $serverSeconds = (float) (new DateTimeImmutable($serverTime))->format('U.u');
        } catch (Exception) {
            return false;
        }
        $difference = $serverSeconds - $this->uncorrected();
        if (abs($difference) > self::CORRECTION_SECONDS_MAX) {
            return false;
        }
        $this->correctionSeconds = $difference;
        return true;
    }

    private function uncorrected(): float
    {
        return $this->now === null ? microtime(true) : (float) ($this->now)();
    }
}
