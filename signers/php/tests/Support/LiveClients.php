<?php

declare(strict_types=1);

namespace Countersign\Tests\Support;

use Countersign\Guzzle\SigningMiddleware;
use Countersign\Refusal;
use Countersign\RefusedException;
use Countersign\SignedRequest;
use Countersign\Signer;
use Countersign\SigningClient;
use Countersign\SigningException;
use GuzzleHttp\Client;
use GuzzleHttp\Psr7\PumpStream;
use GuzzleHttp\Psr7\Request;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;
use RuntimeException;
use Symfony\Component\HttpClient\CurlHttpClient;
use Symfony\Component\HttpClient\NativeHttpClient;
use Throwable;

/** Sends requests to a running service through every HTTP client, each set up as the README shows. */
final class LiveClients
{
    public const NAMES = ['guzzle', 'guzzle-psr18', 'symfony', 'symfony-native', 'curl', 'streams'];

    private const TIMEOUT_SECONDS = 60;

    private readonly Signer $signer;
    private readonly Client $guzzle;
    /** @var array<string, SigningClient> */
    private array $psr18 = [];

    public function __construct(string $clientId, string $privateKeyFile)
    {
        $this->signer = new Signer(clientId: $clientId, privateKeyFile: $privateKeyFile);
        $this->guzzle = new Client(['handler' => SigningMiddleware::stack($this->signer), 'http_errors' => false]);
    }

    /** Returns a client with this time-out, a setting of the whole client in PSR-18. */
    private function psr18(string $client, float $seconds): SigningClient
    {
        return $this->psr18["$client $seconds"] ??= match ($client) {
            'guzzle-psr18' => new SigningClient($this->signer, new Client(['timeout' => $seconds])),
            'symfony' => SigningClient::symfony($this->signer, new CurlHttpClient(['timeout' => $seconds])),
            'symfony-native' => SigningClient::symfony($this->signer, new NativeHttpClient(['timeout' => $seconds])),
        };
    }

    /** @return array{id: int|string, status?: int, code?: ?string, body?: string, error?: string, message?: string} */
    public function send(array $line): array
    {
        ['id' => $id, 'client' => $client, 'method' => $method, 'url' => $url] = $line;
        $headers = [];
        foreach ($line['headers'] ?? [] as [$name, $value]) {
            $headers[$name][] = $value;
        }
        $body = (string) base64_decode($line['body'] ?? '', true);
        $content = isset($line['isStream']) ? self::streamOf($body) : $body;
        $seconds = ($line['timeoutMs'] ?? self::TIMEOUT_SECONDS * 1000) / 1000;
        try {
            [$status, $code, $answer] = match ($client) {
                'guzzle' => self::result(
                    $this->guzzle->request(
                        $method,
                        $url,
                        ['headers' => $headers, 'body' => $content, 'timeout' => $seconds],
                    ),
                ),
                'curl' => $this->plain($method, $url, $headers, $body, self::curl(...), $seconds),
                'streams' => $this->plain($method, $url, $headers, $body, self::streams(...), $seconds),
                default => self::result(
                    $this->psr18($client, $seconds)->sendRequest(new Request($method, $url, $headers, $content)),
                ),
            };
            return ['id' => $id, 'status' => $status, 'code' => $code, 'body' => base64_encode($answer)];
        } catch (RefusedException $error) {
            $answer = base64_encode((string) $error->response->getBody());
            $refusal = $error->refusal;
            return ['id' => $id, 'status' => $refusal->status, 'code' => $refusal->code, 'body' => $answer];
        } catch (SigningException $error) {
            return ['id' => $id, 'error' => $error->errorCode, 'message' => $error->getMessage()];
        } catch (Throwable $error) {
            return ['id' => $id, 'error' => $error::class, 'message' => $error->getMessage()];
        }
    }

    /** Returns a stream whose length nobody knows. */
    private static function streamOf(string $body): StreamInterface
    {
        return new PumpStream(function () use (&$body): string|false {
            [$piece, $body] = [$body, ''];
            return $piece === '' ? false : $piece;
        });
    }

    /** @return array{int, ?string, string} */
    private static function result(ResponseInterface $response): array
    {
        return [$response->getStatusCode(), null, (string) $response->getBody()];
    }

    /**
     * Signs with the plain function, and repeats once when the clock was wrong.
     *
     * @param callable(SignedRequest, list<string>, float): array{int, string, string} $send
     * @return array{int, ?string, string}
     */
    private function plain(
        string $method,
        string $url,
        array $headers,
        string $body,
        callable $send,
        float $seconds,
    ): array {
        $lines = [];
        foreach ($headers as $name => $values) {
            foreach ($values as $value) {
                $lines[] = "$name: $value";
            }
        }
        [$status, $type, $answer] = $send($this->signer->sign($method, $url, $body), $lines, $seconds);
        $refusal = Refusal::read($status, $type, $answer);
        if ($refusal !== null && $this->signer->correctClock($refusal)) {
            [$status, $type, $answer] = $send($this->signer->sign($method, $url, $body), $lines, $seconds);
            $refusal = Refusal::read($status, $type, $answer);
        }
        return [$status, $refusal?->code, $answer];
    }

    /** @return array{int, string, string} */
    private static function curl(SignedRequest $signed, array $lines, float $seconds): array
    {
        if ($signed->method === 'HEAD' && $signed->body !== '') {
            throw new SigningException(SigningException::REQUEST_INVALID, 'cURL sends no body with HEAD.');
        }
        static $curl = null;
        $curl ??= curl_init();
        curl_reset($curl);
        curl_setopt_array($curl, [
            CURLOPT_URL => $signed->url,
            CURLOPT_CUSTOMREQUEST => $signed->method,
            CURLOPT_HTTPHEADER => [...$signed->headerLines(), ...$lines],
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ($seconds * 1000),
            CURLOPT_NOBODY => $signed->method === 'HEAD',
        ] + ($signed->body === '' ? [] : [CURLOPT_POSTFIELDS => $signed->body]));
        $answer = curl_exec($curl);
        if ($answer === false) {
            throw new RuntimeException(curl_error($curl));
        }
        $type = (string) curl_getinfo($curl, CURLINFO_CONTENT_TYPE);
        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $type, (string) $answer];
    }

    /** @return array{int, string, string} */
    private static function streams(SignedRequest $signed, array $lines, float $seconds): array
    {
        $context = stream_context_create(['http' => [
            'method' => $signed->method,
            'header' => [...$signed->headerLines(), ...$lines],
            'content' => $signed->body,
            'follow_location' => 0,
            'ignore_errors' => true,
            'timeout' => $seconds,
        ]]);
        $answer = file_get_contents($signed->url, false, $context);
        if ($answer === false) {
            throw new RuntimeException(error_get_last()['message'] ?? 'no answer');
        }
        $status = (int) explode(' ', $http_response_header[0], 3)[1];
        $type = '';
        foreach ($http_response_header as $line) {
            if (stripos($line, 'Content-Type:') === 0) {
                $type = trim(substr($line, 13));
            }
        }
        return [$status, $type, $answer];
    }
}
