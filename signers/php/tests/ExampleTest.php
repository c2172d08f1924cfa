<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\TestServer;
use PHPUnit\Framework\TestCase;

final class ExampleTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/countersign-test-' . bin2hex(random_bytes(8));
        mkdir("$this->folder/vendor", 0700, true);
        $bootstrap = var_export(__DIR__ . '/bootstrap.php', true);
        file_put_contents("$this->folder/vendor/autoload.php", "<?php require $bootstrap;");
        file_put_contents("$this->folder/private.pem", Fixture::privateKey());
    }

    protected function tearDown(): void
    {
        unlink("$this->folder/vendor/autoload.php");
        unlink("$this->folder/private.pem");
        rmdir("$this->folder/vendor");
        rmdir($this->folder);
    }

    public function testTheFirstRequest(): void
    {
        $server = new TestServer([['status' => 201], Fixture::refusal(403, 'permission_denied')]);
        try {
            self::assertSame("201 {\"ok\":true}\n", $this->runExample("$server->origin/v1/payments"));
            $refused = $this->runExample("$server->origin/v1/payments");
            $message = 'permission_denied: A title. What to do. (request_01m7xpht4ya6hy6swme76qzc7p)';
            self::assertSame("$message\n", $refused);
            [$verdict] = $server->verdicts(Fixture::verifier());
            self::assertTrue($verdict->accepted, $verdict->reason);
        } finally {
            $server->stop();
        }
    }

    private function runExample(string $url): string
    {
        $process = proc_open(
            [PHP_BINARY, '-d', 'error_reporting=24575', __DIR__ . '/../examples/first.php', $url],
            [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
            $this->folder,
            ['CLIENT_ID' => Fixture::CLIENT_ID] + getenv(),
        );
        $output = (string) stream_get_contents($pipes[1]);
        proc_close($process);
        return $output;
    }
}
