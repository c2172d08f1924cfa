<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * The content of `Signature-Input`: exactly one member `sig` in the canonical text of RFC 8941 section 4.1.
 *
 * @internal
 */
final class SignatureInput
{
    private const STRING = '"(?:[ !#-\[\]-~]|\\\\["\\\\])*"';
    private const DECIMAL = '-?(?:0|[1-9]\d{0,11})\.(?:0|\d{0,2}[1-9])';
    private const INTEGER = '(?:0|-?[1-9]\d{0,14})';
    private const TOKEN = '[A-Za-z*][!#$%&\'*+.^_`|~0-9A-Za-z:\/-]*';
    private const BYTES = ':(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/][AQgw]==|[A-Za-z0-9+\/]{2}[AEIMQUYcgkosw048]=)?:';
    private const KEY = '[a-z*][a-z0-9_.*-]*';

    /** @param array<string, array{type: string, value: string}> $parameters */
    private function __construct(
        public readonly string $components,
        public readonly array $parameters,
        /** The exact text after `sig=` (RFC 9421 section 2.3). */
        public readonly string $signatureParams,
    ) {
    }

    /** Returns null for any other text. */
    public static function read(string $text): ?self
    {
        $item = self::item();
        $value = self::KEY . "(?:=(?!\?1)$item)?";
        $list = "\((?:$item(?:;$value)*(?: $item(?:;$value)*)*)?\)";
        if (preg_match("/\Asig=((?<list>$list)(?<parameters>(?:;$value)*))\z/", $text, $parts) !== 1) {
            return null;
        }
        $parameters = self::parameters($parts['parameters']);
        return $parameters === null || self::repeatsParameter($parts['list'])
            ? null
            : new self($parts['list'], $parameters, $parts[1]);
    }

    /** @return ?array<string, array{type: string, value: string}> null if a name comes twice */
    private static function parameters(string $text): ?array
    {
        $item = self::item();
        preg_match_all("/;(?<name>" . self::KEY . ")(?:=(?<item>$item))?/", $text, $matches, PREG_SET_ORDER);
        $parameters = [];
        foreach ($matches as $match) {
            if (isset($parameters[$match['name']])) {
                return null;
            }
            $parameters[$match['name']] = self::typed($match['item'] ?? '?1');
        }
        return $parameters;
    }

    private static function repeatsParameter(string $list): bool
    {
        $item = self::item();
        $value = self::KEY . "(?:=$item)?";
        preg_match_all("/$item((?:;$value)*)/", substr($list, 1, -1), $matches);
        foreach ($matches[1] as $parameters) {
            if (self::parameters($parameters) === null) {
                return true;
            }
        }
        return false;
    }

    /** @return array{type: string, value: string} */
    private static function typed(string $item): array
    {
        $type = match (true) {
            $item[0] === '"' => 'string',
            $item[0] === ':' => 'byte sequence',
            $item[0] === '?' => 'boolean',
            preg_match('/\A' . self::DECIMAL . '\z/', $item) === 1 => 'decimal',
            preg_match('/\A' . self::INTEGER . '\z/', $item) === 1 => 'integer',
            default => 'token',
        };
        return ['type' => $type, 'value' => $type === 'string' ? stripslashes(substr($item, 1, -1)) : $item];
    }

    private static function item(): string
    {
        $types = [self::STRING, self::DECIMAL, self::INTEGER, self::TOKEN, self::BYTES, '\?[01]'];
        return '(?:' . implode('|', $types) . ')';
    }
}
