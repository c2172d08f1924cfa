<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\SignedRequest;
use Countersign\Tests\Support\Fixture;
use Countersign\Tests\Support\TestServer;
use PHPUnit\Framework\TestCase;

/** What `Signer::sign()` returns, sent with PHP's own HTTP clients as the README shows. */
final class PlainClientsTest extends TestCase
{
    public function testCurlAndStreamsSendWhatIsSigned(): void
    {
        $signer = Fixture::signer();
        $targets = [
            '/',
            '/?',
            '/%7e/%c3%a9/a+b?x=[1]&y=%20',
            '/a/../b/./%2e%2e/c',
            '//a/',
            "/e!$&'()*+,;=:@|^`{}\"<>?a?b",
        ];
        $bodies = ['POST' => "\xff\x00\r\n", 'DELETE' => '{}', 'PATCH' => str_repeat('x', 1_200_000)];
        foreach ([$this->sendWithCurl(...), $this->sendWithStreams(...)] as $send) {
            $server = new TestServer();
            try {
                foreach ($targets as $target) {
                    $send($signer->sign('GET', $server->origin . $target));
                }
                foreach ($bodies as $method => $body) {
                    $send($signer->sign($method, "$server->origin/", $body));
                }
                foreach ($server->verdicts(Fixture::verifier()) as $index => $verdict) {
                    self::assertTrue($verdict->accepted, "request $index: $verdict->reason");
                }
                self::assertSame($targets, array_column(array_slice($server->requests(), 0, -3), 'target'));
            } finally {
                $server->stop();
            }
        }
    }

    private function sendWithCurl(SignedRequest $signed): void
    {
        $curl = curl_init($signed->url);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $signed->method,
            CURLOPT_HTTPHEADER => [...$signed->headerLines(), 'Content-Type: application/octet-stream'],
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_RETURNTRANSFER => true,
        ] + ($signed->body === '' ? [] : [CURLOPT_POSTFIELDS => $signed->body]));
        self::assertIsString(curl_exec($curl), curl_error($curl));
    }

    private function sendWithStreams(SignedRequest $signed): void
    {
        $context = stream_context_create(['http' => [
            'method' => $signed->method,
            'header' => [...$signed->headerLines(), 'Content-Type: application/octet-stream'],
            'content' => $signed->body,
            'follow_location' => 0,
            'ignore_errors' => true,
        ]]);
        self::assertIsString(file_get_contents($signed->url, false, $context));
    }
}
