<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\Vectors;
use Countersign\Verifier;
use GuzzleHttp\Psr7\Request;
use InvalidArgumentException;
use PHPUnit\Framework\TestCase;

final class VerifierTest extends TestCase
{
    private const URL = 'https://api.example.com/v1/payments?x=1';

    public function testASignaturePassesOnce(): void
    {
        $signed = Fixture::signer()->sign('GET', self::URL);
        $lenient = Fixture::verifier();
        self::assertTrue($lenient->verify('GET', self::URL, $signed->headers, '')->accepted);
        self::assertTrue($lenient->verify('GET', self::URL, $signed->headers, '')->accepted);
        $verifier = new Verifier(Fixture::CLIENT_ID, Fixture::publicKey(), strict: true);
        self::assertTrue($verifier->verify('GET', self::URL, $signed->headers, '')->accepted);
        $verdict = $verifier->verify('GET', self::URL, $signed->headers, '');
        self::assertFalse($verdict->accepted);
        self::assertSame('signature_replayed', $verdict->code);
    }

    public function testARefusedRequestUsesUpNothing(): void
    {
        $signed = Fixture::signer()->sign('POST', self::URL, 'abc');
        $verifier = Fixture::verifier();
        self::assertSame('digest_mismatch', $verifier->verify('POST', self::URL, $signed->headers, 'abd')->code);
        self::assertTrue($verifier->verify('POST', self::URL, $signed->headers, 'abc')->accepted);
    }

    public function testReadsPsrRequests(): void
    {
        foreach (['https://api.example.com/a/?x=%7e', 'https://api.example.com', 'http://[::1]:8421/?x'] as $url) {
            $request = new Request('POST', $url, [], 'abc');
            $url = (string) $request->getUri()->withPath($request->getUri()->getPath() ?: '/');
            $signed = Fixture::signer()->sign('POST', $url, 'abc');
            foreach ($signed->headers as $name => $value) {
                $request = $request->withHeader($name, $value);
            }
            $verdict = Fixture::verifier()->verifyRequest($request);
            self::assertTrue($verdict->accepted, "$url: $verdict->reason");
        }
        self::assertSame('signature_missing', Fixture::verifier()->verifyRequest(new Request('GET', $url))->code);
    }

    public function testOtherClients(): void
    {
        $signed = Fixture::signer(['clientId' => 'client_other'])->sign('GET', self::URL);
        $verdict = Fixture::verifier()->verify('GET', self::URL, $signed->headers, '');
        self::assertSame('signature_invalid', $verdict->code);
    }

    public function testRegistrationsWithoutDate(): void
    {
        $signed = Fixture::signer(['coverDate' => false])->sign('GET', self::URL);
        $verdict = Fixture::verifier()->verify('GET', self::URL, $signed->headers, '');
        self::assertSame('components_invalid', $verdict->code);

        $earlier = new Verifier(Fixture::CLIENT_ID, Fixture::publicKey(), acceptWithoutDate: true);
        self::assertTrue($earlier->verify('GET', self::URL, $signed->headers, '')->accepted);
    }

    public function testServicesWithNonces(): void
    {
        $verifier = new Verifier(Fixture::CLIENT_ID, Fixture::publicKey(), requireNonce: true);
        $without = Fixture::signer()->sign('GET', self::URL);
        self::assertSame('parameters_invalid', $verifier->verify('GET', self::URL, $without->headers, '')->code);
        $with = Fixture::signer(['nonce' => true])->sign('GET', self::URL);
        self::assertTrue($verifier->verify('GET', self::URL, $with->headers, '')->accepted);
        $verdict = Fixture::verifier()->verify('GET', self::URL, $with->headers, '');
        self::assertSame('parameters_invalid', $verdict->code);
    }

    /** @dataProvider publicKeys */
    public function testRejectsPublicKeys(string $key): void
    {
        $this->expectException(InvalidArgumentException::class);
        new Verifier(Fixture::CLIENT_ID, $key);
    }

    public static function publicKeys(): array
    {
        return [
            'nothing' => [''],
            'a file' => ['file:///etc/passwd'],
            'a private key' => [Vectors::key('rsa-2048-a')['privateKeyPem']],
            'an EC key' => [Vectors::key('ec-p256')['publicKeyPem']],
            'an RSA-PSS key' => [Vectors::key('rsa-pss-2048')['publicKeyPem']],
            '1024 bits' => [Vectors::key('rsa-1024-weak')['publicKeyPem']],
            'exponent 3' => [Vectors::key('rsa-2048-e3')['publicKeyPem']],
        ];
    }
}
