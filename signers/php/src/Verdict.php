<?php

declare(strict_types=1);

namespace Countersign;

/** The verifier's answer about one request. */
final class Verdict
{
    private function __construct(
        public readonly bool $accepted,
        /** The code that the service would answer with; null if the request is accepted. */
        public readonly ?string $code,
        /** What is wrong with the request; empty if it is accepted. */
        public readonly string $reason,
    ) {
    }

    /** @internal */
    public static function accept(): self
    {
        return new self(true, null, '');
    }

    /** @internal */
    public static function refuse(string $code, string $reason): self
    {
        return new self(false, $code, $reason);
    }
}
