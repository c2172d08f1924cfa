<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\SigningException;
use SensitiveParameter;

/**
 * Reads a signer's options from environment variables.
 *
 * @internal
 */
final class Environment
{
    private const NAMES = [
        'clientId' => 'COUNTERSIGN_CLIENT_ID',
        'privateKeyFile' => 'COUNTERSIGN_PRIVATE_KEY_FILE',
        'privateKey' => 'COUNTERSIGN_PRIVATE_KEY',
        'passphrase' => 'COUNTERSIGN_PASSPHRASE',
    ];

    /**
     * Adds to the given options what the environment says about the others.
     *
     * @param array<string, mixed> $given
     * @return array<string, mixed>
     */
    public static function complete(#[SensitiveParameter] array $given): array
    {
        // A key that is given has nothing to do with the variables.
        $hasKey = isset($given['privateKey']) || isset($given['privateKeyFile']);
        $options = $given;
        foreach (self::NAMES as $option => $name) {
            $value = $hasKey && $option !== 'clientId' ? null : self::value($name);
            if ($value !== null && !isset($given[$option])) {
                $options[$option] = $value;
            }
        }
        if (!isset($options['clientId'])) {
            throw new SigningException(
                SigningException::KEYID_INVALID,
                'Set COUNTERSIGN_CLIENT_ID to the Client ID from the portal.',
            );
        }
        if (isset($options['privateKey']) === isset($options['privateKeyFile'])) {
            throw new SigningException(
                SigningException::PRIVATE_KEY_INVALID,
                'Set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or COUNTERSIGN_PRIVATE_KEY to '
                    . 'the key itself.',
            );
        }
        return $options;
    }

    /** Frameworks load .env files into $_SERVER and $_ENV only. No header of a request begins with this prefix there. */
    private static function value(string $name): ?string
    {
        foreach ([$_SERVER[$name] ?? null, $_ENV[$name] ?? null, getenv($name)] as $value) {
            if (is_string($value) && $value !== '') {
                return $value;
            }
        }
        return null;
    }
}
