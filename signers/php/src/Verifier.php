<?php

declare(strict_types=1);

namespace Countersign;

use Closure;
use Countersign\Internal\Clock;
use Countersign\Internal\HttpDate;
use Countersign\Internal\Profile;
use Countersign\Internal\SignatureInput;
use InvalidArgumentException;
use OpenSSLAsymmetricKey;
use Psr\Http\Message\RequestInterface;

/**
 * Checks what a service checks about a request alone: the fields, the times, the signature, the digest and repetition.
 *
 * It is for tests of your own program, not for protecting an API: it knows one client, and keeps no record beyond its
 * own lifetime.
 */
final class Verifier
{
    private const MAX_AGE_SECONDS = 300;
    private const MAX_FUTURE_SECONDS = 60;
    private const MAX_DATE_DIFFERENCE_SECONDS = 60;
    private const FIELD_LENGTH_MAX = 4096;

    private readonly OpenSSLAsymmetricKey $publicKey;
    private readonly Clock $clock;
    /** @var array<string, float> when each was first used */
    private array $usedSignatures = [];

    /**
     * @param string $clientId the Client ID that requests must name
     * @param string $publicKey the client's public key, PEM
     * @param bool $acceptWithoutDate whether the client is registered to leave out `Date`
     * @param bool $requireNonce whether the service requires a nonce
     * @param ?Closure(): (int|float) $now the clock in Unix seconds
     * @param bool $strict whether no signature is accepted twice; otherwise equal reads are, for two seconds
     * @throws InvalidArgumentException if the public key could not be registered
     */
    public function __construct(
        private readonly string $clientId,
        string $publicKey,
        private readonly bool $acceptWithoutDate = false,
        private readonly bool $requireNonce = false,
        ?Closure $now = null,
        private readonly bool $strict = false,
    ) {
        $this->publicKey = self::readPublicKey($publicKey);
        $this->clock = new Clock($now);
    }

    /** Checks a PSR-7 request as it would be sent. */
    public function verifyRequest(RequestInterface $request): Verdict
    {
        $uri = $request->getUri()->withPath('')->withQuery('')->withFragment('');
        return $this->verify(
            $request->getMethod(),
            rtrim((string) $uri, '/') . $request->getRequestTarget(),
            $request->getHeaders(),
            (string) $request->getBody(),
        );
    }

    /**
     * Checks a request as received.
     *
     * @param string $url the full URL as called
     * @param array<string, string|list<string>> $headers values by name; a list if a header comes more than once
     * @param string $body the bytes as received
     */
    public function verify(string $method, string $url, array $headers, string $body): Verdict
    {
        return $this->refusal($method, $url, self::linesOf($headers), $body) ?? Verdict::accept();
    }

    /** @param array<string, list<string>> $lines */
    private function refusal(string $method, string $url, array $lines, string $body): ?Verdict
    {
        $refusal = self::checkTarget($method, $url) ?? self::checkPresence($lines);
        if ($refusal !== null) {
            return $refusal;
        }
        [[$inputText], [$signatureText]] = [$lines['signature-input'], $lines['signature']];
        $input = self::isShort($inputText) ? SignatureInput::read($inputText) : null;
        if ($input === null) {
            return Verdict::refuse(
                'signature_malformed',
                'Signature-Input is not one member "sig" in its canonical text',
            );
        }
        $signature = self::isShort($signatureText) ? self::readSignature($signatureText) : null;
        if ($signature === null) {
            return Verdict::refuse(
                'signature_malformed',
                'Signature is not one member "sig" with canonical, padded Base64',
            );
        }
        return $this->checkParameters($input)
            ?? self::checkComponents($input, $body !== '')
            ?? $this->checkCreated((int) $input->parameters['created']['value'])
            ?? self::checkDate($input, $lines)
            ?? self::checkDigestForm($input, $lines)
            ?? $this->checkSignature($method, $url, $input, $lines, $signature)
            ?? $this->checkDateCovered($input)
            ?? self::checkBody($lines, $body)
            ?? $this->useSignature($method, $signature);
    }

    private static function checkTarget(string $method, string $url): ?Verdict
    {
        if (preg_match('/\A[!#$%&\'*+.^_`|~0-9A-Za-z-]{1,64}\z/', $method) !== 1) {
            return Verdict::refuse('request_malformed', 'the method is not a token');
        }
        $absolute = '~\Ahttps?://[^\x00-\x20\x7f-\xff/?#@\\\\]+/[^\x00-\x20\x7f-\xff#]*\z~';
        if (strlen($url) > Profile::TARGET_URI_LENGTH_MAX || preg_match($absolute, $url) !== 1) {
            return Verdict::refuse(
                'request_malformed',
                'the target URI is not an absolute http or https URL with a path, in visible ASCII',
            );
        }
        return null;
    }

    private static function checkPresence(array $lines): ?Verdict
    {
        foreach (['signature-input' => 'Signature-Input', 'signature' => 'Signature'] as $key => $name) {
            $count = count($lines[$key]);
            if ($count !== 1) {
                $found = $count === 0 ? 'is missing' : "comes $count times";
                return Verdict::refuse('signature_missing', "the $name header $found");
            }
        }
        return null;
    }

    private function checkParameters(SignatureInput $input): ?Verdict
    {
        foreach (['created' => 'integer', 'keyid' => 'string', 'alg' => 'string'] as $name => $type) {
            $found = $input->parameters[$name]['type'] ?? null;
            if ($found !== $type) {
                $is = $found === null ? 'is missing' : "is a $found";
                return Verdict::refuse('parameters_invalid', "the parameter \"$name\" $is; it must be a $type");
            }
        }
        if (preg_match('/\A[\x21-\x7e]{1,256}\z/', $input->parameters['keyid']['value']) !== 1) {
            return Verdict::refuse('parameters_invalid', 'keyid must have 1 to 256 visible ASCII characters');
        }
        if (isset($input->parameters['nonce']) !== $this->requireNonce) {
            $is = $this->requireNonce ? 'is missing' : 'is not allowed';
            return Verdict::refuse('parameters_invalid', "the parameter \"nonce\" $is");
        }
        ['type' => $type, 'value' => $nonce] = $input->parameters['nonce'] ?? ['type' => null, 'value' => ''];
        if ($type !== null && ($type !== 'string' || preg_match('/\A[\x21-\x7e]{16,64}\z/', $nonce) !== 1)) {
            return Verdict::refuse('parameters_invalid', '"nonce" must be a string of 16 to 64 visible characters');
        }
        foreach (array_keys($input->parameters) as $name) {
            if (!in_array($name, ['created', 'keyid', 'alg', 'nonce'], true)) {
                return Verdict::refuse('parameters_invalid', "the profile has no parameter \"$name\"");
            }
        }
        if ($input->parameters['alg']['value'] !== Profile::ALGORITHM) {
            return Verdict::refuse('algorithm_not_allowed', 'alg must be ' . Profile::ALGORITHM);
        }
        return null;
    }

    private static function checkComponents(SignatureInput $input, bool $hasBody): ?Verdict
    {
        $allowed = [Profile::components($hasBody, true), Profile::components($hasBody, false)];
        if (in_array($input->components, $allowed, true)) {
            return null;
        }
        return Verdict::refuse(
            'components_invalid',
            "the covered components must be $allowed[0], not $input->components",
        );
    }

    private function checkCreated(int $created): ?Verdict
    {
        $age = $this->clock->nowSeconds() - $created;
        return match (true) {
            $age > self::MAX_AGE_SECONDS => Verdict::refuse('created_expired', "created is $age s old"),
            -$age > self::MAX_FUTURE_SECONDS
                => Verdict::refuse('created_in_future', 'created is ' . -$age . ' s ahead'),
            default => null,
        };
    }

    private static function checkDate(SignatureInput $input, array $lines): ?Verdict
    {
        if (!str_contains($input->components, '"date"')) {
            return null;
        }
        $count = count($lines['date']);
        $seconds = $count === 1 ? HttpDate::read($lines['date'][0]) : null;
        if ($seconds === null) {
            $found = match ($count) {
                0 => 'is missing',
                1 => 'is not an IMF-fixdate such as "Tue, 20 Apr 2021 02:07:55 GMT"',
                default => "comes $count times",
            };
            return Verdict::refuse('date_invalid', "the Date header $found");
        }
        $apart = abs($seconds - (int) $input->parameters['created']['value']);
        return $apart > self::MAX_DATE_DIFFERENCE_SECONDS
            ? Verdict::refuse('date_mismatch', "Date and created are $apart s apart")
            : null;
    }

    private static function checkDigestForm(SignatureInput $input, array $lines): ?Verdict
    {
        if (!str_contains($input->components, '"content-digest"')) {
            return null;
        }
        $digests = $lines['content-digest'];
        if ($digests === []) {
            return Verdict::refuse('digest_missing', 'the Content-Digest header is covered but missing');
        }
        $pattern = '~\Asha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:\z~';
        if (count($digests) > 1 || preg_match($pattern, $digests[0]) !== 1) {
            return Verdict::refuse('digest_malformed', 'Content-Digest is not one sha-256 digest');
        }
        return null;
    }

    private function checkSignature(
        string $method,
        string $url,
        SignatureInput $input,
        array $lines,
        string $signature,
    ): ?Verdict {
        if ($input->parameters['keyid']['value'] !== $this->clientId) {
            return Verdict::refuse('signature_invalid', 'keyid is not the Client ID');
        }
        $base = Profile::signatureBase(
            $method,
            $url,
            str_contains($input->components, '"content-digest"') ? $lines['content-digest'][0] : null,
            str_contains($input->components, '"date"') ? $lines['date'][0] : null,
            $input->signatureParams,
        );
        if (openssl_verify($base, $signature, $this->publicKey, OPENSSL_ALGO_SHA256) === 1) {
            return null;
        }
        return Verdict::refuse('signature_invalid', "the key does not verify the signature over this base:\n$base");
    }

    private function checkDateCovered(SignatureInput $input): ?Verdict
    {
        return $this->acceptWithoutDate || str_contains($input->components, '"date"')
            ? null
            : Verdict::refuse('components_invalid', '"date" is not covered, and this client may not leave it out');
    }

    private static function checkBody(array $lines, string $body): ?Verdict
    {
        return $body === '' || $lines['content-digest'][0] === Profile::contentDigest($body)
            ? null
            : Verdict::refuse('digest_mismatch', 'Content-Digest is not the digest of the ' . strlen($body) . ' bytes');
    }

    private function useSignature(string $method, string $signature): ?Verdict
    {
        $now = hrtime(true) / 1e9;
        $first = $this->usedSignatures[$signature] ?? null;
        $mayBeEqual = !$this->strict && in_array($method, ['GET', 'HEAD', 'OPTIONS'], true);
        if ($first !== null && $mayBeEqual && $now - $first <= 2) {
            return null;
        }
        if ($first !== null) {
            return Verdict::refuse('signature_replayed', 'a request with this signature was accepted before');
        }
        $this->usedSignatures[$signature] = $now;
        return null;
    }

    private static function isShort(string $field): bool
    {
        return strlen($field) <= self::FIELD_LENGTH_MAX;
    }

    private static function readSignature(string $field): ?string
    {
        if (preg_match('~\Asig=:([A-Za-z0-9+/=]*):\z~', $field, $parts) !== 1) {
            return null;
        }
        $signature = base64_decode($parts[1], true);
        return $signature !== false && base64_encode($signature) === $parts[1] ? $signature : null;
    }

    /**
     * @param array<string, string|list<string>> $headers
     * @return array<string, list<string>> the four fields, without surrounding white space (RFC 9110 section 5.5)
     */
    private static function linesOf(array $headers): array
    {
        $lines = ['signature-input' => [], 'signature' => [], 'date' => [], 'content-digest' => []];
        foreach ($headers as $name => $values) {
            $name = strtolower((string) $name);
            if (isset($lines[$name])) {
                foreach ((array) $values as $value) {
                    $lines[$name][] = trim($value, " \t");
                }
            }
        }
        return $lines;
    }

    private static function readPublicKey(string $text): OpenSSLAsymmetricKey
    {
        // Only PEM: OpenSSL would take "file://…" for the name of a file.
        $key = str_starts_with(trim($text), '-----BEGIN') && !str_contains($text, 'PRIVATE KEY')
            ? openssl_pkey_get_public(trim($text))
            : false;
        $details = $key === false ? false : openssl_pkey_get_details($key);
        if (
            $key === false || $details === false || $details['type'] !== OPENSSL_KEYTYPE_RSA
            || $details['bits'] < Profile::MODULUS_BITS_MIN || $details['bits'] > Profile::MODULUS_BITS_MAX
            || ltrim($details['rsa']['e'], "\0") !== Profile::EXPONENT
        ) {
            throw new InvalidArgumentException(
                'The public key must be the PEM of an RSA key with 2048 to 8192 bits and the exponent 65537.',
            );
        }
        return $key;
    }
}
