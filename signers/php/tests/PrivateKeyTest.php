<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\SigningException;
use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\RecordingLogger;
use Countersign\Tests\Support\Vectors;
use PHPUnit\Framework\TestCase;

final class PrivateKeyTest extends TestCase
{
    private const PASSPHRASE = 'correct horse';
    /** The passphrase of no key here, given to look for it in messages. */
    private const WRONG = 'hunter2hunter2';

    /** @dataProvider readableKeys */
    public function testReads(callable $make, ?string $passphrase): void
    {
        $signer = Fixture::signer(['privateKey' => $make(), 'passphrase' => $passphrase]);
        $signed = $signer->sign('GET', 'https://api.example.com/');
        $verdict = Fixture::verifier()->verify('GET', 'https://api.example.com/', $signed->headers, '');
        self::assertTrue($verdict->accepted, $verdict->reason);
    }

    public static function readableKeys(): array
    {
        $pkcs8 = static fn (): string => Fixture::privateKey();
        $pkcs1 = static fn (): string => self::openssl(['rsa', '-traditional']);
        $encrypted = static fn (): string => self::openssl(['pkcs8', '-topk8', '-v2', 'aes-256-cbc', ...self::out()]);
        $old = static fn (): string => self::openssl(['rsa', '-aes128', '-traditional', ...self::out()]);
        return [
            'PKCS#8' => [$pkcs8, null],
            'PKCS#8 with a passphrase that is not needed' => [$pkcs8, self::PASSPHRASE],
            'PKCS#8, bare Base64' => [static fn () => self::bare($pkcs8()), null],
            'PKCS#8, bare Base64 in lines' => [static fn () => "  " . chunk_split(self::bare($pkcs8()), 50), null],
            'PKCS#8 with CRLF' => [static fn () => str_replace("\n", "\r\n", $pkcs8()), null],
            'PKCS#8 in one line' => [static fn () => str_replace("\n", ' ', $pkcs8()), null],
            'PKCS#8 with \n in two characters' => [static fn () => str_replace("\n", '\n', $pkcs8()), null],
            'PKCS#1' => [$pkcs1, null],
            'PKCS#1, bare Base64' => [static fn () => self::bare($pkcs1()), null],
            'encrypted PKCS#8' => [$encrypted, self::PASSPHRASE],
            'encrypted PKCS#8, bare Base64' => [static fn () => self::bare($encrypted()), self::PASSPHRASE],
            'encrypted PKCS#1' => [$old, self::PASSPHRASE],
            'a key of OpenSSL' => [static fn () => openssl_pkey_get_private($pkcs8()), null],
        ];
    }

    /** @dataProvider unreadableKeys */
    public function testRejects(callable $make, ?string $passphrase, string $says): void
    {
        $key = $make();
        while (openssl_error_string() !== false) {
            continue;
        }
        try {
            Fixture::signer(['privateKey' => $key, 'passphrase' => $passphrase]);
            self::fail('must throw');
        } catch (SigningException $error) {
            self::assertSame('private_key_invalid', $error->errorCode);
            self::assertStringContainsString($says, $error->getMessage());
            $shown = "$error";
            self::assertStringNotContainsString(self::WRONG, $shown);
            self::assertStringNotContainsString('MII', $shown);
        }
        self::assertFalse(openssl_error_string(), 'no error is left for other callers of OpenSSL');
    }

    public static function unreadableKeys(): array
    {
        $key = static fn (string $name, string $half = 'privateKeyPem') => static fn () => Vectors::key($name)[$half];
        $encrypted = static fn (): string => self::openssl(['pkcs8', '-topk8', '-v2', 'aes-256-cbc', ...self::out()]);
        $first = $key('rsa-2048-a');
        return [
            'nothing' => [static fn () => '', null, 'no key in the text'],
            'no key' => [static fn () => 'secret!', null, 'neither PEM'],
            'Base64 of something else' => [static fn () => base64_encode('hello, world'), null, 'not contain a key'],
            'the name of a file' => [static fn () => 'file:///etc/passwd', null, 'neither PEM'],
            'cut off' => [static fn () => substr($first(), 0, 900), null, 'exactly one private key'],
            'damaged' => [static fn () => substr_replace($first(), 'AAAAAAAA', 40, 8), null, 'damaged'],
            'two keys' => [static fn () => $first() . $first(), null, 'exactly one'],
            'a public key' => [$key('rsa-2048-a', 'publicKeyPem'), null, 'public key'],
            'a public key, bare' => [static fn () => self::bare(Fixture::publicKey()), null, 'not a private key'],
            'a public key of OpenSSL' => [
                static fn () => openssl_pkey_get_public(Fixture::publicKey()),
                null,
                'public key',
            ],
            'an EC key' => [$key('ec-p256'), null, 'not an RSA key'],
            'an RSA-PSS key' => [$key('rsa-pss-2048'), null, 'not an RSA key'],
            '1024 bits' => [$key('rsa-1024-weak'), null, '1024 bits; 2048 to 8192'],
            '2047 bits' => [$key('rsa-2047'), null, '2047 bits; 2048 to 8192'],
            'exponent 3' => [$key('rsa-2048-e3'), null, '65537'],
            'encrypted, no passphrase' => [$encrypted, null, 'provide its passphrase'],
            'encrypted, empty passphrase' => [$encrypted, '', 'provide its passphrase'],
            'encrypted, wrong passphrase' => [$encrypted, self::WRONG, 'passphrase is wrong'],
        ];
    }

    public function testFollowsItsFile(): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'countersign-test-');
        file_put_contents($file, Fixture::privateKey());
        $logger = new RecordingLogger();
        $signer = Fixture::signer(['privateKeyFile' => $file, 'logger' => $logger]);
        self::assertTrue(self::verifies($signer, Fixture::publicKey()));
        self::assertSame([], $logger->levels);

        file_put_contents($file, substr(Vectors::key('rsa-2048-b')['privateKeyPem'], 0, 500));
        usleep(600_000);
        self::assertTrue(self::verifies($signer, Fixture::publicKey()), 'half a file changes nothing');
        self::assertSame(['warning'], $logger->levels);
        self::assertStringContainsString('previous key', $logger->text);
        self::assertStringNotContainsString('MII', $logger->text);

        // Same size, same second: only the content tells.
        file_put_contents($file, Vectors::key('rsa-2048-b')['privateKeyPem']);
        $deadline = hrtime(true) + 10_000_000_000;
        do {
            $isNew = self::verifies($signer, Vectors::key('rsa-2048-b')['publicKeyPem']);
        } while (!$isNew && hrtime(true) < $deadline && usleep(50_000) === null);
        self::assertTrue($isNew);

        unlink($file);
        usleep(600_000);
        self::assertTrue(self::verifies($signer, Vectors::key('rsa-2048-b')['publicKeyPem']), 'a lost file, too');
    }

    public function testRejectsFiles(): void
    {
        foreach (['/missing/private.pem', 'php://stdin', 'data://text/plain,x', __DIR__] as $path) {
            try {
                Fixture::signer(['privateKeyFile' => $path]);
                self::fail('must throw');
            } catch (SigningException $error) {
                self::assertSame('private_key_invalid', $error->errorCode);
            }
        }
    }

    private static function verifies(\Countersign\Signer $signer, string $publicKey): bool
    {
        static $count = 0;
        $signed = $signer->sign('GET', 'https://api.example.com/' . $count++);
        $signature = base64_decode(substr($signed->headers['Signature'], 5, -1), true);
        return openssl_verify($signed->signatureBase, $signature, $publicKey, OPENSSL_ALGO_SHA256) === 1;
    }

    private static function bare(string $pem): string
    {
        return (string) preg_replace('/-----.*?-----|\s/', '', $pem);
    }

    /** @return list<string> */
    private static function out(): array
    {
        return ['-passout', 'pass:' . self::PASSPHRASE];
    }

    /** Converts the key with the command line of OpenSSL. */
    private static function openssl(array $arguments): string
    {
        $process = proc_open(
            ['openssl', ...$arguments],
            [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']],
            $pipes,
        );
        fwrite($pipes[0], Fixture::privateKey());
        fclose($pipes[0]);
        $text = (string) stream_get_contents($pipes[1]);
        self::assertSame(0, proc_close($process));
        return $text;
    }
}
