<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\SigningException;

/**
 * The used seconds of all processes that share a folder: one empty file, HASH.SECOND, for each signature.
 *
 * @internal
 */
final class SharedFolder implements UsedSeconds
{
    private const CLEAN_SECONDS = 60;
    private const CLEANED = '.cleaned';

    private function __construct(private readonly string $path, private readonly bool $isPrivate)
    {
        $this->create();
    }

    /** Opens a folder that the user names; creates it if it is missing. */
    public static function at(string $path): self
    {
        return new self(rtrim($path, '/\\') === '' ? $path : rtrim($path, '/\\'), false);
    }

    /**
     * Opens a folder of the current user in the system's temporary directory. Everybody may create files there, so it
     * must be a folder of this user's that nobody else can enter.
     */
    public static function ofCurrentUser(): self
    {
        return new self(sys_get_temp_dir() . '/countersign-' . self::userId(), true);
    }

    public function take(string $hash, int $second): bool
    {
        $file = "$this->path/$hash.$second";
        $handle = @fopen($file, 'x');
        if ($handle === false) {
            clearstatcache(true, $file);
            if (file_exists($file)) {
                return false;
            }
            // Something may have emptied the temporary directory.
            $this->create();
            $handle = @fopen($file, 'x');
        }
        if ($handle === false) {
            clearstatcache(true, $file);
            if (file_exists($file)) {
                return false;
            }
            throw self::unusable("no file can be created in $this->path");
        }
        fclose($handle);
        $this->clean();
        return true;
    }

    public function share(string $hash, int $second): bool
    {
        if ($this->take($hash, $second)) {
            return true;
        }
        // Files have whole seconds: this one is younger than one.
        return @filemtime("$this->path/$hash.$second") === time();
    }

    private function create(): void
    {
        if (!@mkdir($this->path, 0700, true)) {
            clearstatcache(true, $this->path);
            if (!is_dir($this->path)) {
                throw self::unusable("the folder $this->path cannot be created");
            }
        }
        if ($this->isPrivate && DIRECTORY_SEPARATOR === '/') {
            $this->checkPrivate();
        }
    }

    private function checkPrivate(): void
    {
        $status = @lstat($this->path);
        $isFolder = $status !== false && ($status['mode'] & 0170000) === 0040000;
        if (!$isFolder || $status['uid'] !== self::userId() || ($status['mode'] & 0777) !== 0700) {
            throw self::unusable("$this->path is not a folder of this user with mode 0700");
        }
    }

    /** Deletes old files, once a minute for all processes. */
    private function clean(): void
    {
        $now = time();
        $mark = "$this->path/" . self::CLEANED;
        clearstatcache(true, $mark);
        $cleanedAt = @filemtime($mark);
        if ($cleanedAt !== false && abs($now - $cleanedAt) < self::CLEAN_SECONDS) {
            return;
        }
        @touch($mark);
        foreach (@scandir($this->path, SCANDIR_SORT_NONE) ?: [] as $name) {
            if (preg_match('/\A[0-9a-f]{32}\.\d{1,12}\z/', $name) !== 1) {
                continue;
            }
            $changedAt = @filemtime("$this->path/$name");
            if ($changedAt !== false && $now - $changedAt > self::REMEMBER_SECONDS) {
                @unlink("$this->path/$name");
            }
        }
    }

    /** Returns the process's user; without the extension posix, by the owner of a new file. */
    private static function userId(): int
    {
        static $userId = null;
        if ($userId === null) {
            $userId = function_exists('posix_geteuid') ? posix_geteuid() : self::ownerOfNewFile();
        }
        return $userId;
    }

    private static function ownerOfNewFile(): int
    {
        $file = @tmpfile();
        if ($file === false) {
            throw self::unusable('no file can be created in ' . sys_get_temp_dir());
        }
        $owner = fstat($file)['uid'];
        fclose($file);
        return $owner;
    }

    private static function unusable(string $reason): SigningException
    {
        return new SigningException(
            SigningException::SIGNING_FAILED,
            "Signing needs a folder that this program's processes share, but $reason. Set sharedFolder to a folder "
                . 'that they can write to, or to false if only one process signs with this key.',
        );
    }
}
