<?php

declare(strict_types=1);

namespace Countersign\Tests;

use Countersign\Internal\ServiceCodes;
use Countersign\Refusal;
use Countersign\Tests\Support\Fixture;
use PHPUnit\Framework\TestCase;

final class RefusalTest extends TestCase
{
    private const TYPE = 'application/problem+json';

    public function testReadsEveryMember(): void
    {
        $answer = Fixture::refusal(401, 'created_expired', [
            'reason' => 'created is 400 s old; the limit is 300 s',
            'serverTime' => '2026-11-21T00:01:58.000Z',
        ]);
        $refusal = Refusal::read(401, 'application/problem+json; charset=utf-8', $answer['body']);
        self::assertNotNull($refusal);
        self::assertSame(401, $refusal->status);
        self::assertSame('created_expired', $refusal->code);
        self::assertSame('A title', $refusal->title);
        self::assertSame('What to do.', $refusal->detail);
        self::assertSame('created is 400 s old; the limit is 300 s', $refusal->reason);
        self::assertSame('request_01m7xpht4ya6hy6swme76qzc7p', $refusal->requestId);
        self::assertSame('2026-11-21T00:01:58.000Z', $refusal->serverTime);
        self::assertSame('https://api.example.com/docs/errors#created_expired', $refusal->type);
        self::assertSame(
            'created_expired: A title. created is 400 s old; the limit is 300 s. What to do. '
                . '(request_01m7xpht4ya6hy6swme76qzc7p)',
            $refusal->summary(),
        );
    }

    /** @dataProvider otherAnswers */
    public function testOtherAnswersAreTheApisOwn(int $status, string $type, string $body): void
    {
        self::assertNull(Refusal::read($status, $type, $body));
    }

    public static function otherAnswers(): array
    {
        $body = '{"type":"https://a.test/docs/errors#signature_invalid","code":"signature_invalid"}';
        return [
            'success' => [200, self::TYPE, $body],
            'a redirect' => [302, self::TYPE, $body],
            'plain JSON' => [401, 'application/json', $body],
            'no type' => [401, '', $body],
            'a type that only begins like it' => [401, 'application/problem+jsonx', $body],
            'our code without a page' => [401, self::TYPE, '{"code":"signature_invalid"}'],
            'our code with no page' => [401, self::TYPE, '{"code":"signature_invalid","type":"about:blank"}'],
            'our code with a page that is a list' => [401, self::TYPE, '{"code":"signature_invalid","type":[]}'],
            'our code with another page' => [
                401,
                self::TYPE,
                '{"code":"signature_invalid","type":"https://a.test/problems/signature_invalid"}',
            ],
            'a code of the API' => [409, self::TYPE, '{"code":"out_of_stock"}'],
            'a code that is no text' => [409, self::TYPE, '{"code":0}'],
            'a code that is true' => [409, self::TYPE, '{"code":true}'],
            'no code' => [409, self::TYPE, '{"title":"x"}'],
            'no object' => [409, self::TYPE, '"signature_invalid"'],
            'no JSON' => [409, self::TYPE, '<html>'],
            'deep JSON' => [409, self::TYPE, str_repeat('[', 1000)],
            'too long' => [401, self::TYPE, $body . str_repeat(' ', Refusal::BYTES_MAX)],
        ];
    }

    public function testMembersOfOtherTypesAreIgnored(): void
    {
        $body = '{"type":"/docs/errors#signature_invalid","code":"signature_invalid","title":[],"serverTime":7}';
        $refusal = Refusal::read(401, self::TYPE, $body);
        self::assertSame('', $refusal?->title);
        self::assertNull($refusal->serverTime);
        self::assertSame(401, $refusal->status);
    }

    public function testTheCodesAreThoseOfTheDocumentation(): void
    {
        $page = (string) file_get_contents(__DIR__ . '/../../../docs/errors.md');
        // The other sections are about the errors of operations, which are ordinary responses.
        $refusing = ['Framing', 'The signature headers', 'The time', 'The caller', 'The body',
            'An API behind the gateway', 'The service itself'];
        $sections = array_filter(
            explode("\n## ", $page),
            static fn (string $section): bool => in_array(strtok($section, "\n"), $refusing, true),
        );
        preg_match_all('/^### `([a-z_]+)`$/m', implode("\n", $sections), $matches);
        $documented = $matches[1];
        $known = ServiceCodes::ALL;
        sort($documented);
        sort($known);
        self::assertSame($documented, $known);
    }
}
