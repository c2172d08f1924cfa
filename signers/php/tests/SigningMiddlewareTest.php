<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\Guzzle\SigningMiddleware;
use Countersign\Internal\Attempts;
use Countersign\Refusal;
use Countersign\RefusedException;
use Countersign\RepeatNotSignedException;
use Countersign\SigningException;
use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\TestServer;
use GuzzleHttp\Client;
use GuzzleHttp\Exception\ClientException;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Handler\CurlHandler;
use GuzzleHttp\Handler\StreamHandler;
use GuzzleHttp\Middleware;
use GuzzleHttp\Pool;
use GuzzleHttp\Psr7\Request;
use PHPUnit\Framework\TestCase;

final class SigningMiddlewareTest extends TestCase
{
    private ?TestServer $server = null;
    private ?TestServer $other = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
        $this->other?->stop();
    }

    public static function handlers(): array
    {
        return ['cURL' => [new CurlHandler()], 'streams' => [new StreamHandler()], 'Guzzle\'s choice' => [null]];
    }

    /** @dataProvider handlers */
    public function testWhatIsSentIsWhatIsSigned(?callable $handler): void
    {
        $client = $this->client(handler: $handler);
        $targets = [
            '' => '/',
            '/%7euser/%c3%a9/a+b/%20?q=%7E&y=%2B' => '/%7euser/%c3%a9/a+b/%20?q=%7E&y=%2B',
            '/x?a[b]=1&c%5Bd%5D=2&e=&f&&g=%25' => '/x?a%5Bb%5D=1&c%5Bd%5D=2&e=&f&&g=%25',
            '/é?ü=ß' => '/%C3%A9?%C3%BC=%C3%9F',
            '/x?u=a?b' => '/x?u=a?b',
            '//a//b/' => '//a//b/',
        ];
        foreach (array_keys($targets) as $target) {
            $client->get($this->server?->origin . $target);
        }
        $client->get('/query', ['query' => ['b' => 'x y', 'a' => ['ä', '~']]]);
        $client->post('/json', ['json' => ['amount' => 1250]]);
        $client->post('/form', ['form_params' => ['a' => 'b c']]);
        $client->post('/multipart', ['multipart' => [['name' => 'file', 'contents' => str_repeat('x', 70_000)]]]);
        $client->put('/large', ['body' => random_bytes(1_200_000)]);
        $client->patch('/stream', ['body' => fopen('php://memory', 'r+')]);
        $client->post('/pump', ['body' => self::pump()]);
        $client->delete('/delete', ['body' => '{}']);
        $client->request('purge', '/lower');
        $client->head('/head', ['body' => 'x']);

        $requests = $this->server?->requests() ?? [];
        $this->assertAccepted(count($targets) + 10);
        $expected = [...array_values($targets), '/query?b=x%20y&a%5B0%5D=%C3%A4&a%5B1%5D=~'];
        self::assertSame($expected, array_column(array_slice($requests, 0, count($expected)), 'target'));
        self::assertSame('pumped', $requests[count($targets) + 6]['body']);
    }

    public function testManyEqualRequestsAtOnce(): void
    {
        $client = $this->client();
        $requests = array_fill(0, 20, new Request('POST', "{$this->server?->origin}/", [], '{}'));
        $statuses = [];
        (new Pool($client, $requests, [
            'concurrency' => 20,
            'fulfilled' => static function ($response) use (&$statuses): void {
                $statuses[] = $response->getStatusCode();
            },
        ]))->promise()->wait();
        self::assertSame(array_fill(0, 20, 200), $statuses);
        $this->assertAccepted(20);
    }

    public function testRetriesThatArePushedLaterAreSignedAgain(): void
    {
        $this->server = new TestServer([['status' => 503], ['status' => 503]]);
        $stack = SigningMiddleware::stack(Fixture::signer());
        $stack->push(Middleware::retry(
            static fn (int $retries, $request, $response) => $retries < 5 && $response?->getStatusCode() === 503,
            static fn () => 0,
        ));
        $client = new Client(['handler' => $stack]);
        self::assertSame(200, $client->post($this->server->origin, [
            'body' => 'abc',
            'headers' => ['Idempotency-Key' => 'one'],
        ])->getStatusCode());
        $this->assertAccepted(3);
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function answersThatProveNothing(): array
    {
        return [
            'lost' => [['status' => 0]],
            'status 503' => [['status' => 503]],
            'lost behind the gateway' => [Fixture::refusal(504, 'upstream_timeout')],
            'replayed' => [Fixture::refusal(401, 'signature_replayed')],
        ];
    }

    /** @dataProvider answersThatProveNothing */
    public function testNoRepeatIsSignedThatTheApiMayHaveCarriedOut(array $answer): void
    {
        foreach (['POST', 'PATCH', 'REPORT'] as $method) {
            $this->server?->stop();
            $this->server = new TestServer([$answer, $answer, $answer]);
            try {
                $this->retrying()->request($method, $this->server->origin, ['body' => 'abc']);
                self::fail('must throw');
            } catch (RepeatNotSignedException $error) {
                self::assertSame('repeat_not_signed', $error->errorCode);
                self::assertStringStartsWith("This $method was sent once already", $error->getMessage());
            }
            $this->assertAccepted(1);
        }
    }

    public function testABareMiddlewareSignsNoRepeatEither(): void
    {
        $this->server = new TestServer([['status' => 503]]);
        $stack = HandlerStack::create();
        $stack->push(self::retries());
        $stack->push(new SigningMiddleware(Fixture::signer()));
        try {
            (new Client(['handler' => $stack]))->post($this->server->origin);
            self::fail('must throw');
        } catch (RepeatNotSignedException) {
            $this->assertAccepted(1);
        }
    }

    public function testNoRepeatIsSignedWithAnotherIdempotencyKey(): void
    {
        foreach ([['one', 'two'], ['', 'two'], ['one', '']] as $keys) {
            $this->server?->stop();
            $this->server = new TestServer([['status' => 503]]);
            $stack = SigningMiddleware::stack(Fixture::signer());
            $stack->push(static fn (callable $next) => static function ($request, $options) use ($next, $keys) {
                $send = static fn (string $key) => $next($request->withHeader('Idempotency-Key', $key), $options);
                return $send($keys[0])->then(static fn () => $send($keys[1]));
            });
            try {
                (new Client(['handler' => $stack]))->post($this->server->origin, ['body' => 'abc']);
                self::fail('must throw');
            } catch (RepeatNotSignedException) {
                $this->assertAccepted(1);
            }
        }
    }

    public function testNoPaymentIsSignedAgainAfterARedirect(): void
    {
        foreach ([302, 303, 307] as $status) {
            $attempts = new Attempts();
            $payment = new Request('POST', 'https://api.example.com/pay');
            $attempts->begin($payment);
            $following = new Request($status === 307 ? 'POST' : 'GET', 'https://api.example.com/done');
            $attempts->begin($following);
            $attempts->answered($following, self::rateLimited());
            try {
                $attempts->begin($payment);
                self::fail('must throw');
            } catch (RepeatNotSignedException $error) {
                self::assertSame('repeat_not_signed', $error->errorCode);
            }
        }
    }

    public function testARefusalClearsOnlyTheAttemptThatItAnswers(): void
    {
        $attempts = new Attempts();
        $request = new Request('POST', 'https://api.example.com/pay', ['Idempotency-Key' => 'one']);
        $attempts->begin($request);
        $attempts->begin($request);
        $attempts->answered($request, self::rateLimited());
        $this->expectException(RepeatNotSignedException::class);
        $attempts->begin($request->withHeader('Idempotency-Key', 'two'));
    }

    private static function rateLimited(): ?Refusal
    {
        $answer = Fixture::refusal(429, 'rate_limited');
        return Refusal::read($answer['status'], $answer['headers']['Content-Type'], $answer['body']);
    }

    public function testARepeatIsSignedThatIsSafe(): void
    {
        $lost = ['status' => 0];
        $cases = [
            'a key' => ['POST', $lost, ['Idempotency-Key' => 'one'], []],
            'a key of ours' => ['POST', $lost, [], ['idempotencyKeys' => true]],
            'a refusal' => ['POST', Fixture::refusal(503, 'guard_full'), [], []],
            'an idempotent method' => ['PUT', $lost, [], []],
        ];
        foreach ($cases as $name => [$method, $answer, $headers, $options]) {
            $this->server?->stop();
            $this->server = new TestServer([$answer, $answer]);
            $this->retrying($options)->request($method, $this->server->origin, ['headers' => $headers]);
            $this->assertAccepted(3);
            $keys = array_map(
                static fn (array $request): string => $request['headers']['idempotency-key'][0] ?? '',
                $this->server->requests(),
            );
            self::assertCount(1, array_unique($keys), $name);
            self::assertSame(['a key' => 3, 'a key of ours' => 36][$name] ?? 0, strlen($keys[0]), $name);
        }
    }

    public function testARepeatIsSignedOfWhatWasNotSent(): void
    {
        $this->server = new TestServer();
        $this->server->stop();
        $origin = $this->server->origin;
        $this->server = null;
        $this->expectException(ConnectException::class);
        $this->retrying()->post($origin, ['body' => 'abc']);
    }

    public function testARedirectToTheSameOriginIsSignedAgain(): void
    {
        foreach ([[302, 'GET', ''], [307, 'POST', 'abc']] as [$status, $method, $body]) {
            $this->server?->stop();
            $this->server = new TestServer([['status' => $status, 'headers' => ['Location' => '/there?x=1']]]);
            $this->client(start: false)->post('/here', ['body' => 'abc']);
            $this->assertAccepted(2);
            ['method' => $sent, 'target' => $target, 'body' => $bytes] = $this->server->requests()[1];
            self::assertSame([$method, '/there?x=1', $body], [$sent, $target, $bytes]);
        }
    }

    public function testNoSignatureLeavesItsOrigin(): void
    {
        foreach ([302, 307] as $status) {
            $this->server?->stop();
            $this->other?->stop();
            $this->other = new TestServer();
            $location = ['Location' => "{$this->other->origin}/elsewhere"];
            $this->server = new TestServer([['status' => $status, 'headers' => $location]]);
            $this->client(start: false)->post('/here', ['body' => 'abc']);
            $this->assertAccepted(1);
            [$request] = $this->other->requests();
            foreach (['signature', 'signature-input', 'content-digest', 'date'] as $name) {
                self::assertArrayNotHasKey($name, $request['headers']);
            }
        }
    }

    public function testAnAddedMiddlewareKnowsTheOriginToo(): void
    {
        $this->other = new TestServer();
        $this->server = new TestServer([['status' => 302, 'headers' => ['Location' => $this->other->origin]]]);
        $stack = HandlerStack::create();
        SigningMiddleware::addTo($stack, Fixture::signer());
        (new Client(['handler' => $stack]))->get($this->server->origin);
        $this->assertAccepted(1);
        self::assertArrayNotHasKey('signature', $this->other->requests()[0]['headers']);
    }

    public function testABareMiddlewareFollowsNoRedirects(): void
    {
        $this->server = new TestServer([['status' => 302, 'headers' => ['Location' => '/there']]]);
        $stack = HandlerStack::create();
        $stack->push(new SigningMiddleware(Fixture::signer()));
        try {
            (new Client(['handler' => $stack]))->get($this->server->origin);
            self::fail('must throw');
        } catch (SigningException $error) {
            self::assertSame('request_invalid', $error->errorCode);
            self::assertStringContainsString('SigningMiddleware::stack()', $error->getMessage());
        }
        $this->assertAccepted(1);
    }

    public function testTheClockIsCorrectedOnce(): void
    {
        $refusal = Fixture::clockRefusal(3600);
        $this->server = new TestServer([$refusal, ['status' => 200], $refusal, $refusal]);
        $client = $this->client(start: false);
        self::assertSame(200, $client->post('/', ['body' => 'abc'])->getStatusCode());
        try {
            $client->post('/', ['body' => 'abc', 'stream' => true]);
            self::fail('must throw');
        } catch (RefusedException $error) {
            self::assertSame('created_expired', $error->refusal->code);
            self::assertStringContainsString('created_expired', (string) $error->response->getBody());
        }
        self::assertSame(['abc', 'abc', 'abc', 'abc'], array_column($this->server->requests(), 'body'));
    }

    public function testRefusals(): void
    {
        $refusal = Fixture::refusal(403, 'permission_denied');
        $own = ['status' => 404, 'body' => 'no such thing'];
        $this->server = new TestServer([$refusal, $refusal, $own, $refusal]);
        $client = $this->client(start: false);

        $rejected = $client->getAsync('/')->then(null, static fn ($reason) => $reason)->wait();
        self::assertInstanceOf(RefusedException::class, $rejected);
        self::assertSame('permission_denied', $rejected->refusal->code);
        try {
            $client->get('/');
            self::fail('must throw');
        } catch (RefusedException $error) {
            self::assertSame(403, $error->response->getStatusCode());
        }
        try {
            $client->get('/');
            self::fail('must throw');
        } catch (ClientException $error) {
            self::assertSame('no such thing', (string) $error->getResponse()->getBody());
        }

        $quiet = $this->client(['throwsRefusals' => false], start: false);
        $response = $quiet->get('/', ['http_errors' => false]);
        self::assertSame(403, $response->getStatusCode());
        self::assertStringContainsString('permission_denied', (string) $response->getBody());
    }

    public function testWhatCannotBeSignedIsNotSent(): void
    {
        $this->server = new TestServer();
        $client = new Client(['handler' => SigningMiddleware::stack(Fixture::signer())]);
        foreach (["{$this->server->origin}/a/../b", 'http://user:secret@127.0.0.1/'] as $url) {
            try {
                $client->get($url);
                self::fail('must throw');
            } catch (SigningException $error) {
                self::assertSame('request_invalid', $error->errorCode);
            }
        }
        self::assertSame([], $this->server->requests());

        // Guzzle resolves dot segments itself where it has a base URI.
        $this->client(start: false)->get('/a/../b');
        self::assertSame(['/b'], array_column($this->server->requests(), 'target'));
    }

    /** @param array<string, mixed> $options of the signer */
    private function retrying(array $options = []): Client
    {
        $stack = SigningMiddleware::stack(Fixture::signer($options));
        $stack->push(self::retries());
        return new Client(['handler' => $stack]);
    }

    /** Repeats whatever fails. */
    private static function retries(): callable
    {
        return Middleware::retry(
            static fn (int $retries, $request, $response) => $retries < 3 && $response?->getStatusCode() !== 200,
            static fn () => 0,
        );
    }

    /** @param array<string, mixed> $options of the signer */
    private function client(array $options = [], ?callable $handler = null, bool $start = true): Client
    {
        if ($start) {
            $this->server = new TestServer();
        }
        return new Client([
            'base_uri' => $this->server?->origin,
            'handler' => SigningMiddleware::stack(Fixture::signer($options), $handler),
        ]);
    }

    private function assertAccepted(int $count): void
    {
        $verdicts = $this->server?->verdicts(Fixture::verifier()) ?? [];
        self::assertCount($count, $verdicts);
        foreach ($verdicts as $index => $verdict) {
            self::assertTrue($verdict->accepted, "request $index: $verdict->code: $verdict->reason");
        }
    }

    /** @return iterable<string> */
    private static function pump(): iterable
    {
        yield 'pum';
        yield 'ped';
    }
}
