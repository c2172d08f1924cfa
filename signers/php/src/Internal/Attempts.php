<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\Refusal;
use Countersign\RepeatNotSignedException;
use Psr\Http\Message\RequestInterface;
use Throwable;

/**
 * The attempts of one call: what repeats a payment around the signing gets no second signature for it.
 *
 * @internal
 */
final class Attempts
{
    public const HEADER = 'Idempotency-Key';

    /** RFC 9110 section 9.2.2. */
    private const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'];

    /** The request may have been carried out, whatever these codes say. */
    private const NO_PROOF = [
        'signature_replayed', 'upstream_failed', 'upstream_timeout',
        'outcome_unknown', 'request_timeout', 'internal_error',
    ];

    /** cURL has not connected: CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST and CURLE_COULDNT_CONNECT. */
    private const NOT_CONNECTED = [5, 6, 7];

    private readonly string $idempotencyKey;

    /**
     * What was sent and may have been carried out, by method and URL: with which key, and how often.
     *
     * @var array<string, array{key: string, times: int}>
     */
    private array $unknown = [];

    public function __construct()
    {
        $hex = bin2hex(random_bytes(16));
        $hex[12] = '4';
        $hex[16] = '89ab'[hexdec($hex[16]) % 4];
        $this->idempotencyKey = implode('-', sscanf($hex, '%8s%4s%4s%4s%12s') ?? []);
    }

    /** Returns whether a request must not be repeated: it is not idempotent, and has no key. */
    public static function needsKey(RequestInterface $request): bool
    {
        return self::isUnsafe($request) && self::keyOf($request) === '';
    }

    /** Returns a request with the key of this call. */
    public function withKey(RequestInterface $request): RequestInterface
    {
        return self::needsKey($request) ? $request->withHeader(self::HEADER, $this->idempotencyKey) : $request;
    }

    /**
     * Begins an attempt, and refuses it if an earlier one may have been carried out: only the key of that one keeps the
     * API from doing it twice.
     */
    public function begin(RequestInterface $request): void
    {
        if (!self::isUnsafe($request)) {
            return;
        }
        $name = self::name($request);
        $key = self::keyOf($request);
        $earlier = $this->unknown[$name] ?? ['key' => $key, 'times' => 0];
        if ($earlier['times'] > 0 && ($key === '' || $key !== $earlier['key'])) {
            throw new RepeatNotSignedException(strtoupper($request->getMethod()));
        }
        $this->unknown[$name] = ['key' => $key, 'times' => $earlier['times'] + 1];
    }

    /** Notes that one attempt was not carried out. Earlier ones may have been. */
    public function settle(RequestInterface $request): void
    {
        $name = self::name($request);
        if (isset($this->unknown[$name]) && --$this->unknown[$name]['times'] === 0) {
            unset($this->unknown[$name]);
        }
    }

    /** Notes what a response says about the request. */
    public function answered(RequestInterface $request, ?Refusal $refusal): void
    {
        if ($refusal !== null && !in_array($refusal->code, self::NO_PROOF, true)) {
            $this->settle($request);
        }
    }

    /** Notes an error, which may mean that there was no connection. */
    public function failed(RequestInterface $request, mixed $error): void
    {
        $context = $error instanceof Throwable && method_exists($error, 'getHandlerContext')
            ? $error->getHandlerContext()
            : [];
        if (in_array($context['errno'] ?? null, self::NOT_CONNECTED, true)) {
            $this->settle($request);
        }
    }

    private static function isUnsafe(RequestInterface $request): bool
    {
        return !in_array(strtoupper($request->getMethod()), self::IDEMPOTENT, true);
    }

    private static function keyOf(RequestInterface $request): string
    {
        return trim($request->getHeaderLine(self::HEADER));
    }

    private static function name(RequestInterface $request): string
    {
        return strtoupper($request->getMethod()) . ' ' . $request->getUri();
    }
}
