<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\SigningException;
use Countersign\Tests\Support\Fixture;
use PHPUnit\Framework\TestCase;

final class SharedFolderTest extends TestCase
{
    private const NOW = 1_775_505_115;
    private const URL = 'https://api.example.com/v1/payments';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/countersign-test-' . bin2hex(random_bytes(8));
        mkdir($this->folder, 0700);
    }

    protected function tearDown(): void
    {
        self::remove($this->folder);
    }

    public function testOneFileStandsForEachSignature(): void
    {
        $signer = $this->signer("$this->folder/new/seconds/");
        $signer->sign('DELETE', self::URL);
        $signer->sign('DELETE', self::URL);
        $signer->sign('POST', self::URL, '{}');
        $digest = 'sha-256=:' . base64_encode(hash('sha256', '{}', true)) . ':';
        $hashes = [
            hash('sha256', Fixture::CLIENT_ID . "\0DELETE\0" . self::URL . "\0"),
            hash('sha256', Fixture::CLIENT_ID . "\0POST\0" . self::URL . "\0$digest"),
        ];
        $expected = [
            substr($hashes[0], 0, 32) . '.' . self::NOW,
            substr($hashes[0], 0, 32) . '.' . self::NOW + 1,
            substr($hashes[1], 0, 32) . '.' . self::NOW,
        ];
        sort($expected);
        self::assertSame($expected, self::secondsIn("$this->folder/new/seconds"));
        self::assertSame(0700, fileperms("$this->folder/new/seconds") & 0777);
    }

    public function testTwoSignersShareIt(): void
    {
        self::assertSame(self::NOW, $this->signer($this->folder)->sign('DELETE', self::URL)->created);
        self::assertSame(self::NOW + 1, $this->signer($this->folder)->sign('DELETE', self::URL)->created);
    }

    public function testFourProcessesNeverSignTheSame(): void
    {
        $outputs = $this->runProcesses(4, 7, ['TMPDIR' => $this->folder]);
        self::assertCount(28, $outputs);
        self::assertCount(28, array_unique($outputs));
        $private = glob("$this->folder/countersign-*") ?: [];
        self::assertCount(1, $private);
        self::assertSame(0700, fileperms($private[0]) & 0777);
        self::assertCount(28, self::secondsIn($private[0]));
    }

    public function testTheDefaultFolderMustBelongToTheUserAlone(): void
    {
        $this->runProcesses(1, 1, ['TMPDIR' => $this->folder]);
        $path = (glob("$this->folder/countersign-*") ?: [''])[0];

        chmod($path, 0770);
        self::assertStringContainsString('mode 0700', $this->runProcesses(1, 1, ['TMPDIR' => $this->folder])[0]);

        rename($path, "$this->folder/elsewhere");
        chmod("$this->folder/elsewhere", 0700);
        symlink("$this->folder/elsewhere", $path);
        self::assertStringContainsString('mode 0700', $this->runProcesses(1, 1, ['TMPDIR' => $this->folder])[0]);
        unlink($path);

        touch($path);
        self::assertStringContainsString('signing_failed', $this->runProcesses(1, 1, ['TMPDIR' => $this->folder])[0]);
        unlink($path);

        if (function_exists('posix_geteuid') && posix_geteuid() === 0) {
            mkdir($path, 0700);
            chown($path, 65534);
            self::assertStringContainsString('mode 0700', $this->runProcesses(1, 1, ['TMPDIR' => $this->folder])[0]);
        }
    }

    public function testOldFilesAreDeletedAndOthersStay(): void
    {
        $hash = str_repeat('a', 32);
        foreach (["$hash.1" => 421, "$hash.2" => 419, "$hash" => 1000, 'notes.txt' => 1000] as $name => $age) {
            touch("$this->folder/$name", time() - $age);
        }
        $this->signer($this->folder)->sign('DELETE', self::URL);
        self::assertFileDoesNotExist("$this->folder/$hash.1");
        foreach (["$hash.2", $hash, 'notes.txt'] as $name) {
            self::assertFileExists("$this->folder/$name");
        }
    }

    public function testAFolderThatDisappearsIsCreatedAgain(): void
    {
        $signer = $this->signer("$this->folder/seconds");
        $signer->sign('DELETE', self::URL);
        self::remove("$this->folder/seconds");
        self::assertSame(self::NOW, $signer->sign('DELETE', self::URL)->created);
        self::assertCount(1, self::secondsIn("$this->folder/seconds"));
    }

    public function testAFolderThatCannotBeUsed(): void
    {
        touch("$this->folder/file");
        try {
            $this->signer("$this->folder/file/seconds");
            self::fail('must throw');
        } catch (SigningException $error) {
            self::assertSame('signing_failed', $error->errorCode);
            self::assertStringContainsString('Set sharedFolder', $error->getMessage());
        }
    }

    private function signer(string $folder): \Countersign\Signer
    {
        return Fixture::signer(['sharedFolder' => $folder, 'now' => static fn (): int => self::NOW]);
    }

    /** @return list<string> what processes print that sign equal requests at the same time: signatures, or an error */
    private function runProcesses(int $processes, int $requests, array $environment): array
    {
        $running = [];
        for ($count = 0; $count < $processes; $count++) {
            $process = proc_open(
                [PHP_BINARY, __DIR__ . '/programs/sign.php', (string) $requests],
                [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR],
                $pipes,
                null,
                $environment + getenv(),
            );
            $running[] = [$process, $pipes[1]];
        }
        $lines = [];
        foreach ($running as [$process, $output]) {
            array_push($lines, ...explode("\n", trim((string) stream_get_contents($output))));
            proc_close($process);
        }
        return $lines;
    }

    /** @return list<string> */
    private static function secondsIn(string $folder): array
    {
        return array_values(array_filter(scandir($folder) ?: [], static fn (string $name) => $name[0] !== '.'));
    }

    private static function remove(string $path): void
    {
        if (is_dir($path) && !is_link($path)) {
            foreach (array_diff(scandir($path) ?: [], ['.', '..']) as $name) {
                self::remove("$path/$name");
            }
            rmdir($path);
        } else {
            unlink($path);
        }
    }
}
