import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSigner, type SignedRequest } from '@countersign/signature/node';
import { exits } from '../src/exits.ts';
import { folderWithKeys, otherPair, pair } from './key-files.ts';
import { type Ended, run, runProgram } from './run.ts';

const created = 1_700_000_000;
const signer = createSigner({ keyid: 'client_test', privateKey: pair.privateKey });
const earlierSigner = createSigner({ keyid: 'client_test', privateKey: pair.privateKey, coverDate: false });
let signatures = 0;

/** A signed request as sent, with a URL of its own, because a signer never signs the same request twice. */
function wire(
  body = '',
  lineEnd = '\r\n',
  more: readonly string[] = [],
  by = signer,
): { bytes: Buffer; signed: SignedRequest } {
  const url = `https://api.example.com/v1/payments?n=${signatures++}`;
  const signed = by.sign({ method: 'POST', url, body }, { created });
  const lines = [
    `POST ${url.slice('https://api.example.com'.length)} HTTP/1.1`,
    'Host: api.example.com',
    ...(more.length > 0 || body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...more,
    ...Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join(lineEnd)}${lineEnd}${lineEnd}`), Buffer.from(body)]),
    signed,
  };
}

interface VerifyOptions {
  readonly argv?: readonly string[];
  readonly at?: string;
  readonly key?: string;
}

function verify(
  context: TestContext,
  input: Uint8Array | string,
  options: VerifyOptions = {},
): Promise<Ended> {
  const { argv = [], at = String(created + 3), key = 'public.pem' } = options;
  const folder = folderWithKeys(context);
  writeFileSync(join(folder, 'other.pem'), otherPair.publicKey);
  return run(['verify', '--key', key, '--at', at, ...argv], { folder, input });
}

async function assertRefused(ended: Promise<Ended>, code: string, says: RegExp = /./): Promise<void> {
  const { code: exit, out, errors } = await ended;
  assert.match(out, new RegExp(`^Refused: ${code}\n`), errors);
  assert.match(out, says);
  assert.equal(exit, exits.refused.code);
}

describe('verify: the key', () => {
  it('must be a public key that is there', async (context) => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['missing.pem', /public key missing\.pem does not exist/],
      ['private.pem', /This is a private key.*create a new one.*openssl pkey -in private\.pem -pubout/],
      ['.', /is a folder/],
    ];
    for (const [key, says] of cases) {
      const { code, out, errors } = await verify(context, wire().bytes, { key });
      assert.equal(code, exits.local.code);
      assert.match(errors, says);
      assert.ok(!/MII/.test(errors + out));
    }
  });

  it('is told when everybody has it', async (context) => {
    const folder = folderWithKeys(context);
    const file = new URL('../../../vectors/profile/key-registration.json', import.meta.url);
    const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: { id: string; text: string }[] };
    writeFileSync(
      join(folder, 'published.pem'),
      cases.find(({ id }) => id === 'key/known-rfc9421')?.text ?? '',
    );
    const { errors, code } = await run(['verify', '--key', 'published.pem'], {
      folder,
      input: wire().bytes,
    });
    assert.equal(code, exits.refused.code);
    assert.match(errors, /published test key: anyone can sign with it/);
  });
});

describe('verify: refusals', () => {
  it('of bytes that are no request', async (context) => {
    const { bytes } = wire('{"a":1}');
    const text = bytes.toString('latin1');
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /empty line after the headers is missing/],
      ['\0\0\0', /empty line/],
      ['hello\r\n\r\n', /first line is not of the form/],
      [text.replace(' HTTP/1.1', ' HTTP/2'), /first line/],
      [text.replace('POST ', 'POST  '), /first line/],
      [text.replace('Host:', 'Host :'), /line 2 is not of the form/],
      [text.replace('Host: ', 'Host: a\rb'), /line 2/],
      [text.replace('\r\nDate', '\r\n Date'), /line \d is not of the form/],
      [
        text.replace('Content-Length: 7', 'Content-Length: 7\r\nContent-Length: 7'),
        /Content-Length is not one whole number/,
      ],
      [text.replace('Content-Length: 7', 'Content-Length: +7'), /Content-Length is not one whole number/],
      [text.replace('Content-Length: 7', 'Content-Length: 7\r\nTransfer-Encoding: chunked'), /both/],
      [
        text.replace('Content-Length: 7', 'Transfer-Encoding: gzip, chunked'),
        /Transfer-Encoding is not chunked/,
      ],
      [text.replace('Content-Length: 7', 'Transfer-Encoding: chunked'), /chunked body is damaged/],
      [text.replace('Host: api.example.com\r\n', ''), /exactly one Host/],
      [
        text.replace('Host: api.example.com', 'Host: api.example.com\r\nHost: evil.example'),
        /exactly one Host/,
      ],
      [text.replace('POST /', 'POST *'), /neither a path nor a URL/],
      [text.replace('?n=', '?n=#'), /not an absolute http or https URL/],
    ];
    for (const [input, says] of cases) {
      await assertRefused(verify(context, Buffer.from(input, 'latin1')), 'request_malformed', says);
    }
  });

  it('tells what the profile expects and what came instead', async (context) => {
    const text = wire('{"a":1}').bytes.toString();
    await assertRefused(
      verify(context, text.replace('"content-digest" "date"', '"date" "content-digest"')),
      'components_invalid',
      /expected +\("@method" "@target-uri" "content-digest" "date"\).*\n *received +\("@method" "@target-uri" "date"/,
    );
    await assertRefused(
      verify(context, text.replace(/Signature-Input.*\r\n/, '')),
      'signature_missing',
      /Signature-Input header is missing/,
    );
    await assertRefused(
      verify(context, text.replace('{"a":1}', '{"a":2}')),
      'digest_mismatch',
      /7 bytes that were received/,
    );
    await assertRefused(
      verify(context, text.replace('rsa-v1_5', 'rsa-v1_6')),
      'algorithm_not_allowed',
      /received +rsa-v1_6/,
    );
  });

  it('of another time says how to check a recorded request', async (context) => {
    await assertRefused(
      verify(context, wire().bytes, { at: String(created + 301) }),
      'created_expired',
      /--at/,
    );
    await assertRefused(
      verify(context, wire().bytes, { at: '2023-11-14T22:12:00Z' }),
      'created_in_future',
      /--at/,
    );
    const folder = folderWithKeys(context);
    const now = await run(['verify', '--key', 'public.pem'], { folder, input: wire().bytes });
    assert.match(now.out, /created_expired/);
  });

  it('of a signature tells with which key and URL it was tried', async (context) => {
    await assertRefused(
      verify(context, wire().bytes, { key: 'other.pem' }),
      'signature_invalid',
      /URL +https:.*\n *key +SHA256:/,
    );
    const text = wire().bytes.toString();
    await assertRefused(verify(context, text.replace('POST', 'PUT')), 'signature_invalid', /method +PUT/);
  });

  it('of the wrong scheme says which one is right', async (context) => {
    const { bytes } = wire('{"a":1}');
    await assertRefused(
      verify(context, bytes, { argv: ['--scheme', 'http'] }),
      'signature_invalid',
      /what to do +The signature is for https:\/\/api\.example\.com\/\S+: give --scheme https\./,
    );
    const changed = bytes.toString().replace('{"a":1}', '{"a":2}');
    await assertRefused(
      verify(context, changed, { argv: ['--scheme', 'http'] }),
      'signature_invalid',
      /give --scheme https/,
    );
  });

  it('of another client', async (context) => {
    await assertRefused(
      verify(context, wire().bytes, { argv: ['--client-id', 'client_other'] }),
      'signature_invalid',
      /another clientId\n *expected +client_other\n *received +client_test\n/,
    );
  });

  it('of the form without Date, unless it is allowed', async (context) => {
    const { bytes } = wire('', '\r\n', [], earlierSigner);
    await assertRefused(verify(context, bytes), 'components_invalid', /"date" is not covered/);
    assert.equal((await verify(context, bytes, { argv: ['--accept-without-date'] })).code, exits.ok.code);
  });

  it('is JSON for scripts', async (context) => {
    const { code, out } = await verify(context, wire().bytes, { argv: ['--json'], key: 'other.pem' });
    assert.equal(code, exits.refused.code);
    const refusal = JSON.parse(out) as Record<string, unknown>;
    assert.equal(refusal['ok'], false);
    assert.equal(refusal['code'], 'signature_invalid');
    assert.match(String(refusal['advice']), /Check that the public key/);
  });
});

describe('verify: what a file does to a request', () => {
  it('warns when line ends were changed in the body too', async (context) => {
    const text = wire('line 1\r\nline 2\r\n').bytes.toString();
    const ended = verify(context, text.replaceAll('\r\n', '\n'));
    await assertRefused(ended, 'digest_mismatch');
    assert.match(
      (await ended).errors,
      /note: The body has 2 bytes fewer than Content-Length says\. The line ends .* from CRLF to LF/,
    );
  });

  it('warns when the file was cut off', async (context) => {
    const { bytes } = wire('{"amount":100}');
    const ended = verify(context, bytes.subarray(0, -3));
    await assertRefused(ended, 'digest_mismatch');
    assert.match((await ended).errors, /3 bytes fewer.*cut off/);
  });

  it('leaves out what an editor adds at the end', async (context) => {
    const { bytes } = wire('{"a":1}');
    const ended = await verify(context, Buffer.concat([bytes, Buffer.from('\n')]));
    assert.equal(ended.code, exits.ok.code);
    assert.match(ended.errors, /longer than Content-Length says: 1 extra byte is ignored/);
    assert.equal(
      (await verify(context, Buffer.concat([wire().bytes, Buffer.from('\r\n')]))).code,
      exits.ok.code,
    );
  });

  it('takes the rest as the body when there is no length', async (context) => {
    const text = wire('{"a":1}').bytes.toString().replace('Content-Length: 7\r\n', '');
    const ended = await verify(context, text);
    assert.equal(ended.code, exits.ok.code);
    assert.match(ended.errors, /There is no Content-Length: all 7 bytes/);
  });
});

describe('verify: a valid request', () => {
  it('with and without a body, with both line ends, is told with what was verified', async (context) => {
    for (const { bytes } of [wire(), wire('{"a":"ü\0"}'), wire('{"a":1}', '\n')]) {
      const { code, out, errors } = await verify(context, bytes, { argv: ['--client-id', 'client_test'] });
      assert.equal(code, exits.ok.code, out);
      assert.equal(errors, '');
      assert.match(out, /^The signature is valid\.\n/);
      assert.match(out, /client +client_test\n/);
      assert.match(out, /key +SHA256:\S{43} \(RSA, 2048 bits\)\n/);
      assert.match(out, /URL +https:\/\/api\.example\.com\/v1\/payments\?n=\d+\n/);
      assert.match(out, /created +2023-11-14T22:13:20\.000Z, 3 s before\n/);
      assert.match(out, /Not checked: whether the client is active/);
    }
  });

  it('in chunks', async (context) => {
    const body = 'hello chunked world\r\n';
    const chunked = '6\r\nhello \r\nF;x=1\r\nchunked world\r\n\r\n0\r\nTrailer: x\r\n\r\n';
    const head = wire(body, '\r\n', ['Transfer-Encoding: chunked']).bytes.toString().slice(0, -body.length);
    assert.equal((await verify(context, head + chunked)).code, exits.ok.code);
    for (const damaged of [
      chunked.replace('6\r\n', '7\r\n'),
      chunked.slice(0, -2),
      chunked.replace('0\r\nT', 'T'),
      `${chunked}GET`,
    ]) {
      await assertRefused(verify(context, head + damaged), 'request_malformed', /chunked body is damaged/);
    }
  });

  it('as a proxy writes it, or called by another URL', async (context) => {
    const { bytes, signed } = wire();
    const absolute = bytes.toString().replace(/POST \S+/, `POST ${signed.url}`);
    assert.equal((await verify(context, absolute, { argv: ['--scheme', 'http'] })).code, exits.ok.code);
    const inside = bytes.toString().replace('Host: api.example.com', 'Host: inside:8080');
    assert.equal((await verify(context, inside, { argv: ['--url', signed.url] })).code, exits.ok.code);
  });

  it('against a key in another form, from a file, by the program itself, as JSON', async (context) => {
    const folder = folderWithKeys(context);
    const { bytes } = wire('{"a":1}');
    writeFileSync(join(folder, 'request.http'), bytes);
    writeFileSync(
      join(folder, 'key.jwk'),
      JSON.stringify(createPublicKey(pair.publicKey).export({ format: 'jwk' })),
    );
    const at = new Date((created - 2) * 1000).toISOString();
    const argv = ['verify', 'request.http', '--key', 'key.jwk', '--at', at, '--json'];
    const { code, out, errors } = await runProgram(argv, { folder });
    assert.equal(code, exits.ok.code, errors);
    const verified = JSON.parse(out) as Record<string, unknown>;
    assert.equal(verified['ok'], true);
    assert.equal(verified['keyid'], 'client_test');
    assert.equal(verified['bodyBytes'], 7);
    assert.equal(verified['clockDifferenceSeconds'], 2);
    assert.deepEqual(verified['warnings'], []);
  });
});
