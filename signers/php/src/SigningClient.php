<?php

declare(strict_types=1);

namespace Countersign;

use Countersign\Internal\Attempts;
use Countersign\Internal\MessageSigning;
use Countersign\Internal\MessageTarget;
use Countersign\Internal\Streams;
use Countersign\Internal\SymfonyTransport;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Throwable;
use WeakMap;

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
    /** @var WeakMap<RequestInterface, Attempts> what repeats a request around this client sends the same object */
    private readonly WeakMap $calls;

    /**
     * @param ?StreamFactoryInterface $streamFactory for bodies that can be read only once; Guzzle's or Nyholm's if it
     *     is installed
     * @throws SigningException if the client would send signatures to other origins
     */
    public function __construct(
        private readonly Signer $signer,
        ClientInterface $client,
        ?StreamFactoryInterface $streamFactory = null,
    ) {
        $this->client = SymfonyTransport::withoutRedirects($client);
        $this->signing = new MessageSigning($signer, new Streams($streamFactory));
        $this->calls = new WeakMap();
    }

    /** Wraps a client of Symfony, which then follows no redirects. */
    public static function symfony(Signer $signer, HttpClientInterface $client): self
    {
        return new self($signer, SymfonyTransport::of($client));
    }

    /**
     * @throws SigningException if the request cannot be signed; nothing is sent
     * @throws RepeatNotSignedException if the request is not idempotent, has no `Idempotency-Key`, and was sent before
     *     without an answer that says what became of it
     * @throws RefusedException if the service refuses it, unless the signer has `throwsRefusals: false`
     */
    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        $given = $request;
        $attempts = $this->calls[$given] ??= new Attempts();
        $request = $this->signing->repeatable(MessageTarget::normalized($request));
        if ($this->signer->idempotencyKeys) {
            $request = $attempts->withKey($request);
        }
        $repairs = MessageSigning::REPAIRS;
        do {
            [$refusal, $response] = $this->attempt($request, $attempts);
            $repair = $this->signing->repair($refusal, $request->getMethod(), $repairs);
            $repairs = array_diff($repairs, [$repair]);
        } while ($repair !== null);
        if ($response->getStatusCode() < 300) {
            // The program may send the same object in another call.
            unset($this->calls[$given]);
        }
        return $this->signing->result($refusal, $response);
    }

    /** @return array{?Refusal, ResponseInterface} */
    private function attempt(RequestInterface $request, Attempts $attempts): array
    {
        $signed = $this->signing->signAttempt($request, $attempts);
        try {
            [$refusal, $response] = $this->signing->read($this->client->sendRequest($signed), $signed->getMethod());
        } catch (Throwable $error) {
            $attempts->failed($request, $error);
            throw $error;
        }
        $attempts->answered($request, $refusal);
        return [$refusal, $response];
    }
}
