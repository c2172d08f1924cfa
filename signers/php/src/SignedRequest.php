<?php

declare(strict_types=1);

namespace Countersign;

/** A signed request. Send exactly this method, URL and body, with these headers. */
final class SignedRequest
{
    /** @param array<string, string> $headers `Content-Digest` and `Date` only if they are covered */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly string $body,
        public readonly array $headers,
        /** Unix seconds. */
        public readonly int $created,
        /** The signed text (RFC 9421 section 2.5), for display and comparison. */
        public readonly string $signatureBase,
    ) {
    }

    /**
     * Returns the headers as lines, for CURLOPT_HTTPHEADER and stream contexts.
     *
     * @return list<string>
     */
    public function headerLines(): array
    {
        return array_map(
            static fn (string $name, string $value): string => "$name: $value",
            array_keys($this->headers),
            $this->headers,
        );
    }
}
