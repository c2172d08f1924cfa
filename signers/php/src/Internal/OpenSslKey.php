<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\SigningException;
use OpenSSLAsymmetricKey;

/**
 * A key that OpenSSL holds.
 *
 * @internal
 */
final class OpenSslKey implements SigningKey
{
    public function __construct(private readonly OpenSSLAsymmetricKey $key)
    {
    }

    public function sign(string $bytes): string
    {
        $signature = '';
        if (!openssl_sign($bytes, $signature, $this->key, OPENSSL_ALGO_SHA256)) {
            throw new SigningException(
                SigningException::SIGNING_FAILED,
                'OpenSSL could not sign with the private key. Check the key with: openssl pkey -check -in private.pem',
            );
        }
        return $signature;
    }
}
