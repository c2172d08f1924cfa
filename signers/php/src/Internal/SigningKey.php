<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256.
 *
 * @internal
 */
interface SigningKey
{
    public function sign(string $bytes): string;
}
