import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';
import { pair, pkcs8Pem, spkiPem } from './keys/generated-keys.ts';

const noon = 1_800_000_000;
const keyid = 'client_01';
const get: node.RequestToSign = { method: 'GET', url: 'https://api.example.test/v1/payments?limit=10' };
/** Every character that a URL may have, but the one that begins a fragment. */
const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
  .join('')
  .replace('#', '');
const post = {
  method: 'POST',
  url: 'https://api.example.test/v1/payments',
  body: '{"amount":1}',
};

/** A signer whose clocks a test moves. It makes no RSA signature, which would take nearly all of the time. */
class Clocked {
  wallMs = noon * 1000;
  monotonicMs = 0;
  readonly signer: node.Signer;

  constructor(settings: Partial<node.SignerSettings> = {}) {
    const signature = new Uint8Array(256).fill(1);
    const nowMs = (): number => this.wallMs;
    const monotonicMs = (): number => this.monotonicMs;
    this.signer = node.createSigner({ keyid, privateKey: () => signature, nowMs, monotonicMs, ...settings });
  }

  pass(seconds: number): void {
    this.wallMs += seconds * 1000;
    this.monotonicMs += seconds * 1000;
  }

  jump(seconds: number): void {
    this.wallMs += seconds * 1000;
  }
}

function refusal(code: node.SigningErrorCode, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof node.SigningError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };
}

/** Reading a key takes longer than verifying with it. */
const nodeKey = node.createVerificationKey(spkiPem);
const webKey = await web.createVerificationKey(spkiPem);

interface VerifierSettings {
  readonly acceptWithoutDate?: boolean;
  readonly nonce?: node.NoncePolicy;
}

/** The verdict of both verifiers on a signed request as soon as it arrives: `ok`, or the code of the rejection. */
async function verdict(
  signed: node.SignedRequest,
  settings: VerifierSettings = {},
  id: string = keyid,
): Promise<string> {
  const { acceptWithoutDate = false, nonce = 'off' } = settings;
  const { method, url: targetUri, body } = signed;
  const request = { method, targetUri, body, headers: Object.entries(signed.headers) };
  const rules = { nowSeconds: () => signed.created, nonce };
  const client = { keys: [nodeKey], acceptWithoutDate };
  const byNode = node.verifyRequest(request, {
    clientByKeyid: (name) => (name === id ? client : undefined),
    guard: new node.MemoryReplayGuard(),
    ...rules,
  });
  const webClient = { keys: [webKey], acceptWithoutDate };
  const byWeb = await web.verifyRequest(request, {
    clientByKeyid: (name) => (name === id ? webClient : undefined),
    guard: new web.MemoryReplayGuard(),
    ...rules,
  });
  assert.equal(byWeb.ok ? 'ok' : byWeb.code, byNode.ok ? 'ok' : byNode.code);
  return byNode.ok ? 'ok' : byNode.code;
}

describe('a request that cannot be signed', () => {
  const untimely = (text: string): RegExp => new RegExp(`cannot be signed.*${text}`);
  const refused: readonly (readonly [
    name: string,
    request: object,
    time: node.SigningTime,
    message: RegExp,
  ])[] = [
    ['an empty method', { ...get, method: '' }, {}, untimely('method')],
    ['a method with a space', { ...get, method: 'GET ' }, {}, untimely('method')],
    ['a method with a line end', { ...get, method: 'GET\n' }, {}, untimely('method')],
    ['a method that is not ASCII', { ...get, method: 'GÉT' }, {}, untimely('method')],
    ['a path alone', { ...get, url: '/v1/payments' }, {}, untimely('absolute')],
    ['a URL without a path', { ...get, url: 'https://api.example.test' }, {}, untimely('with a path')],
    [
      'a query right after the host',
      { ...get, url: 'https://api.example.test?a=1' },
      {},
      untimely('with a path'),
    ],
    ['another scheme', { ...get, url: 'ftp://api.example.test/' }, {}, untimely('http or https')],
    ['a fragment', { ...get, url: 'https://api.example.test/#top' }, {}, untimely('absolute')],
    ['user information', { ...get, url: 'https://user:pass@api.example.test/' }, {}, untimely('absolute')],
    [
      'user information in a URL object',
      { ...get, url: new URL('https://user:pass@api.example.test/') },
      {},
      /cannot/,
    ],
    ['a space', { ...get, url: 'https://api.example.test/a b' }, {}, untimely('visible ASCII')],
    [
      'a line end',
      { ...get, url: 'https://api.example.test/\n"@method": DELETE' },
      {},
      untimely('visible ASCII'),
    ],
    [
      'a letter that is not ASCII',
      { ...get, url: 'https://api.example.test/é' },
      {},
      untimely('visible ASCII'),
    ],
    [
      'a URL that is too long',
      { ...get, url: `https://api.example.test/${'a'.repeat(9000)}` },
      {},
      untimely('too long'),
    ],
    ['an object as its body', { ...post, body: { amount: 1 } }, {}, untimely('body must be')],
    ['16-bit numbers as its body', { ...post, body: new Uint16Array(8) }, {}, untimely('body must be')],
    ['a form as its body', { ...post, body: new URLSearchParams({ a: '1' }) }, {}, untimely('body must be')],
    ['created that is no number', get, { created: Number.NaN }, untimely('whole Unix seconds')],
    ['created in milliseconds', get, { created: noon * 1000 }, untimely('whole Unix seconds')],
    ['created with a fraction', get, { created: noon + 0.5 }, untimely('whole Unix seconds')],
    ['created below zero', get, { created: -1 }, untimely('whole Unix seconds')],
    [
      'a date of an old form',
      get,
      { created: noon, date: 'Sunday, 06-Nov-94 08:49:37 GMT' },
      untimely('GMT'),
    ],
    ['a date of ISO 8601', get, { date: '2027-01-15T08:00:00Z' }, untimely('GMT')],
    [
      'a date with a line end',
      get,
      { created: noon, date: 'Fri, 15 Jan 2027\n08:00:00 GMT' },
      untimely('GMT'),
    ],
  ];
  for (const [name, request, time, message] of refused) {
    test(name, async () => {
      const bad = request as node.RequestToSign;
      const check = refusal('request_invalid', message);
      assert.throws(() => new Clocked().signer.sign(bad, time), check);
      const byWeb = await web.createSigner({ keyid, privateKey: () => new Uint8Array(256) });
      await assert.rejects(byWeb.sign(bad, time), check);
    });
  }

  test('takes no second from the one that is right', () => {
    const { signer } = new Clocked();
    assert.throws(() => signer.sign({ ...get, url: '/v1' }, { created: noon }));
    assert.throws(() => signer.sign(get, { created: noon, date: 'now' }));
    assert.equal(signer.sign(get, { created: noon }).created, noon);
  });

  test('its message repeats nothing of it', () => {
    const request = { method: 'GET', url: 'https://user:secret-password@api.example.test/' };
    assert.throws(
      () => new Clocked().signer.sign(request),
      (error: Error) => !error.message.includes('secret'),
    );
  });
});

describe('a keyid that no service assigns', () => {
  for (const bad of ['', ' ', 'a b', 'client_01\n', 'clïent', 'x'.repeat(257), undefined, 7]) {
    test(JSON.stringify(bad) ?? 'undefined', async () => {
      const options = { keyid: bad as string, privateKey: pkcs8Pem };
      const check = refusal(
        'keyid_invalid',
        /The Client ID, which becomes the keyid, is missing or invalid\. Copy it from the portal: 1 to 256 visible/,
      );
      assert.throws(() => node.createSigner(options), check);
      await assert.rejects(web.createSigner(options), check);
    });
  }
});

describe('equal requests', () => {
  test('the 32nd of one moment is refused with advice, and passes a second later', () => {
    const clocked = new Clocked();
    for (let number = 0; number <= 30; number++) {
      assert.equal(clocked.signer.sign(post).created, noon + number);
    }
    const full = refusal(
      'too_many_equal_requests',
      /More than 30 identical requests.*Wait a second, or make .* differ/,
    );
    assert.throws(() => clocked.signer.sign(post), full);
    assert.equal(clocked.signer.sign(get).created, noon);
    clocked.pass(1);
    assert.equal(clocked.signer.sign(post).created, noon + 31);
    assert.throws(() => clocked.signer.sign(post), full);
  });

  test('may have one second if they are reads that may repeat, and are remembered all the same', () => {
    const { signer } = new Clocked();
    for (let number = 0; number < 50; number++)
      assert.equal(signer.sign(get, { mayRepeat: true }).created, noon);
    assert.equal(signer.sign(get, { created: noon, mayRepeat: true }).created, noon);
    assert.equal(signer.sign(get).created, noon + 1);
    assert.throws(() => signer.sign(get, { created: noon }), refusal('already_signed', /later one/));
    assert.throws(() => signer.sign(get, { mayRepeat: 'yes' as unknown as boolean }), TypeError);
  });

  test('share a second for a second after it was taken first, also one ahead of the clock', () => {
    const clocked = new Clocked();
    const read = (): number => clocked.signer.sign(get, { mayRepeat: true }).created;
    for (let number = 0; number < 5; number++) assert.equal(clocked.signer.sign(get).created, noon + number);
    clocked.pass(1);
    assert.equal(read(), noon + 5);
    clocked.pass(0.999);
    assert.equal(read(), noon + 5);
    clocked.pass(0.001);
    assert.equal(read(), noon + 6);
  });

  test('get a later `created` and the Date that belongs to it', () => {
    const { signer } = new Clocked();
    const [first, second] = [signer.sign(post), signer.sign(post)];
    assert.equal(first.headers.Date, 'Fri, 15 Jan 2027 08:00:00 GMT');
    assert.equal(second.headers.Date, 'Fri, 15 Jan 2027 08:00:01 GMT');
    assert.match(second.headers['Signature-Input'], /;created=1800000001;/);
    assert.notEqual(first.signatureBase, second.signatureBase);
  });

  test('are those that have an equal base, however they were given', () => {
    const { signer } = new Clocked();
    const equal: readonly node.RequestToSign[] = [
      post,
      { ...post, method: 'post' },
      { ...post, url: new URL(post.url) },
      { ...post, url: new URL(`${post.url}#section`) },
      { ...post, body: Buffer.from('{"amount":1}') },
      { ...post, body: new TextEncoder().encode('{"amount":1}') },
    ];
    assert.deepEqual(
      equal.map((request) => signer.sign(request).created - noon),
      [0, 1, 2, 3, 4, 5],
    );
    const empty = [undefined, '', new Uint8Array(0), null];
    const created = empty.map((body) => signer.sign({ ...get, body }).created - noon);
    assert.deepEqual(created, [0, 1, 2, 3]);
  });

  test('a difference of any kind is enough to keep the second', () => {
    const { signer } = new Clocked();
    const different: readonly node.RequestToSign[] = [
      post,
      { ...post, method: 'PUT' },
      { ...post, url: `${post.url}?` },
      { ...post, url: post.url.toUpperCase().replace('HTTPS', 'https') },
      { ...post, body: '{"amount":2}' },
      { ...post, body: undefined },
    ];
    for (const request of different) assert.equal(signer.sign(request).created, noon);
  });

  test('many different ones in one second are never raised', () => {
    const { signer } = new Clocked();
    for (let number = 0; number < 20_000; number++) {
      assert.equal(
        signer.sign({ ...get, url: `https://api.example.test/v1/payments/${number}` }).created,
        noon,
      );
    }
  });

  test('with a nonce each is another one', () => {
    const { signer } = new Clocked({ nonce: true });
    const all = Array.from({ length: 100 }, () => signer.sign(post));
    for (const { created } of all) assert.equal(created, noon);
    assert.equal(new Set(all.map(({ signatureBase }) => signatureBase)).size, 100);
    assert.equal(signer.sign(post, { created: noon }).created, noon);
  });

  test('are refused with the same given `created`, whatever is said about the date', () => {
    const again = refusal('already_signed', /signed before with the same "created"\. Choose a later one/);
    const date = 'Fri, 15 Jan 2027 08:00:00 GMT';
    const other = 'Fri, 15 Jan 2027 08:00:07 GMT';
    const { signer } = new Clocked();
    signer.sign(post, { created: noon });
    assert.throws(() => signer.sign(post, { created: noon }), again);
    assert.throws(() => signer.sign(post, { created: noon, date }), again);
    assert.equal(signer.sign(post, { created: noon, date: other }).headers.Date, other);
    assert.throws(() => signer.sign(post, { created: noon, date: other }), again);
    assert.equal(signer.sign(post, { date }).created, noon + 1);
    assert.equal(signer.sign(post).created, noon + 1);

    const undated = new Clocked({ coverDate: false }).signer;
    undated.sign(post, { created: noon });
    assert.throws(() => undated.sign(post, { created: noon, date: other }), again);
    assert.equal(undated.sign(post, { date: other }).created, noon + 1);
  });

  test('a given date is the one that is signed, with and without a given `created`', () => {
    const { signer } = new Clocked();
    const date = 'Fri, 15 Jan 2027 07:59:30 GMT';
    assert.deepEqual(
      [signer.sign(post, { date }).headers.Date, signer.sign(post, { date }).created],
      [date, noon + 1],
    );
    assert.equal(signer.sign(post, { created: noon + 9, date }).headers.Date, date);
  });

  test('are known for as long as any service could accept the first', () => {
    const clocked = new Clocked();
    clocked.signer.sign(post);
    clocked.pass(400);
    clocked.signer.sign(get);
    clocked.jump(-400);
    assert.equal(clocked.signer.sign(post).created, noon + 1);
  });

  test('two clients of one program do not share their seconds', () => {
    const one = new Clocked().signer;
    const two = new Clocked({ keyid: 'client_02' }).signer;
    assert.deepEqual([one.sign(post).created, two.sign(post).created], [noon, noon]);
  });
});

test('whatever the clocks do, no base is signed twice while a service could accept both', () => {
  const requests: readonly node.RequestToSign[] = [get, post, { ...get, method: 'HEAD' }];
  const dates = [undefined, 'Fri, 15 Jan 2027 08:00:00 GMT', 'Fri, 15 Jan 2027 08:00:01 GMT'];
  const sign = fc.record({
    request: fc.nat(requests.length - 1),
    createdOffset: fc.option(fc.integer({ min: -2, max: 3 }), { freq: 3 }),
    date: fc.constantFrom(...dates),
  });
  const step = fc.oneof(
    { weight: 10, arbitrary: sign.map((value) => ({ kind: 'sign' as const, ...value })) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        seconds: fc.constantFrom(0.3, 1, 5, 61, 200),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('jump' as const),
        seconds: fc.integer({ min: -400, max: 400 }),
      }),
    },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.boolean(), (steps, coverDate) => {
      const clocked = new Clocked({ coverDate });
      const signedAtMs = new Map<string, number>();
      const createdOf = new Map<number, Set<number>>();
      for (const one of steps) {
        if (one.kind !== 'sign') {
          clocked[one.kind](one.seconds);
          continue;
        }
        const nowSeconds = Math.floor(clocked.wallMs / 1000);
        const created = one.createdOffset === null ? undefined : nowSeconds + one.createdOffset;
        const taken = createdOf.get(one.request) ?? new Set();
        createdOf.set(one.request, taken);
        try {
          const signed = clocked.signer.sign(requests[one.request]!, {
            ...(created !== undefined && { created }),
            ...(one.date !== undefined && { date: one.date }),
          });
          const before = signedAtMs.get(signed.signatureBase) ?? Number.NEGATIVE_INFINITY;
          assert.ok(clocked.monotonicMs - before > 360_000, `signed twice:\n${signed.signatureBase}`);
          signedAtMs.set(signed.signatureBase, clocked.monotonicMs);
          taken.add(signed.created);
          assert.ok(
            signed.created >= (created ?? nowSeconds) && signed.created <= (created ?? nowSeconds + 30),
          );
        } catch (error) {
          if (!(error instanceof node.SigningError)) throw error;
          const wanted =
            created === undefined ? Array.from({ length: 31 }, (_, index) => nowSeconds + index) : [created];
          assert.equal(error.code, created === undefined ? 'too_many_equal_requests' : 'already_signed');
          for (const second of wanted) assert.ok(taken.has(second), `${second} was free`);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

describe('what is signed', () => {
  const real = node.createSigner({ keyid, privateKey: pair.privateKey, nowMs: () => noon * 1000 });

  const requests: readonly (readonly [name: string, request: node.RequestToSign])[] = [
    ['no body', get],
    ['a body as text', post],
    ['a body as bytes', { ...post, body: Uint8Array.of(0, 255, 10, 13) }],
    ['a body as text beyond ASCII', { ...post, body: '{"reference":"Grüße €😀"}' }],
    ['a body with half a surrogate pair', { ...post, body: 'a\ud800b' }],
    ['an empty body', { ...post, body: '' }],
    ['a method in lower case', { ...get, method: 'patch' }],
    ['another method', { ...get, method: 'PURGE-1' }],
    ['a URL with every visible character', { ...get, url: `https://api.example.test/${visible}?${visible}` }],
    ['a port and an IPv6 address', { ...get, url: 'http://[2001:db8::1]:8443/' }],
    ['a URL object with a fragment', { ...get, url: new URL('https://API.example.test/a/../b?c#d') }],
  ];
  for (const [name, request] of requests) {
    test(`verifies: ${name}`, async () => {
      assert.equal(await verdict(real.sign(request)), 'ok');
      const byWeb = await web.createSigner({ keyid, privateKey: pkcs8Pem });
      assert.equal(await verdict(await byWeb.sign(request)), 'ok');
    });
  }

  test('is what is to be sent: method, URL and body', () => {
    const signed = real.sign({
      method: 'post',
      url: new URL('https://API.example.test/a/../b?c#d'),
      body: 'é',
    });
    assert.deepEqual(
      [signed.method, signed.url, signed.body],
      ['POST', 'https://api.example.test/b?c', new Uint8Array([195, 169])],
    );
    assert.deepEqual(real.sign({ ...post, body: '' }).body, new Uint8Array(0));
    assert.equal('Content-Digest' in real.sign({ ...post, body: '' }).headers, false);
    assert.equal(real.sign(get).body, undefined);
    assert.equal('Content-Digest' in real.sign(get).headers, false);
  });

  test('is equal for a body as text and as bytes, and of both entry points', async () => {
    const create = { keyid, privateKey: pkcs8Pem };
    const bytes = new TextEncoder().encode(post.body);
    const byText = node.createSigner(create).sign(post, { created: noon });
    const byBytes = node.createSigner(create).sign({ ...post, body: bytes }, { created: noon });
    const byWeb = await (await web.createSigner(create)).sign(post, { created: noon });
    assert.deepEqual(byBytes.headers, byText.headers);
    assert.deepEqual(byWeb.headers, byText.headers);
    assert.equal(byWeb.signatureBase, byText.signatureBase);
  });

  test('verifies with a keyid of quotes and backslashes', async () => {
    const id = String.raw`a"b\c"`;
    const signed = node.createSigner({ keyid: id, privateKey: pkcs8Pem }).sign(post);
    assert.match(signed.headers['Signature-Input'], /keyid="a\\"b\\\\c\\""/);
    assert.equal(await verdict(signed, {}, id), 'ok');
  });

  test('without `date`, as browsers sign, verifies for a client that may leave it out and for no other', async () => {
    const signed = await (
      await web.createSigner({ keyid, privateKey: pkcs8Pem, coverDate: false })
    ).sign(post);
    assert.equal('Date' in signed.headers, false);
    assert.equal(await verdict(signed), 'components_invalid');
    assert.equal(await verdict(signed, { acceptWithoutDate: true }), 'ok');
  });

  test('with a nonce verifies where the service asks for one and nowhere else', async () => {
    const signed = node.createSigner({ keyid, privateKey: pkcs8Pem, nonce: true }).sign(post);
    assert.equal(await verdict(signed, { nonce: 'off' }), 'parameters_invalid');
    assert.equal(await verdict(signed, { nonce: 'optional' }), 'ok');
    assert.equal(await verdict(signed, { nonce: 'required' }), 'ok');
    assert.equal(await verdict(real.sign(post), { nonce: 'required' }), 'parameters_invalid');
  });

  test('verifies, whatever the request is', async () => {
    const url = fc
      .webUrl({ withQueryParameters: true })
      .filter((text) => /^https?:\/\/[^/?#@]+\//.test(text));
    const body = fc.oneof(fc.constant(undefined), fc.string({ unit: 'binary' }), fc.uint8Array());
    const method = fc.constantFrom('GET', 'POST', 'put', 'Delete', 'PATCH', 'HEAD', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(method, url, body, async (name, address, content) => {
        assert.equal(await verdict(real.sign({ method: name, url: address, body: content })), 'ok');
      }),
      { numRuns: 100 },
    );
  });
});

describe('the asynchronous signer', () => {
  test('gives equal requests that are signed at once different seconds', async () => {
    const signer = await web.createSigner({ keyid, privateKey: pkcs8Pem, nowMs: () => noon * 1000 });
    const all = await Promise.all(Array.from({ length: 31 }, () => signer.sign(post)));
    assert.equal(new Set(all.map(({ created }) => created)).size, 31);
    await assert.rejects(signer.sign(post), refusal('too_many_equal_requests', /Wait a second/));
  });

  test('signs the request as it was at the call', async () => {
    const signer = await web.createSigner({ keyid, privateKey: pkcs8Pem });
    const request = { method: 'POST', url: 'https://api.example.test/one', body: 'one' };
    const signing = signer.sign(request);
    Object.assign(request, { method: 'DELETE', url: 'https://api.example.test/two', body: 'two' });
    const signed = await signing;
    assert.deepEqual([signed.method, signed.url], ['POST', 'https://api.example.test/one']);
    assert.equal(await verdict(signed), 'ok');
  });
});
