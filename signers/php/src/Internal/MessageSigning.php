<?php

declare(strict_types=1);

namespace Countersign\Internal;

use Countersign\Refusal;
use Countersign\RefusedException;
use Countersign\Signer;
use Countersign\SigningException;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;

/**
 * Signs PSR-7 requests and reads refusals from PSR-7 responses.
 *
 * @internal
 */
final class MessageSigning
{
    public const REPAIRS = ['clock', 'second'];

    private const HEADERS = ['Content-Digest', 'Date', 'Signature-Input', 'Signature'];

    public function __construct(private readonly Signer $signer, private readonly Streams $streams)
    {
    }

    /** Returns the request with a body that can be read for each attempt. */
    public function repeatable(RequestInterface $request): RequestInterface
    {
        $body = $request->getBody();
        return $body->isSeekable() ? $request : $request->withBody($this->streams->of($this->bodyBytes($body)));
    }

    /**
     * Returns a repeatable request as it is to be sent, with the URL that the HTTP client will put on the wire.
     *
     * @throws SigningException
     */
    public function sign(RequestInterface $request): RequestInterface
    {
        MessageTarget::check($request);
        $body = $request->getBody();
        $bytes = $this->bodyBytes($body);
        $body->rewind();
        $uri = $request->getUri();
        if ($uri->getPath() === '') {
            $uri = $uri->withPath('/');
        }
        $uri = $uri->withFragment('');
        $signed = $this->signer->sign($request->getMethod(), (string) $uri, $bytes);

        $request = self::withoutSignature($request)
            ->withoutHeader('Transfer-Encoding')
            ->withoutHeader('Content-Length')
            ->withMethod($signed->method)
            ->withUri($uri, true);
        foreach ($signed->headers as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        return $bytes === '' ? $request : $request->withHeader('Content-Length', (string) strlen($bytes));
    }

    /** Signs one attempt, unless an earlier one may have been carried out. */
    public function signAttempt(RequestInterface $request, Attempts $attempts): RequestInterface
    {
        $attempts->begin($request);
        try {
            return $this->sign($request);
        } catch (SigningException $error) {
            $attempts->settle($request);
            throw $error;
        }
    }

    /** Returns the request without what a signature adds, for another origin. */
    public static function withoutSignature(RequestInterface $request): RequestInterface
    {
        foreach (self::HEADERS as $name) {
            $request = $request->withoutHeader($name);
        }
        return $request;
    }

    /**
     * Reads a response.
     *
     * @return array{?Refusal, ResponseInterface} the refusal, if it is one, and the response with a readable body
     */
    public function read(ResponseInterface $response, string $method): array
    {
        $contentType = $response->getHeaderLine('Content-Type');
        if (strtoupper($method) === 'HEAD') {
            $headers = [$response->getHeaderLine('WWW-Authenticate'), $response->getHeaderLine('Date')];
            return [Refusal::readHead($response->getStatusCode(), $contentType, ...$headers), $response];
        }
        if ($response->getStatusCode() < 400 || stripos($contentType, 'application/problem+json') === false) {
            return [null, $response];
        }
        $body = $response->getBody();
        if (!$body->isReadable()) {
            return [null, $response];
        }
        if ($body->isSeekable()) {
            $body->rewind();
            $text = self::readUpTo($body, Refusal::BYTES_MAX);
            $body->rewind();
        } else {
            $text = $body->getContents();
            $response = $response->withBody($this->streams->of($text));
        }
        return [Refusal::read($response->getStatusCode(), $contentType, $text), $response];
    }

    /** Returns the response, or throws its refusal if the signer throws refusals. */
    public function result(?Refusal $refusal, ResponseInterface $response): ResponseInterface
    {
        if ($refusal !== null && $this->signer->throwsRefusals && !$refusal->isTemporary()) {
            throw new RefusedException($refusal, $response);
        }
        return $response;
    }

    /**
     * Does what makes a refused request worth sending once more, and returns its name; null if nothing does.
     *
     * @param array<string> $repairs those that may be tried, of REPAIRS
     */
    public function repair(?Refusal $refusal, string $method, array $repairs): ?string
    {
        return match (true) {
            $refusal === null => null,
            in_array('clock', $repairs, true) && $this->signer->correctClock($refusal) => 'clock',
            in_array('second', $repairs, true) && $this->signer->changeSecond($method, $refusal) => 'second',
            default => null,
        };
    }

    private function bodyBytes(StreamInterface $body): string
    {
        if (($body->getSize() ?? 0) > $this->signer->bodyBytesMax) {
            throw $this->signer->bodyTooLarge();
        }
        // HTTP clients send a seekable body from its beginning, wherever its pointer is.
        if ($body->isSeekable()) {
            $body->rewind();
        } elseif (!$body->isReadable()) {
            throw Target::invalid('the body cannot be read');
        }
        $bytes = self::readUpTo($body, $this->signer->bodyBytesMax);
        if (strlen($bytes) > $this->signer->bodyBytesMax) {
            throw $this->signer->bodyTooLarge();
        }
        return $bytes;
    }

    /** Reads a body, and one byte more than `$bytesMax` of one that is larger. */
    private static function readUpTo(StreamInterface $body, int $bytesMax): string
    {
        $bytes = '';
        while (strlen($bytes) <= $bytesMax && !$body->eof()) {
            $chunk = $body->read(min(65_536, $bytesMax + 1 - strlen($bytes)));
            // PSR-7 lets a stream return less than asked for, but an empty chunk before the end would loop forever.
            if ($chunk === '' && !$body->eof()) {
                throw new SigningException(SigningException::REQUEST_INVALID, 'The body stream returns no more bytes.');
            }
            $bytes .= $chunk;
        }
        return $bytes;
    }
}
