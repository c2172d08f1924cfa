<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * The signing profile's facts: component lists, the signature base, the digest's text.
 *
 * @internal
 */
final class Profile
{
    public const LABEL = 'sig';
    public const ALGORITHM = 'rsa-v1_5-sha256';
    public const KEYID_LENGTH_MAX = 256;
    /** Characters in the target URI: an 8 KiB target and its origin. */
    public const TARGET_URI_LENGTH_MAX = 8492;
    public const MODULUS_BITS_MIN = 2048;
    public const MODULUS_BITS_MAX = 8192;
    public const EXPONENT = "\x01\x00\x01";

    /** Returns the covered components as they stand in `Signature-Input`. */
    public static function components(bool $coversDigest, bool $coversDate): string
    {
        return '("@method" "@target-uri"'
            . ($coversDigest ? ' "content-digest"' : '')
            . ($coversDate ? ' "date"' : '') . ')';
    }

    /** Returns the signature base (RFC 9421 section 2.5): its lines are joined by one line feed, with none at the end. */
    public static function signatureBase(
        string $method,
        string $targetUri,
        ?string $contentDigest,
        ?string $date,
        string $signatureParams,
    ): string {
        return "\"@method\": $method\n"
            . "\"@target-uri\": $targetUri\n"
            . ($contentDigest === null ? '' : "\"content-digest\": $contentDigest\n")
            . ($date === null ? '' : "\"date\": $date\n")
            . "\"@signature-params\": $signatureParams";
    }

    /** Returns the `Content-Digest` field of a body (RFC 9530 section 2). */
    public static function contentDigest(string $body): string
    {
        return 'sha-256=:' . base64_encode(hash('sha256', $body, true)) . ':';
    }
}
