import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { evidenceKind } from '../src/index.ts';
import {
  contentDigest,
  created,
  date,
  explained,
  jsonBody,
  makeRequest,
  nowSeconds,
  otherKey,
  ownKey,
  type Signed,
  strangerKey,
  uri,
  usualParams,
} from './mistaken-request.ts';

type Case = readonly [title: string, change: Partial<Signed>, what: RegExp, mend: RegExp];

const replaced = (from: string | RegExp, to: string): Partial<Signed> => ({
  base: (base) => base.replace(from, to),
});
const hashed = (text: string | Buffer): Partial<Signed> => ({ digest: contentDigest(text) });
const sent = (body: string, digested: string): Partial<Signed> => ({
  body: Buffer.from(body),
  digest: contentDigest(digested),
});
const serialized = /^Serialize the body once/;
const nested = '{"b":{"y":1,"x":2},"a":"/"}';

const cases: readonly Case[] = [
  // The body: one finding, which says every difference.
  [
    'spaces, keys and a newline',
    sent('{"b":1,"a":2}', '{"a": 2, "b": 1}\n'),
    /^You hashed the same JSON on one line with a space after each comma and colon, as Python's json\.dumps writes it; with its keys sorted; and with a newline at its end, but \{"b":1,"a":2\} arrived\.$/,
    serialized,
  ],
  [
    'keys in another order',
    sent('{"b":1,"c":3,"a":2}', '{"c":3,"a":2,"b":1}'),
    /^You hashed the same JSON with its keys in the order c, a, b, but \{"b":1,"c":3,"a":2\} arrived\.$/,
    serialized,
  ],
  [
    'a slash',
    sent(nested, nested.replace('/', '\\/')),
    /the same JSON with \\\/ in place of \/, but .* arrived\.$/,
    serialized,
  ],
  [
    'U+2028',
    sent('{"a":"x\u2028y"}', '{"a":"x\\u2028y"}'),
    /the same JSON with \\u2028 in place of U\+2028, but .* arrived\.$/,
    serialized,
  ],
  [
    'a number',
    sent('{"a":1250}', '{"a":1250.0}'),
    /the same JSON with 1250\.0 in place of 1250, but \{"a":1250\} arrived\.$/,
    serialized,
  ],
  [
    'a form in lower-case hex',
    sent('path=a%5cb', 'path=a%5Cb'),
    /^You hashed the same form with %5C in place of %5c, but path=a%5cb arrived\.$/,
    /^Hash the bytes that are sent\.$/,
  ],
  [
    'a body that was sent twice serialized',
    sent(JSON.stringify('{"a":1}'), '{"a":1}'),
    /^The body that you sent is a JSON string that contains JSON/,
    /^Pass the object to the HTTP client/,
  ],
  [
    'a digest of the twice serialized body',
    sent('{"a":1}', JSON.stringify('{"a":1}')),
    /^You hashed the JSON serialized twice/,
    /^Serialize once/,
  ],
  [
    'None',
    hashed('None'),
    /^The digest is the digest of the text None,/,
    /^Build and serialize the body first/,
  ],
  [
    'the compressed body',
    hashed(gzipSync(jsonBody)),
    /^The digest matches the body compressed with gzip, but the body arrived uncompressed\.$/,
    /Content-Encoding/,
  ],
  [
    "Go's print in the body",
    sent('map[amount:1250]', '{"amount":12}'),
    /^The body that you sent is an object as Go prints it, not JSON: map\[amount:1250\]\.$/,
    /json\.Marshal/,
  ],
  [
    'something else',
    hashed('unrelated'),
    /^The digest matches none of the forms .* We received 47 bytes, which start with \{"reference":"a\/b"/,
    /^Just before hashing, print the length and the first 40 bytes/,
  ],
  // The base.
  [
    'an empty last line',
    replaced(/"@signature-params": .*/, '"@signature-params": '),
    /^The line of @signature-params in the signature base has no value\.$/,
    /exactly the text that follows `sig=` in Signature-Input/,
  ],
  [
    'a date that was not set',
    replaced(/"date": .*/, '"date": None'),
    /^The value of date was None when the signature base was built, but Wed, 27 May 2026 16:28:42 GMT arrived\.$/,
    /^Set Date before you build the signature base\.$/,
  ],
  [
    'a method in quotes',
    replaced('POST', '"POST"'),
    /^The value of @method was signed in double quotes, but POST arrived\.$/,
    /^Sign the plain value of @method/,
  ],
  [
    'spaces in place of newlines',
    replaced(/\n/g, ' '),
    /^The whole signature base is on one line, with a space where each newline belongs\.$/,
    /neither trim nor collapse/,
  ],
  [
    'an array',
    { base: (base) => JSON.stringify(base.split('\n')) },
    /^You signed a JSON array of the lines/,
    /^Join/,
  ],
  [
    'created that was not set',
    replaced(`created=${created}`, 'created=undefined'),
    new RegExp(
      `^created was undefined when the signature base was built, but is ${created} in Signature-Input`,
    ),
    /^Set created before/,
  ],
  [
    'another list',
    replaced('"content-digest" "date")', '"content-digest")'),
    /^You signed the component list without "date", but sent it with "date"\.$/,
    /^Build the text of the parameters once/,
  ],
  [
    'a newline at its end',
    { base: (base) => `${base}\n` },
    /^The signature base ends with a newline, which must not be there\.$/,
    /^Join the lines with newlines, with none after the last\.$/,
  ],
  [
    'a space after the URL',
    replaced(uri, `${uri} `),
    /^The value of @target-uri was signed with a space after it, but https:\/\/api\.example\.test\/v1\/payments\?.* arrived\.$/,
    /^Sign the values without white space/,
  ],
  [
    'nothing that was signed',
    { base: () => '' },
    /^You signed something other than the signature base: an empty text\.$/,
    /^Build/,
  ],
  [
    'a date in another format',
    replaced(date, new Date(created * 1000).toISOString()),
    /^You signed the Date 2026-05-27T16:28:42\.000Z \(ISO 8601 with a Z\), but Wed, 27 May 2026 16:28:42 GMT arrived\.$/,
    /^Create the Date value once, as an HTTP date/,
  ],
  // Both sides of every value.
  [
    'a method in lower case in place of another',
    replaced('POST', 'get'),
    /^You signed the method get, but POST arrived\.$/,
    /^Sign the method of the request line, in upper case\.$/,
  ],
  [
    'a port',
    replaced('api.example.test', 'api.example.test:8443'),
    /^You signed the host api\.example\.test:8443, but api\.example\.test arrived\.$/,
    /^Sign the host/,
  ],
  [
    'the URL of a development machine',
    replaced('https://api.example.test', 'http://localhost:8080'),
    /^You signed http:\/\/localhost:8080, but https:\/\/api\.example\.test arrived\.$/,
    /^Sign the public URL/,
  ],
  [
    'a query that was encoded differently',
    replaced('a%20b', 'a+b'),
    /^You signed the query \?state=open&limit=20&ref=a\+b \(spaces as \+\), but \?state=open&limit=20&ref=a%20b arrived\.$/,
    /^Encode the URL once/,
  ],
  [
    'no query',
    replaced(/\?.*/, ''),
    /^You signed no query, but the query \?state=open&limit=20&ref=a%20b arrived\.$/,
    /^Sign the whole URL/,
  ],
  [
    'a fragment',
    replaced('a%20b', 'a%20b#top'),
    /^You signed the URL with #top, but it arrived without: a fragment is never sent\.$/,
    /^Remove `#`/,
  ],
  [
    'the path without its host and its prefix, which is one cause',
    replaced('https://api.example.test/v1', ''),
    /^You signed the URL \/payments\?state.* \(only path and query\), but https:\/\/api\.example\.test\/v1\/payments\?.* arrived\.$/,
    /^Sign the full URL exactly as you call it/,
  ],
  [
    'a prefix that was removed',
    replaced('/v1/payments', '/api/v1/payments'),
    /^You signed the path \/api\/v1\/payments, but \/v1\/payments arrived, without \/api in front\.$/,
    /^Sign and send one URL/,
  ],
  [
    'another alg in the base',
    replaced('"rsa-v1_5-sha256"', '"hs2019"'),
    /^You signed …;alg="hs2019", but …;alg="rsa-v1_5-sha256" arrived in Signature-Input\.$/,
    /^Build the text of the parameters once/,
  ],
  [
    'a base without spaces',
    { base: (base) => base.replaceAll('": ', '":') },
    /^You signed the line `"@method":POST` \(no space\), but the service expects `"@method": POST`\.$/,
    /^Write each line/,
  ],
  [
    'lines like those of headers, which is one cause',
    { base: (base) => base.replaceAll(/^"(.*?)": /gm, '$1:') },
    /^You signed the line `@method:POST`/,
    /^Write each line as `"name": value`/,
  ],
  [
    'lines in another order',
    {
      base: (base) => {
        const lines = base.split('\n');
        return [lines[1], lines[0], ...lines.slice(2)].join('\n');
      },
    },
    /^You signed the lines in the order @target-uri, @method, content-digest, date, but Signature-Input lists @method, @target-uri, content-digest, date\.$/,
    /^Use the order/,
  ],
  [
    'a form that was sent decoded, with its fields in one order',
    sent('nova=659&echo=ä', 'nova=659&echo=%C3%A4'),
    /^(?!.*in another order).*percent-encoded, but nova=659&echo=ä arrived\.$/,
    /^Hash the bytes/,
  ],
  // The headers.
  [
    'a signed header that was lost',
    { headers: (headers) => headers.filter(([name]) => name !== 'Date') },
    /^Date was signed, but did not arrive\.$/,
    /^Check that proxies and HTTP libraries on the way forward the header: Date\.$/,
  ],
  [
    'two Date headers',
    { headers: (headers) => [...headers, ['Date', date]] },
    /^Date came 2 times, each time the same\.$/,
    /^Set Date once, and check whether your HTTP library adds its own\.$/,
  ],
  [
    'two =',
    { write: (signature) => `sig==:${signature.toString('base64')}:` },
    /^The Signature header begins with `sig==:`\.$/,
    /^Begin it with `sig=:`/,
  ],
  [
    'no colon at the end',
    { write: (signature) => `sig=:${signature.toString('base64')}` },
    /^The Signature header lacks the colon at its end, after `…[\w+/=]{8}`\.$/,
    /^Add a colon after the Base64/,
  ],
  [
    'alg in upper case',
    { params: usualParams.replace('rsa-v1_5-sha256', 'RSA-V1_5-SHA256') },
    /^alg is "RSA-V1_5-SHA256", but its name must be in lower case\.$/,
    /^Use alg="rsa-v1_5-sha256"\.$/,
  ],
  [
    'another component',
    {
      params: usualParams.replace('"date")', '"date" "host")'),
      ...replaced('\n"@signature-params"', '\n"host": api.example.test\n"@signature-params"'),
    },
    /^Signature-Input lists "host", which must not be signed here\.$/,
    /^Remove "host" from Signature-Input and from the signature base\.$/,
  ],
  [
    'a Date in another format',
    { date: new Date(created * 1000).toISOString() },
    /^Date is not an HTTP date: /,
    new RegExp(`^Send \`Date: ${date}\`\\.$`),
  ],
];

describe('what an explanation says', () => {
  for (const [title, change, what, mend] of cases) {
    it(`of ${title}`, () => {
      const { findings } = explained(makeRequest(change));
      assert.equal(findings.length, 1, findings.map((one) => one.what).join('\n'));
      assert.match(findings[0]!.what, what);
      assert.match(findings[0]!.mend, mend);
    });
  }

  it('of a clock that is an hour ahead, and its Date too', () => {
    const { findings } = explained(makeRequest(), { nowSeconds: nowSeconds - 3600 });
    assert.deepEqual(
      findings.map(({ what }) => what),
      [
        "created and Date are 60 min (3598 s) ahead of the service's clock: the local time of UTC+1 was probably taken for UTC.",
      ],
    );
  });

  it('of a path that a proxy changed: both paths, and the proxy', () => {
    const request = makeRequest({
      ...replaced('/v1/payments', '/payments'),
      headers: (headers) => [...headers, ['X-Forwarded-Host', 'api.example.test'], ['Via', '1.1 edge']],
    });
    const { findings } = explained(request);
    assert.deepEqual(
      findings.map(({ what }) => what),
      ['You signed the path /payments, but /v1/payments arrived, with /v1 in front.'],
    );
    assert.match(
      findings[0]!.mend,
      /^The request came through a proxy \(X-Forwarded-Host, Via\)\. If that changes/,
    );
  });

  it('of a prefix that a proxy removed: which one, and what removes prefixes', () => {
    const request = makeRequest({
      ...replaced('/v1/payments', '/api/v1/payments'),
      headers: (headers) => [...headers, ['Via', '2.0 Caddy']],
    });
    const [one] = explained(request).findings;
    assert.equal(
      one?.what,
      'You signed the path /api/v1/payments, but /v1/payments arrived, without /api in front.',
    );
    assert.match(one.mend, /If that removes \/api in front of the path, as handle_path of Caddy/);
  });

  it('of a path that a proxy may have put in lower case', () => {
    const headers = (lines: [string, string][]): [string, string][] => [...lines, ['X-Varnish', '32770']];
    const { findings } = explained(makeRequest({ ...replaced('/v1/pay', '/V1/Pay'), headers }));
    assert.match(findings[0]!.mend, /\/v1\/payments arrived in lower case\. .* std\.tolower of Varnish/);
  });

  it('of a base that was only claimed: built, not signed', () => {
    const whole = makeRequest({ key: strangerKey });
    const { base } = explained(makeRequest({ base: (text) => text.replace('a%20b', 'a+b') }));
    assert.ok(base !== undefined);
    const claim = base.replace('a%20b', 'a+b');
    const { findings } = explained(whole, { claimedBase: claim });
    assert.ok(findings.some(({ what }) => what.startsWith('You built the query ?')));
    assert.ok(
      findings.every(({ what, certainty }) => certainty === 'proven' || !what.startsWith('You signed')),
    );
  });

  it('of an unknown text behind a proxy: to look at the URL first', () => {
    const headers = (lines: [string, string][]): [string, string][] => [...lines, ['X-Varnish', '32770']];
    const { findings } = explained(makeRequest({ base: () => 'unrelated', headers }));
    assert.match(findings[0]!.what, /^Your key is right, but/);
    assert.match(findings[0]!.what, /came through a proxy \(X-Varnish\), which may have changed it\.$/);
    assert.match(findings[0]!.mend, /Start with the URL/);
  });

  it('of an unknown text under the key of another client: not that the key is right', () => {
    const { findings } = explained(makeRequest({ base: () => 'unrelated', key: otherKey }));
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['key_of_other_client', 'base_unrecognised'],
    );
    assert.match(findings[1]!.what, /^A registered key made this signature/);
  });

  it('no text of the body, its keys or its numbers where it must not be kept', () => {
    const bodies: readonly Partial<Signed>[] = [
      sent('{"secretb":1,"secretc":3,"secreta":2}', '{"secretc":3,"secreta":2,"secretb":1}'),
      sent('{"a":77441}', '{"a":77441.0}'),
      sent('map[secret:1]', '{"other":12}'),
      sent('{"secret":77441}', 'unrelated'),
    ];
    for (const body of bodies) {
      const { findings } = explained(makeRequest(body), { omitBodyText: true });
      assert.equal(findings.length, 1);
      assert.doesNotMatch(JSON.stringify(findings), /secret|77441/);
    }
  });

  it('which text is the signed one and which arrived: also of a date, and of a list that was only seen', () => {
    const kindOf = (change: Partial<Signed>): string =>
      evidenceKind(explained(makeRequest(change)).findings[0]!);
    assert.equal(kindOf(replaced(date, date.replace(':42', ':44'))), 'changed');
    assert.equal(kindOf({ params: usualParams.replace('"date")', '"date" "host")') }), 'received');
    assert.equal(kindOf(replaced(uri, uri.replace('/v1', '/v2'))), 'changed');
    assert.equal(kindOf(replaced('"@signature-params": (', '"@signature-params": sig=(')), 'signed');
  });

  it('how to do it with the HTTP client that the request names, once for the URL and once for the body', () => {
    const change = {
      ...sent('{"b":1,"a":2}', '{"a": 2, "b": 1}'),
      ...replaced('ref=a%20b', 'ref=a+b'),
    };
    const mendsFor = (agent: string, ...more: readonly (readonly [string, string])[]): readonly string[] => {
      const request = makeRequest(change);
      const headers = [...request.headers, ['User-Agent', agent] as const, ...more];
      return explained({ ...request, headers }).findings.map(({ mend }) => mend);
    };
    const mends = mendsFor('axios/1.7.0');
    assert.equal(mends.filter((mend) => mend.includes(' axios adds params after')).length, 1);
    assert.equal(mends.filter((mend) => mend.includes(' axios serializes objects after')).length, 1);
    assert.match(mendsFor('Go-http-client/1.1').join(' '), /In Go, sign req\.URL\.String\(\)/);
    assert.deepEqual(mendsFor('axios'), mendsFor('unknown/1.0'));
    // A proxy may have changed the URL, but not the body.
    const behindProxy = mendsFor('axios/1.7.0', ['Via', '1.1 edge']).join(' ');
    assert.doesNotMatch(behindProxy, /axios adds params/);
    assert.match(behindProxy, /axios serializes objects/);
  });

  it('one finding for one wrong form of Content-Digest', () => {
    const digest = `sha-256="${contentDigest(jsonBody).slice(9, -1)}"`;
    const { findings } = explained(makeRequest({ digest, key: ownKey }));
    assert.equal(findings.length, 1);
    assert.deepEqual(findings[0]!.alsoCodes, ['digest_form']);
  });
});
