import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { describe, it } from 'node:test';
import type { RequestToExplain } from '../src/index.ts';
import type { ExplainRequestOptions } from '../src/node.ts';
import {
  contentDigest,
  created,
  explained,
  makeRequest,
  namesOf,
  type Signed,
  strangerKey,
  usualParams,
} from './mistaken-request.ts';

/** One request, the only sentence that is true of it, and its advice. */
type Case = readonly [
  title: string,
  request: RequestToExplain,
  codes: readonly string[],
  what: RegExp,
  mend: RegExp,
];

const hashed = (body: string, digested: string): RequestToExplain =>
  makeRequest({ body: Buffer.from(body), digest: contentDigest(digested) });
const bodyless = (digested: string): RequestToExplain => ({
  ...makeRequest({ method: 'POST', body: Buffer.from('x'), digest: contentDigest(digested) }),
  body: new Uint8Array(),
});
const withCreated = (text: string): RequestToExplain =>
  makeRequest({ params: usualParams.replace(String(created), text) });
const withDate = (arrived: string, more: readonly [string, string][] = []): Partial<Signed> => ({
  headers: (lines) => [
    ...lines.map(([name, value]): [string, string] => [name, name === 'Date' ? arrived : value]),
    ...more,
  ],
});
const at = (uri: string, signed: string): RequestToExplain =>
  makeRequest({ uri, base: (base) => base.replace(uri, signed) });
const listing = (list: string, base: Signed['base'] = (text) => text): RequestToExplain =>
  makeRequest({ params: usualParams.replace(/^\([^)]*\)/, list), base });
/** Other text for the list of components, in the header and in the base, which has the usual lines. */
const listed = (list: string, base: Signed['base'] = (text) => text): RequestToExplain => {
  const written = (text: string): string => text.replace(/(?<=[ =])\("@method[^)]*\)/, () => list);
  return makeRequest({
    base: (text) => base(written(text)),
    headers: (lines) =>
      lines.map(([name, value]) => [name, name === 'Signature-Input' ? written(value) : value]),
  });
};
const pretty = (value: unknown, space: string | number = 2): string => JSON.stringify(value, null, space);
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
const dateLine = '\n"date": Wed, 27 May 2026 16:28:42 GMT\n"@signature-params"';

const cases: readonly Case[] = [
  ...['{}', 'null', '[]', 'undefined'].map((text): Case => [
    `a digest of ${text}, and no body`,
    bodyless(text),
    ['body_printed proven', 'body_missing proven'],
    new RegExp(`^The digest is the digest of the text ${RegExp.escape(text)}, but no body arrived\\.$`),
    /leave Content-Digest out of the request and the signature\.$/,
  ]),
  [
    'a digest of nothing, and no body',
    bodyless(''),
    ['body_empty proven'],
    /^The digest is the digest of no bytes, and no body arrived\.$/,
    /^Without a body, leave Content-Digest out/,
  ],
  [
    'a digest of a newline, and no body',
    bodyless('\n'),
    ['body_empty proven', 'body_missing proven'],
    /^The digest is the digest of the text "\\n", but no body arrived\.$/,
    /^Send the bytes that you hash\./,
  ],
  ...(
    [
      ['{"b":1,"a":1,"b":2}', '{"b":2,"a":1}'],
      ['{"b":1,"a":1,"b":2}', '{"a":1,"b":2}'],
      ['{"a":{"id":7,"id":8},"c":[{"x":1,"x":null}]}', '{"a":{"id":8},"c":[{"x":null}]}'],
    ] as const
  ).map(([body, digested]): Case => [
    `repeated keys in ${body}, hashed as ${digested}`,
    hashed(body, digested),
    ['body_json_members proven'],
    /^You hashed the same JSON with only the last value of each repeated key, as most parsers keep it, but /,
    /^Serialize the body once/,
  ]),
  [
    'repeated keys, of which the first was kept',
    hashed('{"b":1,"a":1,"b":2,"c":3}', '{"b":1,"a":1,"c":3}'),
    ['body_json_members proven'],
    /with only the first value of each repeated key/,
    /^Serialize the body once/,
  ],
  ...['"date";sf', '"@method";req', '"content-digest";bs', '"@target-uri";req;tr'].map((component): Case => {
    const [name = ''] = component.split(';');
    const parameters = component.slice(name.length);
    return [
      `the component ${component}`,
      makeRequest({
        params: usualParams.replace(name, component),
        base: (base) => base.replace(new RegExp(`^${name}`, 'm'), component),
      }),
      ['base_extra_component observed'],
      new RegExp(`^Signature-Input lists ${component}, but components must not have parameters here\\.$`),
      new RegExp(`^Write ${name} without ${parameters}, in Signature-Input and in the signature base\\.$`),
    ];
  }),
  ...['@method @target-uri content-digest date', '@method, @target-uri, content-digest, date'].map(
    (joined): Case => [
      `the components ("${joined}")`,
      listing(`("${joined}")`, (base) => base.replace('\n"@signature-params"', dateLine)),
      ['base_missing_component observed', 'base_extra_component observed'],
      new RegExp(`in one string, "${joined}", which is read as a single component\\.$`),
      /: \("@method" "@target-uri" "content-digest" "date"\)\.$/,
    ],
  ),
  ...(
    [
      ['a tab', '{"a":"x\ty","b":1}', '{"a":"x\\ty","b":1}'],
      ['a line break', '{"text":"one\ntwo"}', '{"text":"one\\ntwo"}'],
      ['an escape sequence of a terminal', '{"a":["\u001b[0m"]}', '{"a":["\\u001b[0m"]}'],
    ] as const
  ).map(([what, body, digested]): Case => [
    `${what} in a string`,
    hashed(body, digested),
    ['body_json_escapes proven'],
    /^The body that you sent has control characters in its strings/,
    /^Send the JSON text that you hash/,
  ]),
  [
    'a tab in a string that was hashed',
    hashed('{"a":"x\\ty","b":1}', '{"a":"x\ty","b":1}'),
    ['body_json_escapes proven'],
    /^You hashed the same JSON with U\+0009 in place of \\t, but /,
    /^Serialize the body once/,
  ],
  ...(
    [
      ['000000', 'microseconds', '1,000,000'],
      ['123456', 'microseconds', '1,000,000'],
      ['000000000', 'nanoseconds', '1,000,000,000'],
      ['042', 'milliseconds', '1000'],
    ] as const
  ).map(([digits, unit, divisor]): Case => [
    `created in ${unit}, ${digits}`,
    withCreated(`${created}${digits}`),
    ['created_milliseconds observed'],
    new RegExp(`^The parameter created is in ${unit}, not in seconds: ${created}${digits}\\.$`),
    new RegExp(`^Divide by ${divisor} and drop the fraction: ${created}\\.$`),
  ]),
  ...[
    '1,779,899,322',
    '"1,779,899,322"',
    '1.779.899.322',
    '1_779_899_322',
    '1 779 899 322',
    "1'779'899'322",
  ].map((text): Case => [
    `created=${text}`,
    withCreated(text),
    ['created_format observed'],
    new RegExp(
      `^The parameter created has thousands separators: ${RegExp.escape(text.replaceAll('"', ''))}\\.$`,
    ),
    /plain digits, without formatting it for a locale: 1779899322\.$/,
  ]),
  ...['1,779,899,322.5', '1.779.899.322,5', '1_779_899_322.987'].map((text): Case => [
    `created=${text}`,
    withCreated(text),
    ['created_format observed', 'created_fraction observed'],
    new RegExp(`^The parameter created has thousands separators and a fraction: ${RegExp.escape(text)}\\.$`),
    /plain digits, without formatting it for a locale: 1779899322\.$/,
  ]),
  ...(
    [
      ['1,779,899,322,123', 'milliseconds'],
      ['1.779.899.322.123,5', 'milliseconds'],
      ['1 779 899 322 123 456', 'microseconds'],
      ['1_779_899_322_123_456_789', 'nanoseconds'],
    ] as const
  ).map(([text, unit]): Case => [
    `created=${text}`,
    withCreated(text),
    ['created_format observed', 'created_milliseconds observed'],
    new RegExp(
      `^The parameter created is in ${unit} and has thousands separators: ${RegExp.escape(text)}\\.$`,
    ),
    /whole Unix seconds in plain digits, without formatting it for a locale: 1779899322\.$/,
  ]),
  // Their digits are no time, so nothing is said of clocks.
  ...['999,999,999,999,999', '1,779,899', '1,779,899,322,12', `1${',779'.repeat(120)}`, '1,779,899,3222'].map(
    (text): Case => [
      `created=${text.slice(0, 24)}`,
      withCreated(text),
      ['created_format observed'],
      /^/,
      /^(?!.*(?:NaN|Infinity|undefined))/s,
    ],
  ),
  [
    'a digest of the first of two values',
    hashed('{"a":1,"b":2,"a":3}', '{"a":1,"b":2}'),
    ['body_json_members proven'],
    /with only the first value of each repeated key, but/,
    /./,
  ],
  [
    'a digest of the first of two values, and other keys',
    hashed('{"b":2,"a":1,"c":5,"a":3}', '{"b":2,"a":1,"c":5}'),
    ['body_json_members proven'],
    /with only the first value of each repeated key, but/,
    /./,
  ],
  [
    'a digest of T in a time with milliseconds',
    hashed('{"t":"2026-01-02 03:04:05.120Z"}', '{"t":"2026-01-02T03:04:05.120Z"}'),
    ['body_json_members proven'],
    /^You hashed the same JSON with T in place of the space in its times, but/,
    /./,
  ],
  [
    'a digest of T in a time without a zone',
    hashed('["2026-01-02 03:04:05"]', '["2026-01-02T03:04:05"]'),
    ['body_json_members proven'],
    /^You hashed the same JSON with T in place of the space in its times, but/,
    /./,
  ],
  [
    'a digest of T in a time with more digits',
    hashed('["2026-01-02 03:04:05.1Z"]', '["2026-01-02T03:04:05.100Z"]'),
    ['body_json_members proven'],
    / with 3 digits in the fractions of its times, and T in place of the space, but/,
    /./,
  ],
  [
    'a digest of more digits after a space',
    hashed('["2026-01-02 03:04:05.1Z"]', '["2026-01-02 03:04:05.100Z"]'),
    ['body_json_members proven'],
    / with 3 digits in the fractions of its times, but/,
    /./,
  ],
  [
    'a digest of a name that a shell replaced, and no digit',
    hashed('{"a":"$name pays $5"}', '{"a":" pays $5"}'),
    ['body_other proven'],
    /^You hashed the body without the names after its dollar signs, which a shell replaced by nothing, but with \$5\.$/,
    /./,
  ],
  [
    'a digest of a name and a digit that a shell replaced',
    hashed('{"a":"$name pays $5"}', '{"a":" pays "}'),
    ['body_other proven'],
    /^You hashed the body without the names after its dollar signs and \$5, which a shell/,
    /./,
  ],
  [
    'a digest of a text without its line breaks',
    hashed('id,amount\n1,250\n2,300\n', 'id,amount1,2502,300'),
    ['body_line_ends proven'],
    /^You hashed the same text without its line breaks, but/,
    /./,
  ],
  [
    'a digest of a text without any white space',
    hashed('one two\nthree\n', 'onetwothree'),
    ['body_other proven'],
    /^The digest matches the same text without any white space\.$/,
    /./,
  ],
  [
    'a digest of a text without its quotes',
    hashed('one,"two"', 'one,two'),
    ['body_other proven'],
    /^The digest matches the same text without its double quotes\.$/,
    /./,
  ],
  [
    'a Date that a proxy replaced',
    makeRequest(withDate('Wed, 27 May 2026 16:28:44 GMT', [['Via', '1.1 edge']])),
    ['date_read_twice proven'],
    /^You signed the Date Wed, 27 May 2026 16:28:42 GMT, but Wed, 27 May 2026 16:28:44 GMT arrived\.$/,
    /^The request came through a proxy \(Via\)\. If it replaces Date, make it pass Date on unchanged;/,
  ],
  [
    'a Date that was replaced by a distant one',
    makeRequest(withDate('Wed, 27 May 2026 16:31:02 GMT')),
    ['base_other_date proven', 'date_differs proven'],
    /^You signed the Date Wed, 27 May 2026 16:28:42 GMT, but Wed, 27 May 2026 16:31:02 GMT arrived\.$/,
    /^Send the Date that you signed\. If you do, an HTTP client or a proxy replaces it/,
  ],
  [
    'a Date that a proxy wrote in another form',
    makeRequest(withDate('2026-05-27T16:28:42Z', [['X-Forwarded-For', '192.0.2.1']])),
    ['date_format proven'],
    /^You signed the Date Wed, 27 May 2026 16:28:42 GMT, but 2026-05-27T16:28:42Z arrived\.$/,
    /^The request came through a proxy \(X-Forwarded-For\)\..* Use the HTTP date format: `Date: Wed, 27 May 2026 16:28:42 GMT`\.$/,
  ],
  ...[
    '2026-05-27T16:28:42Z',
    'Wednesday, 27-May-26 16:28:42 GMT',
    'wed, 27 may 2026 16:28:42 gmt',
    'Mon, 27 May 2026 16:28:42 GMT',
    'Wed, 27 May 2026 18:28:42 +0200',
    'yesterday',
  ].map((arrived): Case => [
    `the Date ${arrived} in place of the signed one`,
    makeRequest(withDate(arrived)),
    ['date_format proven'],
    new RegExp(
      `^You signed the Date Wed, 27 May 2026 16:28:42 GMT, but ${RegExp.escape(arrived)} arrived\\.$`,
    ),
    /^Send the Date that you signed\..* Use the HTTP date format: `Date: Wed, 27 May 2026 16:28:42 GMT`\.$/,
  ]),
  ...(
    [
      ['indented by 2 spaces', pretty({ a: 1, b: [1, 2] })],
      ['indented by tabs', pretty({ a: { b: [true] } }, '\t')],
      ['indented by 4 spaces', pretty([{ id: 1 }, { id: 2 }], 4)],
      ['in a layout of its own', '{ "a":1,\n"b": [1,2]}'],
    ] as const
  ).flatMap(([layout, text]): readonly Case[] => [
    [
      `JSON ${layout} that arrived with CRLF`,
      hashed(crlf(text), text),
      ['body_line_ends proven'],
      /^You hashed the same text with LF line endings, but .*<CR><LF>/,
      /^Open files in binary mode/,
    ],
    [
      `JSON ${layout} that was hashed with CRLF`,
      hashed(text, crlf(text)),
      ['body_line_ends proven'],
      /^You hashed the same text with CRLF line endings, but .*<LF>/,
      /^Open files in binary mode/,
    ],
  ]),
  [
    'JSON that was sorted as well as sent with CRLF',
    hashed(crlf(pretty({ b: 1, a: 2 })), pretty({ a: 2, b: 1 })),
    ['body_json_key_order proven', 'body_line_ends proven'],
    /^You hashed the same JSON with its keys sorted and with LF line endings, but /,
    /^Serialize the body once/,
  ],
  ...(
    [
      ['http://localhost:8080/v1/x', 'http://localhost/v1/x', 'localhost', 'localhost:8080'],
      ['http://localhost/v1/x', 'http://localhost:3000/v1/x', 'localhost:3000', 'localhost'],
      ['https://127.0.0.1:8443/v1/x', 'https://127.0.0.1/v1/x', '127.0.0.1', '127.0.0.1:8443'],
      ['http://[::1]:8080/v1/x', 'http://[::1]/v1/x', '[::1]', '[::1]:8080'],
    ] as const
  ).map(([uri, signed, was, is]): Case => [
    `${signed} signed for ${uri}`,
    at(uri, signed),
    ['url_host_port proven'],
    new RegExp(`^You signed the host ${RegExp.escape(was)}, but ${RegExp.escape(is)} arrived\\.$`),
    /with a port only if that URL has one\.$/,
  ]),
];

describe('the sentence about', () => {
  for (const [title, request, codes, what, mend] of cases) {
    it(title, () => {
      const explanation = explained(request);
      assert.deepEqual(namesOf(explanation), codes);
      assert.equal(explanation.findings.length, 1);
      const [finding] = explanation.findings;
      assert.match(finding!.what, what);
      assert.match(finding!.mend, mend);
    });
  }

  it('a clock that is half an hour off names no time zone, because none is there', () => {
    for (const minutes of [-90, -30, -15, 15, 30, 75]) {
      const { findings } = explained(withCreated(String(created + minutes * 60)));
      assert.deepEqual(
        findings.filter(({ code }) => code === 'clock_time_zone'),
        [],
        String(minutes),
      );
    }
  });

  it('a clock in a time zone writes the offset as clocks show it', () => {
    for (const [minutes, zone] of [
      [330, 'UTC+5:30'],
      [345, 'UTC+5:45'],
      [-210, 'UTC-3:30'],
      [-480, 'UTC-8'],
      [840, 'UTC+14'],
    ] as const) {
      const { findings } = explained(withCreated(String(created + minutes * 60)));
      const { what = '' } = findings.find(({ code }) => code === 'clock_time_zone') ?? {};
      assert.ok(what.includes(`the local time of ${zone} was`), `${zone}: ${what}`);
    }
  });

  it('another port of a known host names the port', () => {
    const options: Partial<ExplainRequestOptions> = {
      internalHosts: ['api.example.test:9999'],
      baseUrls: ['https://api.example.test:7001'],
    };
    for (const port of ['9999', '7001']) {
      const signed = `https://api.example.test:${port}/v1/payments`;
      const explanation = explained(at('https://api.example.test/v1/payments', signed), options);
      assert.deepEqual(namesOf(explanation), ['url_host_port proven']);
    }
  });

  it('a Date that a proxy may have replaced tells so even if no key can prove it', () => {
    const replaced = withDate('Wed, 27 May 2026 16:35:02 GMT', [['Via', '1.1 edge']]);
    const { findings } = explained(
      makeRequest({ ...replaced, sign: (base) => sign('sha256', base, strangerKey.privateKey) }),
    );
    const { mend = '' } = findings.find(({ code }) => code === 'date_differs') ?? {};
    assert.match(mend, /through a proxy \(Via\): if it replaces Date, make it pass Date on unchanged\.$/);
  });

  it('a parameter of a component is read however it is written, and gets no line of its own', () => {
    for (const written of ['"date" ;sf', 'date;sf', 'date ;sf', '"date";SF', '"date"; sf']) {
      const explanation = explained(listed(`("@method" "@target-uri" "content-digest" ${written})`));
      assert.ok(namesOf(explanation).includes('base_extra_component proven'), written);
      for (const { what, mend } of explanation.findings)
        assert.doesNotMatch(`${what} ${mend}`, /add the line|remove the line|";sf: /i);
    }
  });

  it('a name with a space or an underscore in place of its hyphen is told as misspelt', () => {
    for (const name of ['"content digest"', '"content_digest"', '"Content Digest"']) {
      const { findings } = explained(listed(`("@method" "@target-uri" ${name} "date")`));
      assert.equal(findings[0]!.what, `Signature-Input lists ${name}, but the name is "content-digest".`);
      assert.match(
        findings[0]!.mend,
        /^Write "content-digest", in Signature-Input and in the signature base\.$/,
      );
      for (const { what } of findings) assert.doesNotMatch(what, /several components|"content", "digest"/);
    }
  });

  it('words with a space between them are one component', () => {
    const { findings } = explained(listed('("@method" "@target-uri" "content-digest" "date" "x-a x-b")'));
    assert.match(findings[0]!.what, /^Signature-Input lists "x-a x-b", which must not be signed here\.$/);
  });

  it('a body that a shell expanded has nothing of the body where its text is left out', () => {
    for (const [body, digested] of [
      ['{"secret":".00"}', '{"secret":"$7.00"}'],
      ['{"secret":"$name"}', '{"secret":""}'],
    ] as const) {
      const { findings } = explained(hashed(body, digested), { omitBodyText: true });
      assert.deepEqual(
        findings.map(({ code, certainty }) => `${code} ${certainty}`),
        ['body_other proven'],
      );
      assert.doesNotMatch(JSON.stringify(findings), /secret|name"|\.00/);
    }
  });

  it('a search of the body that ran out says so, and one that found something does not', () => {
    const body = pretty(
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, { é: index }])),
    );
    const limits = { hypothesesMax: 3000 };
    assert.equal(explained(hashed(body, 'something else'), limits).isComplete, false);
    assert.equal(explained(hashed(body, JSON.stringify(JSON.parse(body))), limits).isComplete, true);
  });
});
