<?php

declare(strict_types=1);

namespace Countersign\Tests\Support;

use Countersign\Verdict;
use Countersign\Verifier;
use RuntimeException;

/** A local HTTP server, in a process of its own, that gives prepared answers and records the bytes it receives. */
final class TestServer
{
    public readonly string $origin;
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private readonly string $log;

    /** @param list<array{status: int, headers?: array<string, string>, body?: string}> $answers then 200 for the rest */
    public function __construct(array $answers = [])
    {
        $this->log = (string) tempnam(sys_get_temp_dir(), 'countersign-test-');
        $process = proc_open(
            [PHP_BINARY, __DIR__ . '/../programs/server.php', $this->log, json_encode($answers, JSON_THROW_ON_ERROR)],
            [['pipe', 'r'], ['pipe', 'w'], STDERR],
            $this->pipes,
        );
        if ($process === false) {
            throw new RuntimeException('The test server cannot be started.');
        }
        $this->process = $process;
        $this->origin = 'http://127.0.0.1:' . trim((string) fgets($this->pipes[1]));
    }

    /** @return list<array{line: string, method: string, target: string, headers: array<string, list<string>>, body: string}> */
    public function requests(): array
    {
        $requests = [];
        foreach (file($this->log, FILE_IGNORE_NEW_LINES) ?: [] as $line) {
            $request = json_decode($line, true, 16, JSON_THROW_ON_ERROR);
            $request['line'] = base64_decode($request['line'], true);
            $request['body'] = base64_decode($request['body'], true);
            [$request['method'], $request['target']] = explode(' ', $request['line']);
            $requests[] = $request;
        }
        return $requests;
    }

    /** @return list<Verdict> what a service would say about the requests, in order */
    public function verdicts(Verifier $verifier): array
    {
        return array_map(
            fn (array $request): Verdict => $verifier->verify(
                $request['method'],
                "http://{$request['headers']['host'][0]}{$request['target']}",
                $request['headers'],
                $request['body'],
            ),
            $this->requests(),
        );
    }

    public function stop(): void
    {
        // The server ends with its standard input.
        fclose($this->pipes[0]);
        fclose($this->pipes[1]);
        proc_close($this->process);
        unlink($this->log);
    }
}
