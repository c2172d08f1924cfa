<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Closure;
use Countersign\Refusal;
use Countersign\Signer;
use Countersign\SigningException;
use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\RecordingLogger;
use Countersign\Tests\Support\Vectors;
use LogicException;
use PHPUnit\Framework\TestCase;
use RuntimeException;

final class SignerTest extends TestCase
{
    private const NOW = 1_775_505_115;
    private const URL = 'https://api.example.com/v1/payments';

    public function testTheVerifierAcceptsWhatIsSigned(): void
    {
        $signed = Fixture::signer()->sign('post', self::URL, '{"amount":1250}');
        $verdict = Fixture::verifier()->verify($signed->method, $signed->url, $signed->headers, $signed->body);
        self::assertTrue($verdict->accepted, $verdict->reason);
        self::assertSame('POST', $signed->method);
    }

    public function testDateAndCreatedAreTheSameSecondInWholeSeconds(): void
    {
        $signed = Fixture::signer(['now' => static fn (): float => self::NOW + 0.999])->sign('GET', self::URL);
        self::assertSame(self::NOW, $signed->created);
        self::assertSame('Mon, 06 Apr 2026 19:51:55 GMT', $signed->headers['Date']);
        self::assertStringContainsString(';created=' . self::NOW . ';', $signed->headers['Signature-Input']);
    }

    public function testTheDateIsInEnglishAndUtcWhateverTheProgramUses(): void
    {
        $zone = date_default_timezone_get();
        date_default_timezone_set('Asia/Tokyo');
        try {
            $signed = Fixture::signer(['now' => static fn (): int => self::NOW])->sign('GET', self::URL);
        } finally {
            date_default_timezone_set($zone);
        }
        self::assertSame('Mon, 06 Apr 2026 19:51:55 GMT', $signed->headers['Date']);
    }

    public function testTheDigestIsOfTheBytesAndCoveredOnlyWithABody(): void
    {
        $body = "\xff\x00\r\n\u{e9}";
        $signed = Fixture::signer()->sign('PUT', self::URL, $body);
        $digest = base64_encode(hash('sha256', $body, true));
        self::assertSame("sha-256=:$digest:", $signed->headers['Content-Digest']);
        self::assertStringStartsWith(
            'sig=("@method" "@target-uri" "content-digest" "date");',
            $signed->headers['Signature-Input'],
        );

        $empty = Fixture::signer()->sign('POST', self::URL, '');
        self::assertArrayNotHasKey('Content-Digest', $empty->headers);
        self::assertStringStartsWith('sig=("@method" "@target-uri" "date");', $empty->headers['Signature-Input']);
    }

    public function testEqualRequestsGetLaterSeconds(): void
    {
        $signer = Fixture::signer(['now' => static fn (): int => self::NOW]);
        $seconds = [];
        $signatures = [];
        for ($count = 0; $count < 31; $count++) {
            $signed = $signer->sign('POST', self::URL, '{}');
            $seconds[] = $signed->created;
            $signatures[] = $signed->headers['Signature'];
        }
        self::assertSame(range(self::NOW, self::NOW + 30), $seconds);
        self::assertCount(31, array_unique($signatures));

        $this->expectSigningError('too_many_equal_requests', static fn () => $signer->sign('POST', self::URL, '{}'));
        foreach ([['PUT', self::URL, '{}'], ['POST', self::URL . '?x', '{}'], ['POST', self::URL, '[]']] as $other) {
            self::assertSame(self::NOW, $signer->sign(...$other)->created, 'another request keeps its second');
        }
    }

    public function testARequestWaitsForASecondOfItsOwn(): void
    {
        $signer = Fixture::signer();
        $seconds = array_map(static fn () => $signer->sign('POST', self::URL, '{}')->created, range(1, 33));
        self::assertCount(33, array_unique($seconds));
    }

    public function testEqualReadsShareASecond(): void
    {
        // The clock stands still: with a second for each, the 32nd would fail.
        foreach ([[], ['sharedFolder' => null]] as $options) {
            $signer = Fixture::signer(['now' => static fn (): int => self::NOW] + $options);
            foreach (['GET', 'head', 'OPTIONS'] as $method) {
                for ($count = 0; $count < 50; $count++) {
                    $signed = $signer->sign($method, self::URL);
                }
                self::assertLessThan(self::NOW + 30, $signed->created);
            }
        }
    }

    public function testReadsGetSecondsOfTheirOwnForAWhileAfterAReplay(): void
    {
        $now = self::NOW;
        $signer = Fixture::signer(['now' => static function () use (&$now): int {
            return $now;
        }]);
        self::assertFalse($signer->changeSecond('POST', self::refusal('signature_replayed', null)));
        self::assertTrue($signer->changeSecond('GET', self::refusal('signature_replayed', null)));
        $seconds = array_map(static fn () => $signer->sign('GET', self::URL)->created, range(1, 3));
        self::assertSame(range(self::NOW, self::NOW + 2), $seconds);
        $now += 10;
        $shared = array_map(static fn () => $signer->sign('GET', self::URL)->created, range(1, 3));
        self::assertSame([$now, $now, $now], $shared);
    }

    public function testAGivenSecondIsSignedOnce(): void
    {
        $signer = Fixture::signer();
        $signer->sign('GET', self::URL, '', self::NOW);
        $this->expectSigningError(
            'request_invalid',
            static fn () => $signer->sign('GET', self::URL, '', self::NOW),
            'signed before',
        );
    }

    public function testUsedSecondsAreForgottenOnlyAfterTheWindow(): void
    {
        $now = self::NOW;
        $signer = Fixture::signer(['now' => static function () use (&$now): int {
            return $now;
        }]);
        $signer->sign('PUT', self::URL);
        $now += 400;
        self::assertSame($now, $signer->sign('PUT', self::URL)->created);
        // A clock that is set back does not reuse a second.
        $now -= 400;
        self::assertSame(self::NOW + 1, $signer->sign('PUT', self::URL)->created);
    }

    public function testANonceMakesEqualRequestsDistinct(): void
    {
        $signer = Fixture::signer(['nonce' => true, 'now' => static fn (): int => self::NOW]);
        $inputs = [];
        for ($count = 0; $count < 40; $count++) {
            $signed = $signer->sign('GET', self::URL);
            self::assertSame(self::NOW, $signed->created);
            $inputs[] = $signed->headers['Signature-Input'];
        }
        self::assertMatchesRegularExpression('/;alg="rsa-v1_5-sha256";nonce="[0-9a-f]{32}"\z/', $inputs[0]);
        self::assertCount(40, array_unique($inputs));
    }

    public function testDateCanBeLeftOut(): void
    {
        $signed = Fixture::signer(['coverDate' => false])->sign('POST', self::URL, '{}');
        self::assertSame(['Content-Digest', 'Signature-Input', 'Signature'], array_keys($signed->headers));
        self::assertStringNotContainsString('date"', $signed->signatureBase);
    }

    public function testQuotesAndBackslashesOfTheClientIdAreEscaped(): void
    {
        $signed = Fixture::signer(['clientId' => 'a"b\\c'])->sign('GET', self::URL);
        self::assertStringContainsString(';keyid="a\\"b\\\\c";', $signed->headers['Signature-Input']);
    }

    public function testHeaderLines(): void
    {
        $signed = Fixture::signer()->sign('POST', self::URL, '{}');
        $lines = $signed->headerLines();
        self::assertCount(4, $lines);
        self::assertSame("Signature: {$signed->headers['Signature']}", $lines[3]);
        self::assertStringNotContainsString("\n", implode($lines));
    }

    /** @dataProvider pathlessUrls */
    public function testAUrlWithoutAPathGetsOne(string $url, string $expected): void
    {
        self::assertSame($expected, Fixture::signer()->sign('GET', $url)->url);
    }

    public static function pathlessUrls(): array
    {
        return [
            ['https://api.example.com', 'https://api.example.com/'],
            ['https://api.example.com?x=1', 'https://api.example.com/?x=1'],
            ['http://[::1]:8421', 'http://[::1]:8421/'],
        ];
    }

    /** @dataProvider invalidRequests */
    public function testRejectsWhatCannotBeSentAsSigned(string $method, string $url, string $says): void
    {
        $this->expectSigningError('request_invalid', static fn () => Fixture::signer()->sign($method, $url), $says);
    }

    public static function invalidRequests(): array
    {
        return [
            ['', self::URL, 'single word'],
            ['GET /x', self::URL, 'single word'],
            ["GET\n", self::URL, 'single word'],
            ['GÉT', self::URL, 'single word'],
            [str_repeat('A', 65), self::URL, 'single word'],
            ['GET', 'https://api.example.com/a b', 'percent-encode'],
            ['GET', "https://api.example.com/a\n", 'percent-encode'],
            ['GET', 'https://api.example.com/é', 'percent-encode'],
            ['GET', 'https://api.example.com/#x', 'fragment'],
            ['GET', '/v1/payments', 'must begin with'],
            ['GET', 'ftp://api.example.com/', 'must begin with'],
            ['GET', 'HTTPS://api.example.com/', 'must begin with'],
            ['GET', 'https:///x', 'must begin with'],
            ['GET', 'https://api.example.com\\x/', 'must begin with'],
            ['GET', 'https://user:secret@api.example.com/', 'user name'],
            ['GET', 'https://API.example.com/', 'lower case'],
            ['GET', 'https://api.example.com:443/', 'remove the port'],
            ['GET', 'http://[::1]:80/', 'remove the port'],
            ['GET', 'http://api.example.com:/', 'remove the colon'],
            ['GET', self::URL . '?' . str_repeat('x', 8500), 'more than'],
        ];
    }

    public function testTheMessageNeverRepeatsThePasswordOfAUrl(): void
    {
        try {
            Fixture::signer()->sign('GET', 'https://user:secret@api.example.com/');
            self::fail('must throw');
        } catch (SigningException $error) {
            self::assertStringNotContainsString('secret', $error->getMessage());
        }
    }

    public function testLargeBodiesAreRejected(): void
    {
        $signer = Fixture::signer(['bodyBytesMax' => 10]);
        self::assertSame(str_repeat('x', 10), $signer->sign('POST', self::URL, str_repeat('x', 10))->body);
        $this->expectSigningError(
            'body_too_large',
            static fn () => $signer->sign('POST', self::URL, str_repeat('x', 11)),
            'more than 10 bytes',
        );
    }

    /** @dataProvider invalidClientIds */
    public function testRejectsClientIds(string $clientId): void
    {
        $this->expectSigningError('keyid_invalid', static fn () => Fixture::signer(['clientId' => $clientId]));
    }

    public static function invalidClientIds(): array
    {
        return [[''], ['a b'], ["a\n"], ['é'], [str_repeat('a', 257)], ["a\0"]];
    }

    public function testAFunctionSigns(): void
    {
        $key = openssl_pkey_get_private(Fixture::privateKey());
        $signer = Fixture::signer(['privateKey' => static function (string $bytes) use ($key): string {
            openssl_sign($bytes, $signature, $key, OPENSSL_ALGO_SHA256);
            return $signature;
        }]);
        $signed = $signer->sign('GET', self::URL);
        $verdict = Fixture::verifier()->verify('GET', self::URL, $signed->headers, '');
        self::assertTrue($verdict->accepted, $verdict->reason);
    }

    public function testAFunctionThatFails(): void
    {
        $failing = Fixture::signer(['privateKey' => static fn () => throw new RuntimeException('vault sealed')]);
        try {
            $failing->sign('GET', self::URL);
            self::fail('must throw');
        } catch (SigningException $error) {
            self::assertSame('signing_failed', $error->errorCode);
            self::assertSame('vault sealed', $error->getPrevious()?->getMessage());
        }
        foreach (['', 'short', base64_encode(random_bytes(1025)), null, 7] as $result) {
            $signer = Fixture::signer(['privateKey' => static fn () => $result]);
            $this->expectSigningError('signing_failed', static fn () => $signer->sign('GET', self::URL), 'raw bytes');
        }
    }

    public function testTheClockIsCorrected(): void
    {
        foreach (['created_expired', 'created_in_future', 'date_mismatch'] as $code) {
            $signer = Fixture::signer(['now' => static fn (): int => self::NOW]);
            self::assertTrue($signer->correctClock(self::refusal($code, '2026-04-06T20:51:55.400Z')));
            self::assertSame(self::NOW + 3600, $signer->sign('GET', self::URL)->created);
            // The difference is measured from the uncorrected clock, so a second correction does not add up.
            self::assertTrue($signer->correctClock(self::refusal($code, '2026-04-06T19:51:25Z')));
            self::assertSame(self::NOW - 30, $signer->sign('GET', self::URL)->created);
        }
    }

    public function testTheClockIsCorrectedByNoMoreThanADayAndByTimeErrorsOnly(): void
    {
        $signer = Fixture::signer(['now' => static fn (): int => self::NOW]);
        self::assertTrue($signer->correctClock(self::refusal('created_expired', '2026-04-07T19:51:55Z')));
        $signer = Fixture::signer(['now' => static fn (): int => self::NOW]);
        foreach (
            [
                ['created_expired', '2026-04-07T19:51:56Z'],
                ['created_in_future', '2026-04-05T19:51:54Z'],
                ['created_expired', 'tomorrow'],
                ['created_expired', '2026-04-06'],
                ['created_expired', '2026-99-06T20:51:55Z'],
                ['created_expired', null],
                ['signature_invalid', '2026-04-06T20:51:55Z'],
                ['date_invalid', '2026-04-06T20:51:55Z'],
            ] as [$code, $serverTime]
        ) {
            self::assertFalse($signer->correctClock(self::refusal($code, $serverTime)), "$code $serverTime");
        }
        self::assertSame(self::NOW, $signer->sign('GET', self::URL)->created);
    }

    public function testTheKeyIsNotShownOrSerialized(): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'countersign-test-');
        file_put_contents($file, Fixture::privateKey());
        $signer = Fixture::signer(['privateKeyFile' => $file, 'passphrase' => 'hunter2hunter2']);
        unlink($file);
        self::assertStringNotContainsString('hunter2', print_r($signer, true));
        self::assertStringNotContainsString('MII', print_r($signer, true));
        $this->expectException(LogicException::class);
        serialize($signer);
    }

    /**
     * @dataProvider environmentsThatCannotBeUsed
     * @param array<string, string> $environment
     */
    public function testAnEnvironmentThatCannotBeUsed(array $environment, string $code, string $named): void
    {
        $this->withEnvironment($environment, function () use ($code, $named): void {
            try {
                Signer::fromEnvironment(sharedFolder: false);
                self::fail('must throw');
            } catch (SigningException $error) {
                self::assertSame($code, $error->errorCode);
                self::assertStringContainsString($named, $error->getMessage());
                self::assertDoesNotMatchRegularExpression('/a\.pem|MII/', $error->getMessage());
            }
        });
    }

    public static function environmentsThatCannotBeUsed(): array
    {
        $key = ['COUNTERSIGN_PRIVATE_KEY' => Fixture::privateKey()];
        $shop = ['COUNTERSIGN_CLIENT_ID' => 'shop'];
        return [
            [$key, 'keyid_invalid', 'COUNTERSIGN_CLIENT_ID'],
            [$key + ['COUNTERSIGN_CLIENT_ID' => ''], 'keyid_invalid', 'COUNTERSIGN_CLIENT_ID'],
            [$shop, 'private_key_invalid', 'COUNTERSIGN_PRIVATE_KEY_FILE'],
            [
                $shop + $key + ['COUNTERSIGN_PRIVATE_KEY_FILE' => 'a.pem'],
                'private_key_invalid',
                'COUNTERSIGN_PRIVATE_KEY_FILE',
            ],
        ];
    }

    public function testTheEnvironmentSaysWhoSigns(): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'countersign-test-');
        openssl_pkey_export(Fixture::privateKey(), $encrypted, 'secret');
        file_put_contents($file, $encrypted);
        $ways = [
            ['COUNTERSIGN_PRIVATE_KEY' => Fixture::privateKey()],
            [
                'COUNTERSIGN_PRIVATE_KEY' => '',
                'COUNTERSIGN_PRIVATE_KEY_FILE' => $file,
                'COUNTERSIGN_PASSPHRASE' => 'secret',
            ],
        ];
        try {
            foreach ($ways as $environment) {
                $environment += ['COUNTERSIGN_CLIENT_ID' => Fixture::CLIENT_ID];
                $this->withEnvironment($environment, static function (): void {
                    $signed = Signer::fromEnvironment(sharedFolder: false)->sign('GET', self::URL);
                    $verdict = Fixture::verifier()->verify('GET', self::URL, $signed->headers, '');
                    self::assertTrue($verdict->accepted, $verdict->reason);
                });
            }
        } finally {
            unlink($file);
        }
    }

    public function testOptionsWinOverTheEnvironment(): void
    {
        $environment = ['COUNTERSIGN_CLIENT_ID' => 'shop', 'COUNTERSIGN_PRIVATE_KEY_FILE' => 'missing.pem'];
        $this->withEnvironment($environment, static function (): void {
            $signer = Signer::fromEnvironment(
                clientId: Fixture::CLIENT_ID,
                privateKey: Fixture::privateKey(),
                sharedFolder: false,
                coverDate: false,
            );
            self::assertSame(Fixture::CLIENT_ID, $signer->clientId);
            self::assertArrayNotHasKey('Date', $signer->sign('GET', self::URL)->headers);
        });
    }

    public function testADotenvFileIsReadToo(): void
    {
        $_ENV['COUNTERSIGN_CLIENT_ID'] = 'from-a-file';
        try {
            $signer = Signer::fromEnvironment(privateKey: Fixture::privateKey(), sharedFolder: false);
            self::assertSame('from-a-file', $signer->clientId);
        } finally {
            unset($_ENV['COUNTERSIGN_CLIENT_ID']);
        }
    }

    public function testTheLoggerHearsWhatTheSignerLearned(): void
    {
        $logger = new RecordingLogger();
        $signer = Fixture::signer(['now' => static fn (): int => self::NOW, 'logger' => $logger]);
        self::assertFalse($signer->correctClock(self::refusal('created_expired', null)));
        self::assertTrue($signer->correctClock(self::refusal('created_expired', '2026-04-06T20:51:55.400Z')));
        $signer->changeSecond('GET', self::refusal('signature_replayed', null));
        $signer->changeSecond('GET', self::refusal('signature_replayed', null));
        self::assertSame(['warning', 'info'], $logger->levels);
    }

    public function testOneKeyIsRequired(): void
    {
        $both = ['privateKey' => Vectors::key('rsa-2048-a')['privateKeyPem'], 'privateKeyFile' => 'private.pem'];
        foreach ([['privateKey' => null], $both] as $options) {
            $this->expectSigningError('private_key_invalid', static fn () => Fixture::signer($options), 'exactly one');
        }
    }

    /** @param array<string, string> $variables */
    private function withEnvironment(array $variables, Closure $act): void
    {
        foreach ($variables as $name => $value) {
            putenv("$name=$value");
        }
        try {
            $act();
        } finally {
            foreach (array_keys($variables) as $name) {
                putenv($name);
            }
        }
    }

    private function expectSigningError(string $code, callable $act, string $says = ''): void
    {
        try {
            $act();
        } catch (SigningException $error) {
            self::assertSame($code, $error->errorCode, $error->getMessage());
            self::assertStringContainsString($says, $error->getMessage());
            return;
        }
        self::fail("must throw $code");
    }

    private static function refusal(string $code, ?string $serverTime): Refusal
    {
        $problem = ['type' => "/docs/errors#$code", 'code' => $code, 'serverTime' => $serverTime];
        $body = json_encode($problem, JSON_THROW_ON_ERROR);
        $refusal = Refusal::read(401, 'application/problem+json', $body);
        self::assertNotNull($refusal);
        return $refusal;
    }
}
