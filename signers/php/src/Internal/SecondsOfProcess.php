<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * The used seconds of one signer in one process.
 *
 * @internal
 */
final class SecondsOfProcess implements UsedSeconds
{
    /** @var array<int, array{hashes: array<string, float>, usedAt: float}> by second; times are monotonic seconds */
    private array $seconds = [];
    private float $forgottenAt = 0;

    public function take(string $hash, int $second): bool
    {
        return $this->takeFor($hash, $second, 0);
    }

    public function share(string $hash, int $second): bool
    {
        return $this->takeFor($hash, $second, 1);
    }

    private function takeFor(string $hash, int $second, int $sharedSeconds): bool
    {
        $now = hrtime(true) / 1e9;
        $this->forget($now);
        $first = $this->seconds[$second]['hashes'][$hash] ?? null;
        if ($first !== null) {
            return $now - $first < $sharedSeconds;
        }
        $this->seconds[$second]['hashes'][$hash] = $now;
        $this->seconds[$second]['usedAt'] = $now;
        return true;
    }

    private function forget(float $now): void
    {
        if ($now - $this->forgottenAt < 1) {
            return;
        }
        $this->forgottenAt = $now;
        $this->seconds = array_filter(
            $this->seconds,
            static fn (array $one): bool => $now - $one['usedAt'] <= self::REMEMBER_SECONDS,
        );
    }
}
