<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Closure;
use Countersign\RefusedException;
use Countersign\RepeatNotSignedException;
use Countersign\Signer;
use Countersign\SigningClient;
use Countersign\SigningException;
use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\TestServer;
use GuzzleHttp\Client;
use GuzzleHttp\Handler\CurlHandler;
use GuzzleHttp\Handler\StreamHandler;
use GuzzleHttp\Psr7\NoSeekStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\Utils;
use Nyholm\Psr7\Request as NyholmRequest;
use PHPUnit\Framework\TestCase;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Symfony\Component\HttpClient\CurlHttpClient;
use Symfony\Component\HttpClient\NativeHttpClient;
use Symfony\Component\HttpClient\Psr18Client;

final class SigningClientTest extends TestCase
{
    private ?TestServer $server = null;
    private ?TestServer $other = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
        $this->other?->stop();
    }

    /** @dataProvider clients */
    public function testNoRepeatOfARequestIsSignedThatTheApiMayHaveCarriedOut(Closure $open): void
    {
        $this->server = new TestServer([['status' => 503]]);
        $client = $open(Fixture::signer());
        $request = new Request('POST', "{$this->server->origin}/pay", [], 'abc');
        self::assertSame(503, $client->sendRequest($request)->getStatusCode());
        try {
            // As HTTPlug's RetryPlugin does.
            $client->sendRequest($request);
            self::fail('must throw');
        } catch (RepeatNotSignedException $error) {
            self::assertInstanceOf(ClientExceptionInterface::class, $error);
        }
        self::assertCount(1, $this->server->requests());
        // Another request is another call, and so is one that follows a success.
        $other = new Request('POST', "{$this->server->origin}/pay", [], 'abc');
        self::assertSame(200, $client->sendRequest($other)->getStatusCode());
        self::assertSame(200, $client->sendRequest($other)->getStatusCode());
    }

    public function testAReplaySaysThatTheFirstRequestMayHaveBeenAccepted(): void
    {
        $this->server = new TestServer([Fixture::refusal(401, 'signature_replayed')]);
        $this->expectException(RefusedException::class);
        $this->expectExceptionMessage('may have been accepted: look it up');
        $client = new SigningClient(Fixture::signer(), new Client());
        $client->sendRequest(new Request('POST', $this->server->origin, [], 'abc'));
    }

    /** @return array<string, array{Closure(Signer): SigningClient}> */
    public static function clients(): array
    {
        return [
            'Guzzle with cURL' => [
                static fn (Signer $signer) => new SigningClient($signer, new Client(['handler' => new CurlHandler()])),
            ],
            'Guzzle with streams' => [
                static fn (Signer $signer)
                    => new SigningClient($signer, new Client(['handler' => new StreamHandler()])),
            ],
            'Symfony with cURL' => [
                static fn (Signer $signer) => SigningClient::symfony($signer, new CurlHttpClient()),
            ],
            'Symfony with streams' => [
                static fn (Signer $signer) => SigningClient::symfony($signer, new NativeHttpClient()),
            ],
        ];
    }

    /** Guzzle's StreamHandler takes the body "0" for none. */
    public static function clientsThatSendZero(): array
    {
        return array_diff_key(self::clients(), ['Guzzle with streams' => true]);
    }

    /** @dataProvider clients */
    public function testWhatIsSentIsWhatIsSigned(Closure $make): void
    {
        $this->server = new TestServer();
        $client = $make(Fixture::signer());
        $targets = [
            '' => '/',
            '?x=1' => '/?x=1',
            '?' => '/',
            '/x?' => '/x',
            '/%7euser/%C3%A9/%c3%a9/a+b/%20?q=%7E&x=a+b&y=%2B' => '/~user/%C3%A9/%c3%a9/a+b/%20?q=~&x=a+b&y=%2B',
            '/%2d%2E%5f%30%39%41%5a%61%7A%2f%3f%23' => '/-._09AZaz%2f%3f%23',
            '//a//b/' => '//a//b/',
            '/x?a[b]=1&c%5Bd%5D=2&e=&f&&g=%25' => '/x?a%5Bb%5D=1&c%5Bd%5D=2&e=&f&&g=%25',
            '/é?ü=ß' => '/%C3%A9?%C3%BC=%C3%9F',
            '/a b?c d' => '/a%20b?c%20d',
            "/a;v=1,2/b:c@d/e!$&'()*+,=|^`{}\"<>" => "/a;v=1,2/b:c@d/e!$&'()*+,=%7C%5E%60%7B%7D%22%3C%3E",
            '/x?u=http://a/../b/./c?d/../e' => '/x?u=http://a/../b/./c%3Fd/../e',
            '/a.b/..c/.../x.' => '/a.b/..c/.../x.',
            '/x#fragment' => '/x',
        ];
        foreach (array_keys($targets) as $target) {
            $client->sendRequest(new Request('GET', $this->server->origin . $target));
        }
        foreach (['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'get', 'post'] as $method) {
            $client->sendRequest(new NyholmRequest($method, "{$this->server->origin}/$method"));
        }
        $bodies = ["\xff\x00\r\n", str_repeat('a', 70_000), str_repeat("\0\xff", 600_000), ' ', "\n"];
        foreach (['POST', 'PATCH', 'DELETE', 'GET', 'OPTIONS'] as $index => $method) {
            $client->sendRequest(new Request($method, "{$this->server->origin}/body", [], $bodies[$index]));
        }

        $requests = $this->server->requests();
        $this->assertAccepted(count($targets) + 9 + 5);
        self::assertSame(array_values($targets), array_column(array_slice($requests, 0, count($targets)), 'target'));
        self::assertSame(
            ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'GET', 'POST'],
            array_column(array_slice($requests, count($targets), 9), 'method'),
        );
        self::assertSame($bodies, array_column(array_slice($requests, -5), 'body'));
    }

    /** @dataProvider clients */
    public function testBodiesThatAreReadOnce(Closure $make): void
    {
        $this->server = new TestServer([Fixture::clockRefusal(0)]);
        $body = new NoSeekStream(Utils::streamFor('once'));
        $make(Fixture::signer())->sendRequest(new Request('POST', "{$this->server->origin}/", [], $body));
        self::assertSame(['once', 'once'], array_column($this->server->requests(), 'body'));
        $this->assertAccepted(2);
    }

    /** @dataProvider clientsThatSendZero */
    public function testABodyThatPhpTakesForFalse(Closure $make): void
    {
        $this->server = new TestServer();
        $make(Fixture::signer())->sendRequest(new Request('POST', "{$this->server->origin}/", [], '0'));
        self::assertSame(['0'], array_column($this->server->requests(), 'body'));
        $this->assertAccepted(1);
    }

    /** @dataProvider clients */
    public function testABodyIsSentFromItsBeginning(Closure $make): void
    {
        $this->server = new TestServer();
        $body = Utils::streamFor('from the beginning');
        $body->seek(5);
        $make(Fixture::signer())->sendRequest(new Request('POST', "{$this->server->origin}/", [], $body));
        self::assertSame(['from the beginning'], array_column($this->server->requests(), 'body'));
        $this->assertAccepted(1);
    }

    /** @dataProvider clients */
    public function testARefusalIsAnException(Closure $make): void
    {
        $this->server = new TestServer([Fixture::refusal(403, 'permission_denied', ['reason' => 'no role'])]);
        try {
            $make(Fixture::signer())->sendRequest(new Request('GET', "{$this->server->origin}/"));
            self::fail('must throw');
        } catch (RefusedException $error) {
            self::assertInstanceOf(ClientExceptionInterface::class, $error);
            self::assertSame('permission_denied', $error->refusal->code);
            self::assertSame(403, $error->refusal->status);
            self::assertSame('no role', $error->refusal->reason);
            self::assertStringContainsString('permission_denied', (string) $error->response->getBody());
            self::assertStringStartsWith('permission_denied: A title. no role. What to do.', $error->getMessage());
        }
        self::assertCount(1, $this->server->requests());
    }

    /** @dataProvider clients */
    public function testARefusalCanBeAResponse(Closure $make): void
    {
        $this->server = new TestServer([Fixture::refusal(403, 'permission_denied')]);
        $client = $make(Fixture::signer(['throwsRefusals' => false]));
        $response = $client->sendRequest(new Request('GET', "{$this->server->origin}/"));
        self::assertSame(403, $response->getStatusCode());
        self::assertSame('permission_denied', json_decode((string) $response->getBody(), true)['code']);
    }

    /** @dataProvider clients */
    public function testErrorsOfTheApiArePassedThrough(Closure $make): void
    {
        $problem = ['Content-Type' => 'application/problem+json'];
        $this->server = new TestServer([
            ['status' => 409, 'headers' => $problem, 'body' => '{"code":"out_of_stock"}'],
            ['status' => 500, 'body' => 'oops'],
            Fixture::refusal(429, 'rate_limited'),
            Fixture::refusal(503, 'guard_full'),
        ]);
        $client = $make(Fixture::signer());
        $response = $client->sendRequest(new Request('GET', "{$this->server->origin}/"));
        self::assertSame('{"code":"out_of_stock"}', (string) $response->getBody());
        // What retries know is left to them.
        foreach ([500, 429, 503] as $status) {
            $response = $client->sendRequest(new Request('GET', "{$this->server->origin}/"));
            self::assertSame($status, $response->getStatusCode());
        }
        self::assertStringContainsString('guard_full', (string) $response->getBody());
    }

    /** @dataProvider clients */
    public function testTheClockIsCorrectedOnce(Closure $make): void
    {
        $this->server = new TestServer([
            Fixture::clockRefusal(3600),
            ['status' => 200],
            ['status' => 200],
            Fixture::clockRefusal(-3600, 'created_in_future'),
            Fixture::clockRefusal(-3600, 'created_in_future'),
        ]);
        $client = $make(Fixture::signer());
        $send = fn () => $client->sendRequest(new Request('POST', "{$this->server->origin}/", [], 'abc'));
        self::assertSame(200, $send()->getStatusCode());
        self::assertSame(200, $send()->getStatusCode());
        $created = $this->createdTimes();
        self::assertCount(3, $created);
        self::assertEqualsWithDelta($created[0] + 3600, $created[1], 60);
        self::assertEqualsWithDelta($created[0] + 3600, $created[2], 60, 'the correction lasts');

        try {
            $send();
            self::fail('must throw');
        } catch (RefusedException $error) {
            self::assertSame('created_in_future', $error->refusal->code);
        }
        self::assertCount(5, $this->server->requests(), 'sent once more, not twice');
    }

    /** @dataProvider clients */
    public function testHeadIsRepairedByTheHeadersOfItsRefusal(Closure $make): void
    {
        $refusal = Fixture::refusal(401, 'created_expired');
        $refusal['headers']['Date'] = gmdate('D, d M Y H:i:s', time() + 3600) . ' GMT';
        $refusal['body'] = '';
        $this->server = new TestServer([$refusal, ['body' => ''] + Fixture::refusal(401, 'signature_replayed')]);
        $client = $make(Fixture::signer());
        $response = $client->sendRequest(new Request('HEAD', "{$this->server->origin}/"));
        self::assertSame(200, $response->getStatusCode());
        $created = $this->createdTimes();
        self::assertCount(3, $created);
        self::assertEqualsWithDelta($created[0] + 3600, $created[1], 60);
        self::assertGreaterThan($created[1], $created[2]);
    }

    /** @dataProvider clients */
    public function testNoTimeIsTakenFromTheApi(Closure $make): void
    {
        $own = Fixture::refusal(409, 'created_expired', [
            'type' => 'https://shop.example/problems#created_expired',
            'serverTime' => gmdate('Y-m-d\TH:i:s', time() + 3600) . '.000Z',
        ]);
        $this->server = new TestServer([$own]);
        $client = $make(Fixture::signer());
        $send = fn () => $client->sendRequest(new Request('POST', "{$this->server->origin}/", [], 'abc'));
        self::assertSame(409, $send()->getStatusCode());
        self::assertCount(1, $this->server->requests());
        $send();
        $created = $this->createdTimes();
        self::assertEqualsWithDelta($created[0], $created[1], 60);
    }

    public function testARequestThatIsSentInTwoCallsHasTwoIdempotencyKeys(): void
    {
        $this->server = new TestServer();
        $client = new SigningClient(Fixture::signer(['idempotencyKeys' => true]), new Client());
        $request = new Request('POST', $this->server->origin, [], 'abc');
        $client->sendRequest($request);
        $client->sendRequest($request);
        [$first, $second] = $this->server->requests();
        self::assertNotSame($first['headers']['idempotency-key'], $second['headers']['idempotency-key']);
    }

    /** @dataProvider clients */
    public function testNoTimeIsTakenFromOtherRefusals(Closure $make): void
    {
        $this->server = new TestServer([
            Fixture::clockRefusal(3600, 'signature_invalid'),
            Fixture::clockRefusal(86_400 + 3600),
        ]);
        $client = $make(Fixture::signer(['throwsRefusals' => false]));
        foreach ([1, 2] as $count) {
            $client->sendRequest(new Request('GET', "{$this->server->origin}/"));
            self::assertCount($count, $this->server->requests());
        }
    }

    /** @dataProvider clients */
    public function testRedirectsAreNotFollowed(Closure $make): void
    {
        $this->other = new TestServer();
        foreach ([301, 302, 303, 307, 308] as $status) {
            $this->server?->stop();
            $this->server = new TestServer([['status' => $status, 'headers' => ['Location' => $this->other->origin]]]);
            $response = $make(Fixture::signer())->sendRequest(new Request('GET', "{$this->server->origin}/"));
            self::assertSame($status, $response->getStatusCode());
        }
        self::assertSame([], $this->other->requests());
    }

    public function testEveryAttemptIsSignedAgain(): void
    {
        $this->server = new TestServer([['status' => 503], ['status' => 503]]);
        $client = new SigningClient(Fixture::signer(), new Client());
        $request = new Request('POST', "{$this->server->origin}/", ['Idempotency-Key' => 'one'], 'abc');
        for ($attempt = 0; $attempt < 3; $attempt++) {
            $client->sendRequest($request);
        }
        $this->assertAccepted(3);
        self::assertFalse($request->hasHeader('Signature'), 'the request of the caller stays as it is');
    }

    public function testOldSignaturesAreReplaced(): void
    {
        $this->server = new TestServer();
        $headers = [
            'signature' => 'sig=:AAAA:',
            'Signature-Input' => ['sig=()', 'b=()'],
            'date' => 'yesterday',
            'content-digest' => 'sha-256=:AAAA:',
        ];
        $client = new SigningClient(Fixture::signer(), new Client());
        $client->sendRequest(new Request('POST', "{$this->server->origin}/", $headers, 'abc'));
        $client->sendRequest(new Request('GET', "{$this->server->origin}/", $headers));
        $this->assertAccepted(2);
        self::assertArrayNotHasKey('content-digest', $this->server->requests()[1]['headers']);
    }

    public function testSymfonysClientIsGivenWithoutRedirects(): void
    {
        if (method_exists(Psr18Client::class, 'withOptions')) {
            $this->other = new TestServer();
            $this->server = new TestServer([['status' => 302, 'headers' => ['Location' => $this->other->origin]]]);
            $client = new SigningClient(Fixture::signer(), new Psr18Client());
            self::assertSame(302, $client->sendRequest(new Request('GET', $this->server->origin))->getStatusCode());
            self::assertSame([], $this->other->requests());
            return;
        }
        $this->expectExceptionMessage('SigningClient::symfony()');
        new SigningClient(Fixture::signer(), new Psr18Client());
    }

    /** @dataProvider invalidRequests */
    public function testNothingIsSentThatWouldChangeOnTheWay(RequestInterface $request, string $says): void
    {
        $this->expectSigningError('request_invalid', $request, $says, self::silent());
    }

    public static function invalidRequests(): array
    {
        $get = static fn (string $url, array $headers = []): Request => new Request('GET', $url, $headers);
        $unreadable = Utils::streamFor(fopen('php://output', 'w'));
        return [
            'dot segments' => [$get('https://api.example.com/a/../b'), 'segments'],
            'a dot at the end' => [$get('https://api.example.com/a/.'), 'segments'],
            'encoded dot segments' => [$get('https://api.example.com/a/%2E%2e/b'), 'segments'],
            'half encoded' => [$get('https://api.example.com/a/.%2e/b'), 'segments'],
            'a password' => [$get('https://user:secret@api.example.com/'), 'user name'],
            'another Host' => [$get('https://api.example.com/', ['Host' => 'other.example.com']), 'Host header'],
            'another port' => [$get('https://api.example.com/', ['Host' => 'api.example.com:8443']), 'Host header'],
            'another target' => [$get('https://api.example.com/')->withRequestTarget('/x'), 'request target'],
            'no scheme' => [$get('/v1/payments'), 'must begin with'],
            'no body to read' => [new Request('POST', 'https://api.example.com/', [], $unreadable), 'cannot be read'],
        ];
    }

    public function testWhatSymfonyCannotSend(): void
    {
        $client = SigningClient::symfony(Fixture::signer(), new NativeHttpClient());
        $url = 'http://127.0.0.1:9/';
        $this->expectSigningError('request_invalid', new Request('M-SEARCH', $url), 'methods of letters', $client);
        $this->expectSigningError('request_invalid', new Request('HEAD', $url, [], 'x'), 'HEAD', $client);
    }

    public function testLargeBodies(): void
    {
        $signer = Fixture::signer(['bodyBytesMax' => 4]);
        $client = self::silent($signer);
        $url = 'https://api.example.com/';
        $unsized = static fn (string $text) => new NoSeekStream(Utils::streamFor(self::pump($text)));
        foreach ([Utils::streamFor('12345'), $unsized('12345'), $unsized(str_repeat('x', 100_000))] as $body) {
            $this->expectSigningError('body_too_large', new Request('POST', $url, [], $body), 'more than 4', $client);
        }
        foreach ([Utils::streamFor('1234'), $unsized('1234')] as $body) {
            self::assertSame(200, $client->sendRequest(new Request('POST', $url, [], $body))->getStatusCode());
        }
    }

    private function assertAccepted(int $count): void
    {
        $verdicts = $this->server?->verdicts(Fixture::verifier()) ?? [];
        self::assertCount($count, $verdicts);
        foreach ($verdicts as $index => $verdict) {
            self::assertTrue($verdict->accepted, "request $index: $verdict->code: $verdict->reason");
        }
    }

    private function expectSigningError(
        string $code,
        RequestInterface $request,
        string $says,
        SigningClient $client,
    ): void {
        try {
            $client->sendRequest($request);
        } catch (SigningException $error) {
            self::assertSame($code, $error->errorCode, $error->getMessage());
            self::assertStringContainsString($says, $error->getMessage());
            self::assertStringNotContainsString('secret', $error->getMessage());
            return;
        }
        self::fail("must throw $code");
    }

    /** @return list<int> */
    private function createdTimes(): array
    {
        return array_map(static function (array $request): int {
            preg_match('/;created=(\d+);/', $request['headers']['signature-input'][0], $match);
            return (int) $match[1];
        }, $this->server?->requests() ?? []);
    }

    /** Returns a client that answers by itself. */
    private static function silent(?Signer $signer = null): SigningClient
    {
        return new SigningClient($signer ?? Fixture::signer(), new class () implements ClientInterface {
            public function sendRequest(RequestInterface $request): ResponseInterface
            {
                return new Response(200);
            }
        });
    }

    /** @return iterable<string> */
    private static function pump(string $text): iterable
    {
        yield from str_split($text, 3);
    }
}
