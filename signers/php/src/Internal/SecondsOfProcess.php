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
    /** @var array<int, array{hashes: array<string, true>, usedAt: int}> by second; `usedAt` is monotonic seconds */
    private array $seconds = [];
    private int $forgottenAt = 0;

    public function take(string $hash, int $second): bool
    {
        $now = hrtime()[0];
        $this->forget($now);
        if (isset($this->seconds[$second]['hashes'][$hash])) {
            return false;
        }
        $this->seconds[$second]['hashes'][$hash] = true;
        $this->seconds[$second]['usedAt'] = $now;
        return true;
    }

    private function forget(int $now): void
    {
        if ($now === $this->forgottenAt) {
            return;
        }
        $this->forgottenAt = $now;
        $this->seconds = array_filter(
            $this->seconds,
            static fn (array $one): bool => $now - $one['usedAt'] <= self::REMEMBER_SECONDS,
        );
    }
}
