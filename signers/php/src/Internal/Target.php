<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\SigningException;

/**
 * Checks that a method and a URL go over the wire as they are signed.
 *
 * @internal
 */
final class Target
{
    /** Returns the method in upper case, as it is signed and sent. */
    public static function method(string $method): string
    {
        if (preg_match('/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]{1,64}\z/', $method) !== 1) {
            throw self::invalid('the method must be a single word, such as GET or POST');
        }
        return strtoupper($method);
    }

    /** Returns the URL; one without a path gets the path `/`, because that is what goes over the wire. */
    public static function url(string $url): string
    {
        if (preg_match('/[^\x21-\x7e]/', $url) === 1) {
            throw self::invalid('percent-encode spaces, control characters and non-ASCII characters in the URL');
        }
        if (str_contains($url, '#')) {
            throw self::invalid('remove the fragment, the part of the URL from "#" on: it is never sent');
        }
        if (preg_match('~\A(https?)://([^/?\\\\]+)((?:[/?].*)?)\z~', $url, $parts) !== 1) {
            throw self::invalid('the URL must begin with https:// or http:// and name a host, in lower case');
        }
        [, $scheme, $authority, $pathAndQuery] = $parts;
        self::checkAuthority($scheme, $authority);
        if (!str_starts_with($pathAndQuery, '/')) {
            $pathAndQuery = "/$pathAndQuery";
        }
        $url = "$scheme://$authority$pathAndQuery";
        if (strlen($url) > Profile::TARGET_URI_LENGTH_MAX) {
            throw self::invalid(sprintf('the URL has more than %d characters', Profile::TARGET_URI_LENGTH_MAX));
        }
        return $url;
    }

    private static function checkAuthority(string $scheme, string $authority): void
    {
        if (str_contains($authority, '@')) {
            throw self::invalid('remove the user name and password from the URL');
        }
        if (preg_match('/[A-Z]/', $authority) === 1) {
            throw self::invalid('write the host in lower case');
        }
        if (in_array("$scheme " . strrchr($authority, ':'), ['http :80', 'https :443'], true)) {
            throw self::invalid('remove the port: it is the default of the scheme, and HTTP clients leave it out');
        }
        if (str_ends_with($authority, ':')) {
            throw self::invalid('remove the colon after the host');
        }
    }

    public static function invalid(string $reason): SigningException
    {
        return new SigningException(
            SigningException::REQUEST_INVALID,
            "This request cannot be signed: $reason.",
        );
    }
}
