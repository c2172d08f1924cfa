<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * Remembers which requests were signed in which second. RSASSA-PKCS1-v1_5 is deterministic, so equal requests of one
 * second would have one signature, and the service takes the second for a replay.
 *
 * @internal
 */
interface UsedSeconds
{
    /** Signatures this old are accepted by no service: the profile's window, plus a margin. */
    public const REMEMBER_SECONDS = 420;

    /** Takes a second of `created` for a request, which its hash stands for; false if it is taken. */
    public function take(string $hash, int $second): bool;

    /**
     * The same for a read: an equal one may have taken the second, up to a second ago. Services accept equal reads for
     * two, which leaves one for the way.
     */
    public function share(string $hash, int $second): bool;
}
