import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createSigner } from '@countersign/signature/node';
import type { DebugAnswer, DebugRequest } from '../src/pages/debugger/debug-request.ts';
import { explainDebugRequest, withLineEndsOfWire } from '../src/pages/debugger/explain-debug-request.ts';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const signer = createSigner({ keyid: 'client_1', privateKey: pair.privateKey });
const body = '{"a":1,\r\n"b":2}';
const signed = signer.sign({ method: 'POST', url: 'https://api.example.com/v1/payments/', body });
const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}`);

/** As it stands in a field of a page, whose line ends are LF. */
const pasted = [
  'POST /v1/payments HTTP/1.1',
  'Host: api.example.com',
  `Content-Length: ${body.length}`,
  ...lines,
  '',
  body.replace('\r\n', '\n'),
].join('\n');

const key = { spkiPem: pair.publicKey, fingerprint: '', clientId: '', keyState: 'active' as const };

function explain(part: Partial<DebugRequest>): Promise<DebugAnswer> {
  return explainDebugRequest(
    {
      source: { kind: 'text', text: pasted, entry: undefined },
      body: undefined,
      sent: undefined,
      candidates: [key],
      baseUrls: ['https://api.example.com'],
      clock: { kind: 'signed' },
      claimedBase: undefined,
      profile: 'countersign',
      messageProfile: undefined,
      ...part,
    },
    Date.parse('2030-01-01T00:00:00Z'),
  );
}

async function codesOf(part: Partial<DebugRequest>): Promise<string[]> {
  const answer = await explain(part);
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer.conclusion.findings.map(({ code, certainty }) => `${code} ${certainty}`);
}

describe('explaining in the page', () => {
  it('the time of signing is read from a Signature-Input under another name too', async () => {
    const renamed = pasted.replace('Signature-Input:', 'X-Signature-Input:');
    const codes = await codesOf({ source: { kind: 'text', text: renamed, entry: undefined } });
    assert.ok(codes.includes('header_renamed observed'));
    assert.ok(!codes.some((code) => code.startsWith('clock_')), codes.join());
  });

  it('what is no request is told with what would help', async () => {
    const answer = await explain({ source: { kind: 'text', text: 'hello', entry: undefined } });
    assert.ok(!answer.ok);
    assert.equal(answer.advice, 'give-fields');
    const curl = await explain({
      source: { kind: 'text', text: 'curl https://a.example/ -d @secret.json', entry: undefined },
    });
    assert.ok(!curl.ok);
    assert.equal(curl.advice, 'give-body-instead');
    const base = await explain({ baseUrls: ['nonsense'] });
    assert.ok(!base.ok);
  });

  it('a pasted request: the mistake is proved, at the time at which it was signed', async () => {
    assert.deepEqual(await codesOf({}), ['url_trailing_slash proven']);
    assert.ok((await codesOf({ clock: { kind: 'now' } })).some((code) => code.startsWith('clock_')));
  });

  it('a pasted key counts for the client that the request names; without a key nothing is proved', async () => {
    const answer = await explain({});
    assert.ok(answer.ok && answer.keyid === 'client_1' && answer.bodyBytes === body.length);
    assert.deepEqual(await codesOf({ candidates: [] }), []);
  });

  it('what was changed between the program and the service, and after which hop it is no longer valid', async () => {
    const asSent = pasted.replace('POST /v1/payments ', 'POST /v1/payments/ ');
    const answer = await explain({ sent: asSent });
    assert.ok(answer.ok);
    const { verdict, isProven, hops } = answer.hops!;
    assert.deepEqual([verdict, isProven], ['broken', true]);
    assert.deepEqual(
      hops[0]!.changes.map(({ kinds, isSigned }) => [kinds[0].code, isSigned]),
      [['trailing_slash', true]],
    );
    assert.equal((await explain({ sent: asSent, candidates: [] })).ok, true);
    const same = await explain({
      source: { kind: 'text', text: asSent, entry: undefined },
      sent: asSent,
    });
    assert.ok(same.ok && same.hops?.verdict === 'intact' && same.conclusion.verdict === 'valid');
  });

  it('what was never valid is explained as it was sent; what cannot be read is told apart', async () => {
    const rewritten = pasted.replace('"b":2', '"b":3');
    const answer = await explain({
      source: { kind: 'text', text: rewritten, entry: undefined },
      sent: pasted,
    });
    assert.ok(answer.ok && answer.hops?.verdict === 'never-valid');
    assert.deepEqual(
      answer.conclusion.findings.map(({ code }) => code),
      ['url_trailing_slash'],
    );
    const unreadable = await explain({ sent: 'hello' });
    assert.ok(!unreadable.ok && unreadable.part === 'sent');
    const both = await explain({
      source: { kind: 'text', text: 'hello', entry: undefined },
      sent: 'hello',
    });
    assert.ok(!both.ok && both.part === 'request');
  });

  it('fields and a body that is given apart', async () => {
    const source = {
      kind: 'fields',
      method: 'POST',
      url: 'https://api.example.com/v1/payments',
      headers: lines,
    } as const;
    assert.deepEqual(await codesOf({ source, body }), ['url_trailing_slash proven']);
    assert.ok((await codesOf({ source, body: '{}' })).includes('body_other likely'));
  });

  it('a body that was hashed before it was compressed', async () => {
    const compressed = gzipSync(body);
    const head = `POST /v1/payments/ HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: ${compressed.length}\r\n`;
    const bytes = Buffer.concat([Buffer.from(`${head}${lines.join('\r\n')}\r\n\r\n`), compressed]);
    const codes = await codesOf({ source: { kind: 'bytes', bytes, entry: undefined } });
    assert.deepEqual(codes, ['body_compression proven']);
  });

  it('line ends that a field of a page has changed are those of the wire again, where the length says so', () => {
    const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    assert.equal(text(withLineEndsOfWire('POST / HTTP/1.1\nContent-Length: 4\n\na\nb')).slice(-4), 'a\r\nb');
    for (const same of ['POST / HTTP/1.1\nContent-Length: 3\n\na\nb', 'POST / HTTP/1.1\n\na\nb', 'curl x'])
      assert.equal(text(withLineEndsOfWire(same)), same);
  });
});
