<?php

declare(strict_types=1);

namespace Countersign;

use Countersign\Internal\ServiceCodes;
use DateTimeImmutable;
use DateTimeZone;

/** The service's reason for refusing a request, from its problem document (RFC 9457). */
final class Refusal
{
    /** Longer documents are not the service's. */
    public const BYTES_MAX = 65_536;

    private function __construct(
        public readonly int $status,
        /** One of the service's codes. Match on it; the texts may change. */
        public readonly string $code,
        public readonly string $title,
        /** What to do about it. */
        public readonly string $detail,
        /** What is wrong with this very request, where the service may tell. */
        public readonly ?string $reason,
        /** Identifies the request in the service's logs. */
        public readonly ?string $requestId,
        /** The service's clock, RFC 3339, on time errors. */
        public readonly ?string $serverTime,
        /** The address of the code's documentation. */
        public readonly ?string $type,
    ) {
    }

    /** Reads a response; null if it is not a refusal but the API's own answer. */
    public static function read(int $status, string $contentType, string $body): ?self
    {
        $mediaType = strtolower(trim(explode(';', $contentType, 2)[0]));
        if ($status < 400 || $mediaType !== 'application/problem+json' || strlen($body) > self::BYTES_MAX) {
            return null;
        }
        $problem = json_decode($body, true, 16);
        if (!is_array($problem) || !in_array($problem['code'] ?? null, ServiceCodes::ALL, true)) {
            return null;
        }
        // The page of its code. An API may use such a code in problem documents of its own.
        $type = is_string($problem['type'] ?? null) ? $problem['type'] : '';
        if (!str_ends_with($type, "/docs/errors#{$problem['code']}")) {
            return null;
        }
        $text = static fn (string $name): ?string => is_string($problem[$name] ?? null) ? $problem[$name] : null;
        return new self(
            $status,
            $problem['code'],
            $text('title') ?? '',
            $text('detail') ?? '',
            $text('reason'),
            $text('requestId'),
            $text('serverTime'),
            $text('type'),
        );
    }

    /** Reads the answer to HEAD, which has no body, from its headers; null if it is not a refusal. */
    public static function readHead(int $status, string $contentType, string $challenge, string $date): ?self
    {
        $mediaType = strtolower(trim(explode(';', $contentType, 2)[0]));
        $isChallenge = preg_match('/\ASignature error="([a-z_]+)"\z/', $challenge, $match) === 1;
        if ($status < 400 || $mediaType !== 'application/problem+json' || !$isChallenge) {
            return null;
        }
        if (!in_array($match[1], ServiceCodes::ALL, true)) {
            return null;
        }
        $time = DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $date, new DateTimeZone('UTC'));
        $serverTime = $time === false ? null : $time->format('Y-m-d\TH:i:s.000\Z');
        return new self($status, $match[1], '', '', null, null, $serverTime, null);
    }

    /** Returns whether it stays a response, because the retries of HTTP clients know its status: 429 and 503. */
    public function isTemporary(): bool
    {
        return $this->status === 429 || $this->status === 503;
    }

    /** Returns code, title, reason, advice and request ID in one line, for people and logs. */
    public function summary(): string
    {
        $texts = array_filter([$this->title, $this->reason ?? '', $this->detail], static fn ($text) => $text !== '');
        $sentences = array_map(static fn ($text) => preg_match('/[.!?]\z/', $text) === 1 ? $text : "$text.", $texts);
        if ($this->code === 'signature_replayed') {
            // cURL repeats a request with its signature when a connection that was kept open turns out to be closed.
            $sentences[] = 'The first request with this signature may have been accepted: '
                . 'look it up before sending again.';
        }
        $requestId = $this->requestId === null ? [] : ["($this->requestId)"];
        return implode(' ', ["$this->code:", ...$sentences, ...$requestId]);
    }
}
