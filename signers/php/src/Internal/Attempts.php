<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\Refusal;
use Countersign\RepeatNotSignedException;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
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

    /** @var array<string, true> */
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
        return trim($request->getHeaderLine(self::HEADER)) === ''
            && !in_array(strtoupper($request->getMethod()), self::IDEMPOTENT, true);
    }

    /** Returns a request with the key of this call. */
    public function withKey(RequestInterface $request): RequestInterface
    {
        return self::needsKey($request) ? $request->withHeader(self::HEADER, $this->idempotencyKey) : $request;
    }

    /** Begins an attempt, and refuses it if an earlier one may have been carried out. */
    public function begin(RequestInterface $request): void
    {
        if (!self::needsKey($request)) {
            return;
        }
        $name = self::name($request);
        if (isset($this->unknown[$name])) {
            throw new RepeatNotSignedException(strtoupper($request->getMethod()));
        }
        $this->unknown[$name] = true;
    }

    /** Notes that a request is not in doubt. */
    public function settle(RequestInterface $request): void
    {
        unset($this->unknown[self::name($request)]);
    }

    /** Notes what a response says about the request. */
    public function answered(RequestInterface $request, ResponseInterface $response, ?Refusal $refusal): void
    {
        $status = $response->getStatusCode();
        $isElsewhere = $status === 307 || $status === 308;
        $isRefused = $refusal !== null && !in_array($refusal->code, self::NO_PROOF, true);
        if ($status < 300 || $isElsewhere || $isRefused) {
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

    private static function name(RequestInterface $request): string
    {
        return strtoupper($request->getMethod()) . ' ' . $request->getUri();
    }
}
