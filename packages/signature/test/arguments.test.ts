import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';

/*
 * Callers in JavaScript hand over values of wrong types. Such a call fails with an error that names the argument, and
 * never passes a request.
 */

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const privateKey = pair.privateKey;
const nodeKey = node.createVerificationKey(pair.publicKey);
const webKey = await web.createVerificationKey(pair.publicKey);
const nodeSigner = node.createSigner({ keyid: 'shop', privateKey });
const webSigner = await web.createSigner({ keyid: 'shop', privateKey });

const bytes = new TextEncoder().encode('{"amount":1}');
const url = 'https://api.example.com/v1/payments';
const now = 1_790_000_000;
const signedWith = (body?: Uint8Array): ReturnType<typeof nodeSigner.sign> =>
  node
    .createSigner({ keyid: 'shop', privateKey })
    .sign({ method: 'POST', url, ...(body && { body }) }, { created: now });
const unsigned = signedWith();
const signed = signedWith(bytes);

type Parts = Readonly<Record<string, unknown>>;

/** The outcome on Node and with Web Crypto, which must be the same. */
async function verify(request: Parts, options: Parts = {}): Promise<string> {
  const received = { method: 'POST', targetUri: url, headers: Object.entries(unsigned.headers), ...request };
  const common = { nowSeconds: () => now, guard: { use: () => undefined } };
  const onNode = outcome(() => {
    const all = { clientByKeyid: () => ({ keys: [nodeKey] }), ...common, ...options };
    return node.verifyRequest(received as never, all);
  });
  const all = { clientByKeyid: () => ({ keys: [webKey] }), ...common, ...options };
  const onWeb = await web.verifyRequest(received as never, all as never).then(textOf, messageOf);
  assert.equal(onNode, onWeb);
  return onNode;
}

function outcome(work: () => { readonly ok: boolean }): string {
  try {
    return textOf(work());
  } catch (error) {
    return messageOf(error);
  }
}

function textOf(result: { readonly ok: boolean; readonly code?: string }): string {
  return result.ok ? 'accepted' : result.code!;
}

function messageOf(error: unknown): string {
  assert.ok(error instanceof TypeError, String(error));
  return error.message;
}

describe('a body', () => {
  const forms: Readonly<Record<string, unknown>> = {
    ArrayBuffer: bytes.slice().buffer,
    DataView: new DataView(bytes.buffer),
    Buffer: Buffer.from(bytes),
    'Uint8Array of another realm': runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] }),
    'ArrayBuffer of another realm': runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] }),
  };
  for (const [name, body] of Object.entries(forms)) {
    test(`${name}: its bytes count`, async () => {
      assert.equal(await verify({ body }), 'components_invalid');
      const headers = Object.entries(signed.headers);
      assert.equal(await verify({ body, headers }), 'accepted');
      assert.equal(await verify({ body: new Uint8Array(bytes.length), headers }), 'digest_mismatch');
    });
    test(`${name}: signs as its bytes`, async () => {
      const asked = { method: 'POST', url, body: body as Uint8Array };
      const expected = signed.headers['Content-Digest'];
      assert.equal(nodeSigner.sign(asked).headers['Content-Digest'], expected);
      assert.equal((await webSigner.sign(asked)).headers['Content-Digest'], expected);
      assert.equal(node.contentDigest(body as Uint8Array), expected);
      assert.equal(await web.contentDigest(body as Uint8Array), expected);
    });
  }

  const wrong: Readonly<Record<string, unknown>> = {
    'a text': '{"amount":1}',
    'an empty text': '',
    'a parsed object': { amount: 1 },
    'an object with a length': { length: 0 },
    'an array': [1, 2],
    '16-bit numbers': new Uint16Array(6),
    'a number': 12,
    true: true,
    'a Blob': new Blob([bytes]),
    'a stream': new Blob([bytes]).stream(),
    'a promise': Promise.resolve(bytes),
    'an object that calls itself an ArrayBuffer': { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 0 },
  };
  for (const [name, body] of Object.entries(wrong)) {
    test(`${name}: verifying names the body`, async () => {
      assert.match(await verify({ body }), /^body must be bytes: /);
    });
    if (typeof body === 'string') continue;
    test(`${name}: signing names the body`, async () => {
      const asked = { method: 'POST', url, body } as never;
      const expected = { code: 'request_invalid', message: /the body must be a text or bytes/ };
      assert.throws(() => nodeSigner.sign(asked), expected);
      await assert.rejects(webSigner.sign(asked), expected);
      assert.throws(() => node.contentDigest(body as never), /^TypeError: body must be bytes/);
      await assert.rejects(web.contentDigest(body as never), /^TypeError: body must be bytes/);
    });
  }

  test('undefined, null and no bytes: none', async () => {
    for (const body of [undefined, null, new Uint8Array(0), new ArrayBuffer(0)])
      assert.equal(await verify({ body }), 'accepted');
  });
});

describe('verifying names what has a wrong type', () => {
  const requests: readonly (readonly [Parts, RegExp])[] = [
    [{ method: undefined }, /^method must be a string/],
    [{ method: ['POST'] }, /^method must be a string/],
    [{ targetUri: new URL(url) }, /^targetUri must be a string/],
    [{ targetUri: undefined }, /^targetUri must be a string/],
    [{ headers: undefined }, /^headers must be a flat list/],
    [{ headers: null }, /^headers must be/],
    [{ headers: { ...unsigned.headers } }, /^headers must be/],
    [{ headers: JSON.stringify(unsigned.headers) }, /^headers must be/],
    [{ headers: Object.entries(unsigned.headers).flat().slice(1) }, /^headers must be/],
    [{ headers: [...Object.entries(unsigned.headers), ['Date']] }, /^headers must be/],
    [{ headers: [...Object.entries(unsigned.headers), 'Date'] }, /^headers must be/],
    [{ headers: [['Signature', ['a', 'b']]] }, /^headers must be/],
    [{ headers: ['Signature', undefined] }, /^headers must be/],
    [{ headers: [undefined, 'a'] }, /^headers must be/],
  ];
  for (const [request, expected] of requests) {
    test(`request: ${expected.source} (${JSON.stringify(Object.values(request)[0])?.slice(0, 40)})`, async () => {
      assert.match(await verify(request), expected);
    });
  }

  const window = node.profileTimeWindow;
  const options: readonly (readonly [Parts, RegExp])[] = [
    [{ nowSeconds: () => Number.NaN }, /nowSeconds must be a finite number/],
    [{ nowSeconds: () => undefined }, /nowSeconds must be a finite number/],
    [{ nowSeconds: () => String(now) }, /nowSeconds must be a finite number/],
    [{ nowSeconds: () => BigInt(now) }, /nowSeconds must be a finite number/],
    [{ nowSeconds: async () => now }, /nowSeconds must be a finite number/],
    [{ nowSeconds: now }, /^nowSeconds must be a function/],
    [{ window: {} }, /^window.maxAgeSeconds must be a number/],
    [{ window: null }, /^window must be an object/],
    [{ window: { ...window, maxFutureSeconds: undefined } }, /^window.maxFutureSeconds must be/],
    [
      { window: { ...window, maxDateDifferenceSeconds: Number.NaN } },
      /^window.maxDateDifferenceSeconds must/,
    ],
    [{ window: { ...window, maxAgeSeconds: Infinity } }, /^window.maxAgeSeconds must be/],
    [{ window: { ...window, maxAgeSeconds: '300' } }, /^window.maxAgeSeconds must be/],
    [{ window: { ...window, maxAgeSeconds: -1 } }, /^window.maxAgeSeconds must be/],
    [{ nonce: 'require' }, /^nonce must be one of/],
    [{ nonce: true }, /^nonce must be one of/],
    [{ guard: undefined }, /^guard must be a replay guard/],
    [{ guard: () => undefined }, /^guard must be a replay guard/],
    [{ guard: { use: () => true } }, /guard.use must be a refusal, or undefined/],
    [{ guard: { use: () => null } }, /guard.use must be a refusal, or undefined/],
    [{ clientByKeyid: new Map() }, /^clientByKeyid must be a function/],
    [{ clientByKeyid: () => 'shop' }, /clientByKeyid must be an object/],
    [{ clientByKeyid: () => ({}) }, /^keys of the client must be an array/],
    [
      { clientByKeyid: () => ({ keys: [], profile: 'toString' }) },
      /^profile of the client must be one of "countersign", "countersign-without-date"/,
    ],
    [
      { clientByKeyid: () => ({ keys: [pair.publicKey] }) },
      /^A key of the client must be a verification key/,
    ],
    [{ clientByKeyid: () => ({ keys: [{}] }) }, /^A key of the client must be a verification key/],
  ];
  for (const [given, expected] of options) {
    test(`option: ${expected.source} (${Object.keys(given)[0]})`, async () => {
      assert.match(await verify({}, given), expected);
    });
  }

  test('no request, no options', async () => {
    assert.throws(
      () => node.verifyRequest(undefined as never, {} as never),
      /^TypeError: The request must be/,
    );
    await assert.rejects(web.verifyRequest(null as never, {} as never), /^TypeError: The request must be/);
    const request = { method: 'GET', targetUri: url, headers: [], body: undefined };
    assert.throws(() => node.verifyRequest(request, undefined as never), /^TypeError: options must be/);
    await assert.rejects(web.verifyRequest(request, undefined as never), /^TypeError: options must be/);
  });

  test('a client whose acceptWithoutDate is a text may not leave it out', async () => {
    const withoutDate = node.createSigner({ keyid: 'shop', privateKey, coverDate: false });
    const { headers } = withoutDate.sign({ method: 'POST', url }, { created: now });
    const client = (keys: readonly unknown[]): unknown => ({ keys, acceptWithoutDate: 'false' });
    const request = { method: 'POST', targetUri: url, headers: Object.entries(headers), body: undefined };
    const result = node.verifyRequest(request, {
      clientByKeyid: () => client([nodeKey]) as never,
      guard: node.acceptReplaysUnsafely,
      nowSeconds: () => now,
    });
    assert.equal(textOf(result), 'components_invalid');
  });
});

describe('signing names what has a wrong type', () => {
  const options: readonly (readonly [Parts, RegExp])[] = [
    [{ keyid: undefined }, /the keyid, is missing or invalid/],
    [{ privateKey: undefined }, /The private key is missing/],
    [{ privateKey: 5 }, /The private key is missing/],
    [{ privateKey: {} }, /The private key is missing/],
    [{ privateKey: Buffer.from(privateKey) }, /The private key is missing/],
    [{ coverDate: 'false' }, /^coverDate must be true or false/],
    [{ nonce: 'optional' }, /^nonce must be true or false/],
    [{ nowMs: 5 }, /^nowMs must be a function/],
    [{ monotonicMs: 5 }, /^monotonicMs must be a function/],
  ];
  for (const [given, message] of options) {
    test(`option: ${message.source} (${typeof Object.values(given)[0]})`, async () => {
      const all = { keyid: 'shop', privateKey, ...given } as never;
      assert.throws(() => node.createSigner(all), { message });
      await assert.rejects(web.createSigner(all), { message });
    });
  }

  const requests: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /^The request must be an object/],
    [{ method: undefined, url }, /the method must be a string/],
    [{ method: 5, url }, /the method must be a string/],
    [{ method: 'GET', url: undefined }, /the URL must be a string or a URL/],
    [{ method: 'GET', url: null }, /the URL must be a string or a URL/],
    [{ method: 'GET', url: { toString: () => url } }, /the URL must be a string or a URL/],
  ];
  for (const [request, message] of requests) {
    test(`request: ${message.source}`, async () => {
      assert.throws(() => nodeSigner.sign(request as never), { message });
      await assert.rejects(webSigner.sign(request as never), { message });
    });
  }

  test('a clock that tells no time', () => {
    for (const time of [Number.NaN, undefined, Infinity]) {
      const signer = node.createSigner({ keyid: 'shop', privateKey, nowMs: () => time as number });
      assert.throws(() => signer.sign({ method: 'GET', url }), { message: /nowMs must return a number/ });
    }
    const signer = node.createSigner({ keyid: 'shop', privateKey, monotonicMs: () => Number.NaN });
    assert.throws(() => signer.sign({ method: 'GET', url }), { message: /monotonicMs must return a number/ });
  });

  test('times', () => {
    for (const time of [
      { created: '5' },
      { created: Number.NaN },
      { created: null },
      { date: 5 },
      { date: new Date() },
    ])
      assert.throws(() => nodeSigner.sign({ method: 'GET', url }, time as never), {
        code: 'request_invalid',
      });
  });
});

describe('reading keys', () => {
  test('names a text that is none, such as the Buffer of a file', async () => {
    const pem = Buffer.from(pair.publicKey) as never;
    const expected = /^TypeError: The text.* must be a string; it is Uint8Array\.$/;
    for (const { readPublicKey, readPlainPrivateKey, holdsPrivateKey } of [node, web]) {
      assert.throws(() => readPublicKey(pem), expected);
      assert.throws(() => readPlainPrivateKey(pem), expected);
      assert.throws(() => holdsPrivateKey(pem), expected);
    }
    assert.throws(() => node.createVerificationKey(pem), expected);
    await assert.rejects(web.createVerificationKey(pem), expected);
    await assert.rejects(node.readPrivateKey(pem), expected);
    await assert.rejects(
      node.readPublicKeyInTurns(pem, {}, async () => {}),
      expected,
    );
  });
});

describe('the memory guard', () => {
  const signature = { id: 'a'.repeat(16), keyid: 'shop', created: now, isSafe: false };

  test('names an option that it cannot use', () => {
    const options: readonly (readonly [Parts, RegExp])[] = [
      [{ repeat: 'Strict' }, /^repeat must be one of/],
      [{ horizonSeconds: Number.NaN }, /^horizonSeconds must be/],
      [{ horizonSeconds: '5' }, /^horizonSeconds must be/],
      [{ window: {} }, /^window.maxAgeSeconds must be/],
      [{ monotonicMs: 5 }, /^monotonicMs must be a function/],
      [{ entriesMax: '5' }, /^entriesMax must be/],
      [{ clientShareMax: Number.NaN }, /^clientShareMax must be/],
    ];
    for (const [given, message] of options)
      assert.throws(() => new node.MemoryReplayGuard(given), { message });
  });

  test('lets nothing pass while a clock tells no time', () => {
    const guard = new node.MemoryReplayGuard();
    assert.equal(guard.use(signature, Number.NaN)?.code, 'guard_unavailable');
    const withoutClock = new node.MemoryReplayGuard({ monotonicMs: () => Number.NaN });
    assert.equal(withoutClock.use(signature, now)?.code, 'guard_unavailable');
  });
});
