<?php

declare(strict_types=1);

namespace Countersign\Guzzle;

use Countersign\Internal\Attempts;
use Countersign\Internal\MessageSigning;
use Countersign\Internal\MessageTarget;
use Countersign\Internal\Streams;
use Countersign\Internal\Target;
use Countersign\RepeatNotSignedException;
use Countersign\Signer;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Promise\Create;
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

    /** The request option that keeps the attempts of a call. */
    private const ATTEMPTS = 'countersign_attempts';

    private readonly MessageSigning $signing;

    public function __construct(private readonly Signer $signer)
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

    /**
     * Wraps a handler, as Guzzle's stacks do. `stack()` and `addTo()` also allow for redirects.
     *
     * A middleware around it that repeats a POST, a PATCH or another request that is not idempotent, and that the API
     * may have carried out, gets a `RepeatNotSignedException`, unless the request has an `Idempotency-Key`.
     */
    public function __invoke(callable $handler): callable
    {
        return function (RequestInterface $request, array $options) use ($handler): PromiseInterface {
            if (self::leftOrigin($request, $options)) {
                return $handler(MessageSigning::withoutSignature($request), $options);
            }
            $attempts = $options[self::ATTEMPTS] ?? new Attempts();
            if ($this->signer->idempotencyKeys) {
                $request = $attempts->withKey($request);
            }
            // Guzzle's retry middleware counts here.
            $isRepeat = !isset($options[self::ATTEMPTS]) && ($options['retries'] ?? 0) > 0;
            if ($isRepeat && Attempts::needsKey($request)) {
                throw new RepeatNotSignedException($request->getMethod());
            }
            $request = $this->signing->repeatable($request);
            return $this->attempt($handler, $request, $options, $attempts, MessageSigning::REPAIRS);
        };
    }

    private function attempt(
        callable $handler,
        RequestInterface $request,
        array $options,
        Attempts $attempts,
        array $repairs,
    ): PromiseInterface {
        return $handler($this->signing->signAttempt($request, $attempts), $options)->then(
            function (ResponseInterface $response) use ($handler, $request, $options, $attempts, $repairs) {
                [$refusal, $response] = $this->signing->read($response, $request->getMethod());
                $attempts->answered($request, $refusal);
                $repair = $this->signing->repair($refusal, $request->getMethod(), $repairs);
                if ($repair !== null) {
                    return $this->attempt($handler, $request, $options, $attempts, array_diff($repairs, [$repair]));
                }
                return $this->signing->result($refusal, $response);
            },
            static function (mixed $reason) use ($request, $attempts): PromiseInterface {
                $attempts->failed($request, $reason);
                return Create::rejectionFor($reason);
            },
        );
    }

    /** The outermost middleware: the options that it passes on also reach the requests that follow redirects. */
    private static function rememberOrigin(callable $handler): callable
    {
        return static fn (RequestInterface $request, array $options): PromiseInterface
            => $handler($request, $options + [
                self::ORIGIN => MessageTarget::origin($request->getUri()),
                self::ATTEMPTS => new Attempts(),
            ]);
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
