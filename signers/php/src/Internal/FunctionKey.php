<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Closure;
use Countersign\SigningException;
use Throwable;

/**
 * A key that a function signs with: in a vault, an HSM or a cloud service.
 *
 * @internal
 */
final class FunctionKey implements SigningKey
{
    /** @param Closure(string): string $function */
    public function __construct(private readonly Closure $function)
    {
    }

    public function sign(string $bytes): string
    {
        try {
            $signature = ($this->function)($bytes);
        } catch (Throwable $failure) {
            throw new SigningException(
                SigningException::SIGNING_FAILED,
                'The signing function failed. The previous exception says why.',
                $failure,
            );
        }
        $lengthMin = intdiv(Profile::MODULUS_BITS_MIN, 8);
        $lengthMax = intdiv(Profile::MODULUS_BITS_MAX, 8);
        if (!is_string($signature) || strlen($signature) < $lengthMin || strlen($signature) > $lengthMax) {
            throw new SigningException(
                SigningException::SIGNING_FAILED,
                "The signing function must return the raw bytes of an RSA signature, $lengthMin to $lengthMax of them.",
            );
        }
        return $signature;
    }
}
