<?php

declare(strict_types=1);

namespace Countersign\Guzzle;

use Countersign\Internal\MessageSigning;
use Countersign\Internal\MessageTarget;
use Countersign\Internal\Streams;
use Countersign\Internal\Target;
use Countersign\Signer;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Utils;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Signs every request that Guzzle sends, the last thing before it is sent.
 *
 * It follows redirects as Guzzle is set to: to the same origin signed again, to another one without a signature.
 */
final class SigningMiddleware
{
    /** The request option that keeps the origin of the first request across redirects. */
    private const ORIGIN = 'countersign_origin';

    private readonly MessageSigning $signing;

    public function __construct(Signer $signer)
    {
        $this->signing = new MessageSigning($signer, new Streams(new HttpFactory()));
    }

    /**
     * Returns a stack for a Guzzle client: `new Client(['handler' => SigningMiddleware::stack($signer)])`. Whatever is
     * pushed onto it, such as retries, runs outside of the signing, so that each attempt is signed again.
     *
     * @param ?callable $handler sends the requests; Guzzle's choice by default
     */
    public static function stack(Signer $signer, ?callable $handler = null): HandlerStack
    {
        $stack = HandlerStack::create((new self($signer))($handler ?? Utils::chooseHandler()));
        $stack->unshift(self::rememberOrigin(...), self::ORIGIN);
        return $stack;
    }

    /** Adds signing to an existing stack. Add it last: what is pushed later would run after the signing. */
    public static function addTo(HandlerStack $stack, Signer $signer): void
    {
        $stack->push(new self($signer), 'countersign');
        $stack->unshift(self::rememberOrigin(...), self::ORIGIN);
    }

    /** Wraps a handler, as Guzzle's stacks do. `stack()` and `addTo()` also allow for redirects. */
    public function __invoke(callable $handler): callable
    {
        return function (RequestInterface $request, array $options) use ($handler): PromiseInterface {
            if (self::leftOrigin($request, $options)) {
                return $handler(MessageSigning::withoutSignature($request), $options);
            }
            return $this->attempt($handler, $this->signing->repeatable($request), $options, true);
        };
    }

    private function attempt(
        callable $handler,
        RequestInterface $request,
        array $options,
        bool $mayRepeat,
    ): PromiseInterface {
        $promise = $handler($this->signing->sign($request), $options);
        return $promise->then(
            function (ResponseInterface $response) use ($handler, $request, $options, $mayRepeat) {
                [$refusal, $response] = $this->signing->read($response);
                if ($mayRepeat && $this->signing->correctClock($refusal)) {
                    return $this->attempt($handler, $request, $options, false);
                }
                return $this->signing->result($refusal, $response);
            },
        );
    }

    /** The outermost middleware: the options that it passes on also reach the requests that follow redirects. */
    private static function rememberOrigin(callable $handler): callable
    {
        return static fn (RequestInterface $request, array $options): PromiseInterface
            => $handler($request, $options + [self::ORIGIN => MessageTarget::origin($request->getUri())]);
    }

    private static function leftOrigin(RequestInterface $request, array $options): bool
    {
        if (isset($options[self::ORIGIN])) {
            return $options[self::ORIGIN] !== MessageTarget::origin($request->getUri());
        }
        // Guzzle's redirect middleware counts here.
        if (isset($options['__redirect_count'])) {
            throw Target::invalid(
                'it was redirected, perhaps to another origin; install the middleware with SigningMiddleware::stack() '
                    . 'or addTo(), or set allow_redirects to false',
            );
        }
        return false;
    }
}
