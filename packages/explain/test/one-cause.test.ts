import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codesOf, type Explanation } from '../src/index.ts';
import {
  contentDigest,
  date,
  explained,
  makeRequest,
  paramsWithoutBody,
  revokedKey,
  type Signed,
  signBare,
  uri,
  usualParams,
} from './mistaken-request.ts';
import { hash } from 'node:crypto';

type Lines = [string, string][];

function findingsOf(change: Partial<Signed>): readonly string[] {
  return explained(makeRequest(change)).findings.map((one) => codesOf(one).join(' + '));
}

const twice =
  (...names: readonly string[]) =>
  (lines: Lines): Lines =>
    lines.flatMap((line): Lines => (names.includes(line[0]) ? [line, line] : [line]));
const joined =
  (...names: readonly string[]) =>
  (lines: Lines): Lines =>
    lines.map(([name, value]) => [name, names.includes(name) ? `${value}, ${value}` : value]);
const listed = (component: string): string => usualParams.replace('"@target-uri"', component);

describe('one cause, one finding', () => {
  const path = uri.replace('https://api.example.test', '');
  const cases: readonly (readonly [title: string, change: Partial<Signed>, expected: string])[] = [
    ['Signature twice', { headers: twice('Signature') }, 'header_repeated'],
    ['Signature joined', { headers: joined('Signature') }, 'header_repeated'],
    ['Signature-Input joined', { headers: joined('Signature-Input') }, 'header_repeated'],
    ['both twice', { headers: twice('Signature', 'Signature-Input') }, 'header_repeated'],
    ['both joined', { headers: joined('Signature', 'Signature-Input') }, 'header_repeated'],
    ['the path and query as target', { base: (base) => base.replace(uri, path) }, 'url_path_only'],
    [
      'the path below a prefix as target',
      { base: (base) => base.replace(uri, path.replace('/v1', '')) },
      'url_path_only + url_path_prefix',
    ],
    [
      '@path listed',
      {
        params: listed('"@path"'),
        base: (base) => base.replace(`"@target-uri": ${uri}`, '"@path": /v1/payments'),
      },
      'base_missing_component + base_extra_component',
    ],
    [
      '@path and @query listed',
      {
        params: listed('"@path" "@query"'),
        base: (base) =>
          base.replace(
            `"@target-uri": ${uri}`,
            '"@path": /v1/payments\n"@query": ?state=open&limit=20&ref=a%20b',
          ),
      },
      'base_missing_component + base_extra_component',
    ],
    [
      'a Date in another zone',
      { date: date.replace('16:28:42 GMT', '18:28:42 +0200') },
      'date_format + date_time_zone',
    ],
    [
      'a parameter in another case',
      { params: usualParams.replace('keyid', 'keyId') },
      'parameter_unknown + parameter_missing',
    ],
    [
      'the text of the hash, padded',
      { sign: (base, key) => signBare(Buffer.from(hash('sha256', base)), key) },
      'signature_no_digest_info + signature_of_hex_hash',
    ],
    [
      'a signature like that of a webhook',
      { write: (signature) => `sha256=${signature.toString('base64')}` },
      'signature_form + signature_label',
    ],
    [
      'a signature in quotes',
      { write: (signature) => `sig="${signature.toString('base64')}"` },
      'signature_form',
    ],
  ];
  for (const [title, change, expected] of cases)
    it(title, () => assert.deepEqual(findingsOf(change), [expected]));

  it('the revoked key of another client', () => {
    const { candidate } = revokedKey;
    const request = makeRequest({ key: revokedKey, params: usualParams.replace('_01kown', '_01kother') });
    const { findings } = explained(request);
    assert.deepEqual(findings.map(codesOf), [
      ['key_of_other_client', 'keyid_of_other_client', 'key_revoked'],
    ]);
    assert.ok(findings[0]!.what.includes(candidate.fingerprint));
  });

  it('a path that was decoded on the way is not malformed for another reason', () => {
    const signed = makeRequest({ body: Buffer.alloc(0), params: paramsWithoutBody });
    const { findings } = explained({ ...signed, targetUri: uri.replace('a%20b', 'a b') });
    assert.deepEqual(findings.map(codesOf), [['url_query_encoding', 'request_malformed']]);
  });

  it('a Date that came twice does not say why Signature is malformed', () => {
    const headers = (lines: Lines): Lines =>
      twice('Date')(lines).map(([name, value]) => [
        name,
        name === 'Signature' ? `${value};a=1;b=2, x=1` : value,
      ]);
    const codes = findingsOf({ headers });
    assert.ok(
      codes.some((code) => code.startsWith('signature_')),
      codes.join(),
    );
    assert.ok(codes.includes('header_repeated'), codes.join());
  });
});

describe('the table of checks', () => {
  const names = 'framing presence syntax parameters algorithm components time signature body';
  const rows = ({ checks }: Explanation): string => {
    assert.equal(checks.map(({ name }) => name).join(' '), names);
    const letters = { passed: '+', failed: 'x', 'not-reached': '.' };
    return checks.map(({ state }) => letters[state]).join('');
  };
  const cases: readonly (readonly [title: string, change: Partial<Signed>, expected: string])[] = [
    ['all right', {}, '+++++++++'],
    ['no signature', { headers: (lines) => lines.filter(([name]) => name !== 'Signature') }, '+x.......'],
    ['a base with another method', { base: (base) => base.replace('POST', 'GET') }, '+++++++x.'],
    // The form of the digest is checked before the signature, but is part of check 12.
    ['a malformed digest', { digest: 'sha-256=none' }, '+++++++.x'],
    ['a digest of something else', { digest: contentDigest('other') }, '++++++++x'],
    // That a client may leave out "date" is known after the signature, but is part of check 6.
    ['no date', { params: paramsWithoutBody.replace(' "date"', ''), body: Buffer.alloc(0) }, '+++++x++.'],
  ];
  for (const [title, change, expected] of cases)
    it(`has each check once, in order: ${title}`, () =>
      assert.equal(rows(explained(makeRequest(change))), expected));

  it('says why the signature was not checked before a malformed digest', () => {
    const { checks } = explained(makeRequest({ digest: 'sha-256=none' }));
    const facts = checks.find(({ name }) => name === 'signature')?.facts;
    assert.deepEqual(facts, { reason: 'it needs a valid Content-Digest first' });
  });
});
