<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\SigningException;
use OpenSSLAsymmetricKey;
use SensitiveParameter;

/**
 * Reads RSA private keys: PKCS#8, PKCS#1 and encrypted keys, as PEM or bare Base64.
 *
 * @internal
 */
final class PrivateKeyText
{
    public static function read(
        #[SensitiveParameter] string $text,
        #[SensitiveParameter] ?string $passphrase,
    ): OpenSSLAsymmetricKey {
        // Keys in .env files often have "\n" written as two characters.
        $text = trim(str_replace('\n', "\n", $text));
        if ($text === '') {
            throw self::invalid('there is no key in the text');
        }
        $pem = str_contains($text, '-----BEGIN') ? self::onePem($text) : self::pemOfBase64($text);
        $isEncrypted = str_contains($pem, 'ENCRYPTED');
        if ($isEncrypted && ($passphrase ?? '') === '') {
            throw self::invalid('it is encrypted; provide its passphrase');
        }
        // Always PEM here: OpenSSL would take "file://…" for the name of a file.
        $key = openssl_pkey_get_private($pem, $passphrase);
        self::clearOpenSslErrors();
        if ($key === false) {
            throw self::invalid(
                $isEncrypted
                    ? 'the passphrase is wrong, or the key is damaged'
                    : 'it is damaged or incomplete; use the whole key file',
            );
        }
        return self::checked($key);
    }

    /** Returns a key that can make the profile's signatures. */
    public static function checked(OpenSSLAsymmetricKey $key): OpenSSLAsymmetricKey
    {
        $details = openssl_pkey_get_details($key);
        $make = 'create one: openssl genrsa -out private.pem 3072';
        if ($details === false || $details['type'] !== OPENSSL_KEYTYPE_RSA) {
            throw self::invalid("it is not an RSA key for PKCS#1 v1.5 signatures; $make");
        }
        if (!isset($details['rsa']['d'])) {
            throw self::invalid('this is a public key, which cannot sign; use the private key instead');
        }
        if ($details['bits'] < Profile::MODULUS_BITS_MIN || $details['bits'] > Profile::MODULUS_BITS_MAX) {
            throw self::invalid("it has {$details['bits']} bits; 2048 to 8192 are allowed; $make");
        }
        if (ltrim($details['rsa']['e'], "\0") !== Profile::EXPONENT) {
            throw self::invalid("its public exponent is not 65537; $make");
        }
        return $key;
    }

    public static function invalid(string $reason): SigningException
    {
        return new SigningException(
            SigningException::PRIVATE_KEY_INVALID,
            "The private key cannot be used: $reason.",
        );
    }

    private static function onePem(#[SensitiveParameter] string $text): string
    {
        $pattern = '/-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----/s';
        $count = preg_match_all($pattern, $text, $blocks, PREG_SET_ORDER);
        if ($count !== 1 || substr_count($text, '-----BEGIN') !== 1) {
            throw self::invalid('the text must contain exactly one private key, including the BEGIN and END lines');
        }
        [$pem, $label, $content] = $blocks[0];
        if (str_contains($label, 'PUBLIC KEY') || str_contains($label, 'CERTIFICATE')) {
            throw self::invalid('this is a public key or a certificate; use the private key instead');
        }
        if ($label === 'OPENSSH PRIVATE KEY') {
            $convert = 'ssh-keygen -p -m PKCS8 -f copy-of-key';
            throw self::invalid("OpenSSH private keys are not supported; convert a copy: $convert");
        }
        // The header lines of OpenSSL's older encryption (RFC 1421 section 4.6) stay where they are.
        return str_contains($content, ':') ? "$pem\n" : self::pem($label, self::withoutSpace($content));
    }

    private static function pemOfBase64(#[SensitiveParameter] string $text): string
    {
        $base64 = self::withoutSpace($text);
        $der = base64_decode($base64, true);
        if ($base64 === '' || $der === false || base64_encode($der) !== $base64) {
            throw self::invalid('it is neither PEM nor Base64 of PKCS#8 or PKCS#1');
        }
        return self::pem(self::labelOf($der), $base64);
    }

    /** Tells the encodings apart by how they begin: a version and an algorithm, a version and a number, an algorithm. */
    private static function labelOf(#[SensitiveParameter] string $der): string
    {
        // The outer SEQUENCE, its length in the short or the long form, then the first element.
        if (preg_match('/\A\x30(?:[\x00-\x7f]|\x81.|\x82..|\x83...)(.{0,16})/s', $der, $parts) !== 1) {
            throw self::invalid('the Base64 does not contain a key');
        }
        $begin = $parts[1];
        if (str_starts_with($begin, "\x02\x01\x00\x30")) {
            return 'PRIVATE KEY';
        }
        if (str_starts_with($begin, "\x02\x01\x00\x02")) {
            return 'RSA PRIVATE KEY';
        }
        // The algorithm is PBES2 or another of PKCS#5 (1.2.840.113549.1.5) or PKCS#12 (1.2.840.113549.1.12).
        if (preg_match('/\A\x30.{1,2}\x06.\x2a\x86\x48\x86\xf7\x0d\x01[\x05\x0c]/s', $begin) === 1) {
            return 'ENCRYPTED PRIVATE KEY';
        }
        throw self::invalid('this is not a private key; a public key or a certificate cannot sign');
    }

    private static function pem(string $label, #[SensitiveParameter] string $base64): string
    {
        return "-----BEGIN $label-----\n" . chunk_split($base64, 64, "\n") . "-----END $label-----\n";
    }

    private static function withoutSpace(#[SensitiveParameter] string $text): string
    {
        return (string) preg_replace('/\s+/', '', $text);
    }

    /** Empties OpenSSL's list of errors, so that no later call of the program reports ours. */
    private static function clearOpenSslErrors(): void
    {
        while (openssl_error_string() !== false) {
            continue;
        }
    }
}
