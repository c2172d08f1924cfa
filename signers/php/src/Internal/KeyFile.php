<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\SigningException;
use Psr\Log\LoggerInterface;
use SensitiveParameter;

/**
 * A key in a file that may be replaced while the program runs.
 *
 * @internal
 */
final class KeyFile implements SigningKey
{
    private const CHECK_NANOSECONDS = 500_000_000;

    private OpenSslKey $key;
    /** The digest of the text that `$key` came from: file times have whole seconds and would miss a quick change. */
    private string $digest = '';
    private int $checkedAt;

    public function __construct(
        private readonly string $path,
        #[SensitiveParameter] private readonly ?string $passphrase,
        private readonly ?LoggerInterface $logger = null,
    ) {
        $text = self::text($path);
        if ($text === null) {
            throw PrivateKeyText::invalid("the file $path cannot be read");
        }
        $this->load($text);
        $this->checkedAt = hrtime(true);
    }

    public function sign(string $bytes): string
    {
        if (hrtime(true) - $this->checkedAt > self::CHECK_NANOSECONDS) {
            $this->reload();
        }
        return $this->key->sign($bytes);
    }

    /** Keeps the passphrase out of var_dump() and print_r(). */
    public function __debugInfo(): array
    {
        return ['path' => $this->path];
    }

    /** The key in use stays when the file is missing or half written; the next check tries again. */
    private function reload(): void
    {
        $this->checkedAt = hrtime(true);
        $text = self::text($this->path);
        if ($text !== null && hash('sha256', $text) === $this->digest) {
            return;
        }
        try {
            $this->load($text ?? throw PrivateKeyText::invalid("the file $this->path cannot be read"));
        } catch (SigningException $error) {
            $this->logger?->warning('Still signing with the previous key, the key file is unusable: {reason}', [
                'reason' => $error->getMessage(),
            ]);
        }
    }

    private function load(#[SensitiveParameter] string $text): void
    {
        $this->key = new OpenSslKey(PrivateKeyText::read($text, $this->passphrase));
        $this->digest = hash('sha256', $text);
    }

    private static function text(string $path): ?string
    {
        // Only plain paths: PHP would also fetch "http://…" or run "phar://…".
        $text = str_contains($path, '://') ? false : @file_get_contents($path);
        return $text === false ? null : $text;
    }
}
