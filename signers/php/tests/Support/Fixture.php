<?php

declare(strict_types=1);

namespace Countersign\Tests\Support;

use Closure;
use Countersign\Signer;
use Countersign\Verifier;

/** A client with a key pair, and answers of a service. */
final class Fixture
{
    public const CLIENT_ID = 'client_01m7xpht4ya6hy6swme76qzc7p';

    public static function privateKey(): string
    {
        return Vectors::key('rsa-2048-a')['privateKeyPem'];
    }

    public static function publicKey(): string
    {
        return Vectors::key('rsa-2048-a')['publicKeyPem'];
    }

    /** @param array<string, mixed> $options of the signer, by name */
    public static function signer(array $options = []): Signer
    {
        return new Signer(...$options + [
            'clientId' => self::CLIENT_ID,
            'privateKey' => isset($options['privateKeyFile']) ? null : self::privateKey(),
            'sharedFolder' => false,
        ]);
    }

    public static function verifier(?Closure $now = null): Verifier
    {
        return new Verifier(self::CLIENT_ID, self::publicKey(), now: $now);
    }

    /**
     * Returns a refusal as the service sends it.
     *
     * @return array{status: int, headers: array<string, string>, body: string}
     */
    public static function refusal(int $status, string $code, array $members = []): array
    {
        return [
            'status' => $status,
            'headers' => [
                'Content-Type' => 'application/problem+json',
                'WWW-Authenticate' => "Signature error=\"$code\"",
            ],
            'body' => json_encode($members + [
                'type' => "https://api.example.com/docs/errors#$code",
                'title' => 'A title',
                'status' => $status,
                'detail' => 'What to do.',
                'code' => $code,
                'requestId' => 'request_01m7xpht4ya6hy6swme76qzc7p',
            ], JSON_THROW_ON_ERROR),
        ];
    }

    /** Returns a refusal whose `serverTime` is some seconds ahead of this machine's clock. */
    public static function clockRefusal(int $aheadSeconds, string $code = 'created_expired'): array
    {
        $serverTime = gmdate('Y-m-d\TH:i:s', time() + $aheadSeconds) . '.000Z';
        return self::refusal(401, $code, ['serverTime' => $serverTime, 'reason' => 'created is 400 s old']);
    }
}
