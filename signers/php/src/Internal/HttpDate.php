<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * IMF-fixdates, `Tue, 20 Apr 2021 02:07:55 GMT` (RFC 9110 section 5.6.7).
 *
 * @internal
 */
final class HttpDate
{
    /** The last second of the year 9999, the last that an IMF-fixdate can represent. */
    public const SECONDS_MAX = 253_402_300_799;

    private const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

    public static function format(int $unixSeconds): string
    {
        return gmdate('D, d M Y H:i:s', $unixSeconds) . ' GMT';
    }

    /** Returns Unix seconds; null for anything but an IMF-fixdate of a day that exists. */
    public static function read(string $text): ?int
    {
        $pattern = '/\A[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT\z/';
        if (preg_match($pattern, $text, $parts) !== 1) {
            return null;
        }
        $month = array_search($parts[2], self::MONTHS, true);
        if ($month === false) {
            return null;
        }
        [, $day, , $year, $hour, $minute, $second] = array_map('intval', $parts);
        $seconds = gmmktime($hour, $minute, $second, $month + 1, $day, $year);
        // gmmktime() turns 31 February into March and reads years below 100 as 19xx or 20xx.
        return $seconds !== false && self::format($seconds) === $text ? $seconds : null;
    }
}
