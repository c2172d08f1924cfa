<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Symfony\Component\HttpClient\HttplugClient;
use Symfony\Component\HttpClient\Psr18Client;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/**
 * Symfony's PSR-18 client, without the redirects that it would follow with the old signature.
 *
 * @internal
 */
final class SymfonyTransport implements ClientInterface
{
    private function __construct(private readonly Psr18Client $client)
    {
    }

    public static function of(HttpClientInterface $client): self
    {
        return new self(new Psr18Client($client->withOptions(['max_redirects' => 0])));
    }

    /** Returns the client to send with: Symfony's without redirects, any other as it is. */
    public static function withoutRedirects(ClientInterface $client): ClientInterface
    {
        if (!$client instanceof Psr18Client && !$client instanceof HttplugClient) {
            return $client;
        }
        if ($client instanceof Psr18Client && method_exists($client, 'withOptions')) {
            return new self($client->withOptions(['max_redirects' => 0]));
        }
        throw Target::invalid(
            "this client of Symfony would follow redirects with the old signature; use SigningClient::symfony()",
        );
    }

    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        if (preg_match('/\A[A-Z]+\z/', $request->getMethod()) !== 1) {
            throw Target::invalid("Symfony's client sends only methods of letters");
        }
        if ($request->getMethod() === 'HEAD' && $request->hasHeader('Content-Digest')) {
            throw Target::invalid("Symfony's client may drop the body of a HEAD request");
        }
        return $this->client->sendRequest($request);
    }
}
