<?php

declare(strict_types=1);

namespace Countersign\Internal;

use GuzzleHttp\Psr7\HttpFactory;
use Nyholm\Psr7\Factory\Psr17Factory;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\StreamInterface;

/**
 * Makes streams of bytes, with a factory that is there anyway.
 *
 * @internal
 */
final class Streams
{
    public function __construct(private readonly ?StreamFactoryInterface $factory = null)
    {
    }

    public function of(string $bytes): StreamInterface
    {
        $factory = $this->factory ?? match (true) {
            class_exists(Psr17Factory::class) => new Psr17Factory(),
            class_exists(HttpFactory::class) => new HttpFactory(),
            default => throw Target::invalid(
                'its body can be read only once; give streamFactory, or a body from a string or a file',
            ),
        };
        return $factory->createStream($bytes);
    }
}
