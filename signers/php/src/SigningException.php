<?php

declare(strict_types=1);

namespace Countersign;

use Psr\Http\Client\ClientExceptionInterface;
use RuntimeException;
use Throwable;

/**
 * A request that was not sent, or not sent again, because it cannot be signed. The message says what to do and never
 * contains key material.
 */
class SigningException extends RuntimeException implements ClientExceptionInterface
{
    public const KEYID_INVALID = 'keyid_invalid';
    public const PRIVATE_KEY_INVALID = 'private_key_invalid';
    public const REQUEST_INVALID = 'request_invalid';
    public const BODY_TOO_LARGE = 'body_too_large';
    public const TOO_MANY_EQUAL_REQUESTS = 'too_many_equal_requests';
    public const SIGNING_FAILED = 'signing_failed';
    public const REPEAT_NOT_SIGNED = 'repeat_not_signed';

    /** @param string $errorCode one of this class's constants; messages may change, codes do not */
    public function __construct(public readonly string $errorCode, string $message, ?Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
    }
}
