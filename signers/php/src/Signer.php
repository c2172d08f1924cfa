<?php

declare(strict_types=1);

namespace Countersign;

use Closure;
use Countersign\Internal\Clock;
use Countersign\Internal\Environment;
use Countersign\Internal\FunctionKey;
use Countersign\Internal\HttpDate;
use Countersign\Internal\KeyFile;
use Countersign\Internal\OpenSslKey;
use Countersign\Internal\PrivateKeyText;
use Countersign\Internal\Profile;
use Countersign\Internal\SecondsOfProcess;
use Countersign\Internal\SharedFolder;
use Countersign\Internal\SigningKey;
use Countersign\Internal\Target;
use Countersign\Internal\UsedSeconds;
use LogicException;
use OpenSSLAsymmetricKey;
use Psr\Log\LoggerInterface;
use SensitiveParameter;

/**
 * Signs requests of one client. Create it once per process and use it for every request.
 *
 * Give it to `SigningClient` (PSR-18) or `Guzzle\SigningMiddleware`, or call `sign()` and send the result yourself.
 */
final class Signer
{
    /** Limits how far `created` runs ahead of the clock to keep signatures distinct; half of what services allow. */
    private const AHEAD_SECONDS_MAX = 30;

    /** How often a request waits for the next second, when too many equal ones are ahead. */
    private const WAITS_MAX = 30;

    /**
     * How long each read gets a second of its own after one was rejected for sharing it. A read that came late is
     * rejected for that too, and nobody can poll twice a second for long with a second for each read.
     */
    private const STRICT_SECONDS = 10;

    private const READS = ['GET', 'HEAD', 'OPTIONS'];

    private readonly SigningKey $key;
    private readonly UsedSeconds $usedSeconds;
    private readonly Clock $clock;
    /** The service accepts equal reads once; learned from a refusal. */
    /** Unix seconds until which the service is taken to accept equal reads once; learned from a rejection. */
    private int $strictUntil = 0;

    /**
     * @param string $clientId the Client ID from the portal
     * @param string|OpenSSLAsymmetricKey|(Closure(string): string)|null $privateKey PEM or bare Base64 (PKCS#8, PKCS#1,
     *     encrypted), a key of OpenSSL, or a function that signs bytes with RSASSA-PKCS1-v1_5 and SHA-256
     * @param ?string $privateKeyFile a file with the key; a running program notices a new key within a second
     * @param ?string $passphrase the passphrase of an encrypted key
     * @param bool $coverDate whether `Date` is sent and signed; false only for a client that is registered without it
     * @param bool $nonce whether each signature carries a random nonce, for services that require one
     * @param int $bodyBytesMax the largest body that can be signed
     * @param string|false|null $sharedFolder where processes with this key record used seconds; null: a folder of the
     *     current user in the temporary directory; false: only this object signs with the key
     * @param bool $throwsRefusals whether a refusal becomes a `RefusedException`
     * @param ?Closure(): (int|float) $now the clock in Unix seconds, for tests
     * @param bool $idempotencyKeys whether each POST, PATCH and other request that is not idempotent gets a random
     *     `Idempotency-Key`, the same for all attempts of a call; only for APIs that honor it
     * @param ?LoggerInterface $logger is told when the clock is corrected, the key file cannot be used, or the service
     *     turns out to be strict; never sees keys, URLs and bodies
     * @throws SigningException if the Client ID, the key or the folder cannot be used
     */
    public function __construct(
        public readonly string $clientId,
        #[SensitiveParameter] string|OpenSSLAsymmetricKey|Closure|null $privateKey = null,
        ?string $privateKeyFile = null,
        #[SensitiveParameter] ?string $passphrase = null,
        private readonly bool $coverDate = true,
        private readonly bool $nonce = false,
        public readonly int $bodyBytesMax = 10 * 1024 * 1024,
        string|false|null $sharedFolder = null,
        public readonly bool $throwsRefusals = true,
        ?Closure $now = null,
        public readonly bool $idempotencyKeys = false,
        private readonly ?LoggerInterface $logger = null,
    ) {
        if (preg_match('/\A[\x21-\x7e]{1,256}\z/', $clientId) !== 1) {
            throw new SigningException(
                SigningException::KEYID_INVALID,
                'clientId must be the Client ID from the API Keys page: 1 to ' . Profile::KEYID_LENGTH_MAX
                    . ' visible ASCII characters without spaces.',
            );
        }
        $this->key = self::signingKey($privateKey, $privateKeyFile, $passphrase, $logger);
        $this->usedSeconds = match ($sharedFolder) {
            null => SharedFolder::ofCurrentUser(),
            false => new SecondsOfProcess(),
            default => SharedFolder::at($sharedFolder),
        };
        $this->clock = new Clock($now);
    }

    /**
     * Creates a signer from environment variables: `COUNTERSIGN_CLIENT_ID`, `COUNTERSIGN_PRIVATE_KEY_FILE` or
     * `COUNTERSIGN_PRIVATE_KEY`, and `COUNTERSIGN_PASSPHRASE`.
     *
     * @param mixed ...$options named arguments of the constructor, which win
     * @throws SigningException that names a missing variable and repeats no value
     */
    public static function fromEnvironment(#[SensitiveParameter] mixed ...$options): self
    {
        return new self(...Environment::complete($options));
    }

    /**
     * Signs a request. Send exactly the method, URL and body of the result, with its headers.
     *
     * Equal reads (GET, HEAD, OPTIONS) share a second, as services allow. Other equal requests get one each, at most 30
     * ahead; when none is left, this waits for the next second, up to 30 seconds.
     *
     * @param string $body the bytes to send; empty for no body
     * @param ?int $created Unix seconds instead of the clock's, for tests
     * @param ?string $date the `Date` instead of that of `created`, for tests
     * @throws SigningException
     */
    public function sign(
        string $method,
        string $url,
        string $body = '',
        ?int $created = null,
        ?string $date = null,
    ): SignedRequest {
        $method = Target::method($method);
        $url = Target::url($url);
        if (strlen($body) > $this->bodyBytesMax) {
            throw $this->bodyTooLarge();
        }
        // An empty body is no body: a digest of it would be refused.
        $contentDigest = $body === '' ? null : Profile::contentDigest($body);
        $created = $this->takeSecond($method, $url, $contentDigest, $created);
        $date ??= HttpDate::format($created);

        $keyid = addcslashes($this->clientId, '"\\');
        $signatureParams = Profile::components($contentDigest !== null, $this->coverDate)
            . ";created=$created;keyid=\"$keyid\";alg=\"" . Profile::ALGORITHM . '"'
            . ($this->nonce ? ';nonce="' . bin2hex(random_bytes(16)) . '"' : '');
        $base = Profile::signatureBase(
            $method,
            $url,
            $contentDigest,
            $this->coverDate ? $date : null,
            $signatureParams,
        );
        $signature = base64_encode($this->key->sign($base));

        $headers = array_filter([
            'Content-Digest' => $contentDigest,
            'Date' => $this->coverDate ? $date : null,
            'Signature-Input' => Profile::LABEL . "=$signatureParams",
            'Signature' => Profile::LABEL . "=:$signature:",
        ], is_string(...));
        return new SignedRequest($method, $url, $body, $headers, $created, $base);
    }

    /**
     * Takes over the service's time from a refusal that is due to the clock. Returns true if the request is worth
     * sending once more, signed again.
     */
    public function correctClock(Refusal $refusal): bool
    {
        $isCorrected = in_array($refusal->code, ['created_expired', 'created_in_future', 'date_mismatch'], true)
            && $refusal->serverTime !== null
            && $this->clock->correct($refusal->serverTime);
        if ($isCorrected) {
            $this->logger?->warning("Signing with the service's clock, {serverTime}", [
                'serverTime' => $refusal->serverTime,
            ]);
        }
        return $isCorrected;
    }

    /**
     * Gives each read a second of its own for a while, if one was rejected for sharing it. Returns true if the request
     * is worth sending once more, signed again.
     */
    public function changeSecond(string $method, Refusal $refusal): bool
    {
        if ($refusal->code !== 'signature_replayed' || !in_array(strtoupper($method), self::READS, true)) {
            return false;
        }
        $now = $this->clock->nowSeconds();
        if ($now >= $this->strictUntil) {
            $this->logger?->info('An equal read was rejected: for a while, each one gets a second of its own');
        }
        $this->strictUntil = $now + self::STRICT_SECONDS;
        return true;
    }

    /** @internal */
    public function bodyTooLarge(): SigningException
    {
        return new SigningException(
            SigningException::BODY_TOO_LARGE,
            "The body has more than $this->bodyBytesMax bytes. Send less at a time, or raise bodyBytesMax.",
        );
    }

    /** Keeps key and passphrase out of var_dump() and print_r(). */
    public function __debugInfo(): array
    {
        return ['clientId' => $this->clientId];
    }

    public function __serialize(): array
    {
        throw new LogicException('A Signer holds a private key and cannot be serialized.');
    }

    private static function signingKey(
        #[SensitiveParameter] string|OpenSSLAsymmetricKey|Closure|null $privateKey,
        ?string $privateKeyFile,
        #[SensitiveParameter] ?string $passphrase,
        ?LoggerInterface $logger,
    ): SigningKey {
        if (($privateKey === null) === ($privateKeyFile === null)) {
            throw PrivateKeyText::invalid('set exactly one of privateKey and privateKeyFile');
        }
        return match (true) {
            $privateKeyFile !== null => new KeyFile($privateKeyFile, $passphrase, $logger),
            $privateKey instanceof Closure => new FunctionKey($privateKey),
            $privateKey instanceof OpenSSLAsymmetricKey => new OpenSslKey(PrivateKeyText::checked($privateKey)),
            default => new OpenSslKey(PrivateKeyText::read($privateKey, $passphrase)),
        };
    }

    /** Returns a second in which no equal request was signed, unless it may be shared; waits for one if it has to. */
    private function takeSecond(string $method, string $url, ?string $contentDigest, ?int $created): int
    {
        $hash = substr(hash('sha256', "$this->clientId\0$method\0$url\0$contentDigest"), 0, 32);
        if ($created !== null) {
            return $this->freeSecond($hash, $created, $created, false)
                ?? throw Target::invalid('it was signed before with the same "created"; choose a later one');
        }
        $isShared = $this->clock->nowSeconds() >= $this->strictUntil && in_array($method, self::READS, true);
        for ($waits = 0; $waits <= self::WAITS_MAX; $waits++) {
            $now = $this->clock->nowSeconds();
            $second = $this->freeSecond($hash, $now, $now + self::AHEAD_SECONDS_MAX, $isShared);
            if ($second !== null) {
                return $second;
            }
            // A clock that stands still frees no second.
            if ($waits === self::WAITS_MAX || $now === ($before ?? null)) {
                break;
            }
            $before = $now;
            usleep((int) ((1.005 - fmod(microtime(true), 1)) * 1e6));
        }
        throw new SigningException(
            SigningException::TOO_MANY_EQUAL_REQUESTS,
            'More than ' . self::AHEAD_SECONDS_MAX . ' identical requests ahead: at most one a second can be signed in '
                . 'the long run. Send fewer, or make them differ, for example by a query parameter.',
        );
    }

    private function freeSecond(string $hash, int $first, int $last, bool $isShared): ?int
    {
        if ($first < 0 || $last > HttpDate::SECONDS_MAX) {
            throw Target::invalid('"created" must be Unix seconds of a year up to 9999');
        }
        // A nonce makes every signature unique.
        if ($this->nonce) {
            return $first;
        }
        for ($second = $first; $second <= $last; $second++) {
            $isFree = $isShared
                ? $this->usedSeconds->share($hash, $second)
                : $this->usedSeconds->take($hash, $second);
            if ($isFree) {
                return $second;
            }
        }
        return null;
    }
}
