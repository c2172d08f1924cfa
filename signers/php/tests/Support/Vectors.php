<?php

declare(strict_types=1);

namespace Countersign\Tests\Support;

use RuntimeException;

/** The conformance vectors of the repository. */
final class Vectors
{
    private const FOLDER = __DIR__ . '/../../../../vectors/profile';

    /** @return iterable<string, array{array}> the cases of a file, by ID, as PHPUnit's data providers give them */
    public static function cases(string $name): iterable
    {
        foreach (self::read($name)['cases'] as $case) {
            yield $case['id'] => [$case];
        }
    }

    /** @return array{publicKeyPem: string, privateKeyPem: string} */
    public static function key(string $name): array
    {
        static $keys = null;
        $keys ??= self::read('keys')['keys'];
        return $keys[$name];
    }

    public static function body(array $case): string
    {
        $body = $case['request']['body'];
        return match (true) {
            $body === null => '',
            isset($body['file']) => (string) file_get_contents(self::FOLDER . "/{$body['file']}"),
            default => (string) base64_decode($body['base64'], true),
        };
    }

    private static function read(string $name): array
    {
        $text = file_get_contents(self::FOLDER . "/$name.json");
        if ($text === false) {
            throw new RuntimeException("The vectors $name.json are missing: run the tests in the repository.");
        }
        return json_decode($text, true, 64, JSON_THROW_ON_ERROR);
    }
}
