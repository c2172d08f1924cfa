<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\UriInterface;

/**
 * Finds what PHP's HTTP clients would change in a request's URL.
 *
 * @internal
 */
final class MessageTarget
{
    /** Rejects a request whose target on the wire would not be the signed one, whichever client sends it. */
    public static function check(RequestInterface $request): void
    {
        $uri = $request->getUri();
        if ($uri->getUserInfo() !== '') {
            throw Target::invalid('remove the user name and password from the URL');
        }
        $port = $uri->getPort() === null ? '' : ":{$uri->getPort()}";
        $host = $request->getHeaderLine('Host');
        if ($host !== '' && strtolower($host) !== strtolower($uri->getHost()) . $port) {
            throw Target::invalid('its Host header is not the host of its URL; call the URL of that host');
        }
        // cURL removes dot segments, Symfony the encoded ones too; PHP's streams remove none.
        if (preg_match('~/(?:\.|%2e){1,2}(?:/|\z)~i', $uri->getPath()) === 1) {
            throw Target::invalid('remove the segments "." and ".." from the path: HTTP clients resolve them');
        }
        $target = $request->getRequestTarget();
        $path = $uri->getPath() === '' ? '/' : $uri->getPath();
        if ($target !== $path . ($uri->getQuery() === '' ? '' : "?{$uri->getQuery()}")) {
            throw Target::invalid('its request target is not that of its URL; set the URL instead');
        }
    }

    /**
     * Returns the request with the URL in a form that every client leaves alone: Symfony decodes unreserved characters
     * ("%7e") and encodes a second "?". Both mean the same (RFC 3986 sections 2.3 and 3.4).
     */
    public static function normalized(RequestInterface $request): RequestInterface
    {
        $uri = $request->getUri();
        $path = self::decodeUnreserved($uri->getPath());
        $query = str_replace('?', '%3F', self::decodeUnreserved($uri->getQuery()));
        if ($path === $uri->getPath() && $query === $uri->getQuery()) {
            return $request;
        }
        return $request->withUri($uri->withPath($path)->withQuery($query), true);
    }

    public static function origin(UriInterface $uri): string
    {
        $port = $uri->getPort() ?? ($uri->getScheme() === 'https' ? 443 : 80);
        return strtolower("{$uri->getScheme()}://{$uri->getHost()}:$port");
    }

    private static function decodeUnreserved(string $text): string
    {
        return (string) preg_replace_callback(
            '/%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)/i',
            static fn (array $match): string => rawurldecode($match[0]),
            $text,
        );
    }
}
