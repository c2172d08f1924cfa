<?php

declare(strict_types=1);

namespace Countersign;

use Countersign\Internal\MessageSigning;
use Countersign\Internal\MessageTarget;
use Countersign\Internal\Streams;
use Countersign\Internal\SymfonyTransport;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/**
 * Signs every request that a PSR-18 client sends.
 *
 * Wrap the client that sends, and put retries and caches around this one, so that each attempt is signed again. It
 * follows no redirects: the 3xx response is returned, as PSR-18 asks for.
 */
final class SigningClient implements ClientInterface
{
    private readonly MessageSigning $signing;
    private readonly ClientInterface $client;

    /**
     * @param ?StreamFactoryInterface $streamFactory for bodies that can be read only once; Guzzle's or Nyholm's if it
     *     is installed
     * @throws SigningException if the client would send signatures to other origins
     */
    public function __construct(
        Signer $signer,
        ClientInterface $client,
        ?StreamFactoryInterface $streamFactory = null,
    ) {
        $this->client = SymfonyTransport::withoutRedirects($client);
        $this->signing = new MessageSigning($signer, new Streams($streamFactory));
    }

    /** Wraps a client of Symfony, which then follows no redirects. */
    public static function symfony(Signer $signer, HttpClientInterface $client): self
    {
        return new self($signer, SymfonyTransport::of($client));
    }

    /**
     * @throws SigningException if the request cannot be signed; nothing is sent
     * @throws RefusedException if the service refuses it, unless the signer has `throwsRefusals: false`
     */
    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        $request = $this->signing->repeatable(MessageTarget::normalized($request));
        [$refusal, $response] = $this->attempt($request);
        if ($this->signing->correctClock($refusal)) {
            [$refusal, $response] = $this->attempt($request);
        }
        return $this->signing->result($refusal, $response);
    }

    /** @return array{?Refusal, ResponseInterface} */
    private function attempt(RequestInterface $request): array
    {
        return $this->signing->read($this->client->sendRequest($this->signing->sign($request)));
    }
}
