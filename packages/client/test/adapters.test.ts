import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, it } from 'node:test';
import { formatHttpDate } from '@countersign/signature/node';
import { createRequestSigner, RefusedError, SigningError } from '../src/node.ts';
import { adapters, signerFor, signerWithOwnMemory, type TestResponse } from './adapters.ts';
import { problems } from '../../contract/src/problems.ts';
import { type Answer, headerOf, type Lab, openLab, problemAnswer } from './lab.ts';

/* The behaviour of every adapter, through the HTTP client itself, as seen by a server. */

const api = 'https://api.example.test';
const vectors = new URL('../../../vectors/profile/', import.meta.url);

for (const [place, adapter] of adapters.entries()) {
  describe(adapter.name, () => {
    /** All adapters share the memory of used seconds: each calls a path of its own. */
    const here = `${api}/adapter-${place}`;
    let lab: Lab;
    before(async () => {
      lab = await openLab();
    });
    after(() => lab.close());
    beforeEach(() => lab.reset());
    const verdicts = (): string[] => lab.received.map(({ verdict }) => verdict);

    describe('sends what was signed', () => {
      const urls: readonly (readonly [name: string, called: string, sent: string])[] = [
        ['plain', `${api}/v1/payments?limit=2`, `${api}/v1/payments?limit=2`],
        ['upper case in the host', 'https://API.Example.test/A', `${api}/A`],
        ['the default port', 'https://api.example.test:443/a', `${api}/a`],
        ['another port', 'https://api.example.test:8443/a', 'https://api.example.test:8443/a'],
        ['an IPv6 address', 'https://[2001:DB8::1]:8443/a', 'https://[2001:db8::1]:8443/a'],
        ['no path', 'https://api.example.test', `${api}/`],
        ['dots', `${api}/a/../b/./c`, `${api}/b/c`],
        ['encoded dots', `${api}/a/%2e%2e/b`, `${api}/b`],
        ['percent-encoding in either case', `${api}/%7euser/%c3%A9%2F`, `${api}/%7euser/%c3%A9%2F`],
        ['characters that some clients encode', `${api}/~a!$&'()*+,;=:@`, `${api}/~a!$&'()*+,;=:@`],
        ['a letter beyond ASCII', `${api}/é?q=ü`, `${api}/%C3%A9?q=%C3%BC`],
        ['a space', `${api}/a b?c d`, `${api}/a%20b?c%20d`],
        ['a query in its own order', `${api}/?b=2&a=1&b=1`, `${api}/?b=2&a=1&b=1`],
        ['plus and %20', `${api}/?q=a+b%20c`, `${api}/?q=a+b%20c`],
        ['empty values', `${api}/?a=&b&=c`, `${api}/?a=&b&=c`],
        ['encoded brackets', `${api}/?a%5B%5D=1`, `${api}/?a%5B%5D=1`],
        ['raw brackets', `${api}/?a[]=1`, `${api}/?a[]=1`],
        ['a quotation mark in the query', `${api}/?a='x'`, `${api}/?a=%27x%27`],
        ['double slashes', `${api}//a//b`, `${api}//a//b`],
        ['a fragment', `${api}/a#b`, `${api}/a`],
      ];
      for (const [name, called, sent] of urls) {
        it(`for a URL with ${name}`, async () => {
          const send = adapter.open(signerFor(adapter), lab);
          assert.equal((await send({ url: called })).status, 200);
          assert.deepEqual(
            lab.received.map(({ url, verdict }) => [url, verdict]),
            [[sent, 'accepted']],
          );
        });
      }

      it('for a question mark without a query', async () => {
        const send = adapter.open(signerFor(adapter), lab);
        await send({ url: `${api}/a?` });
        assert.deepEqual(verdicts(), ['accepted']);
        assert.match(lab.received[0]!.url, /\/a\??$/);
      });

      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'patch', 'delete']) {
        it(`for the method ${method}`, async () => {
          const send = adapter.open(signerFor(adapter), lab);
          await send({ method, url: `${api}/m` });
          assert.deepEqual(
            lab.received.map((one) => [one.method, one.verdict]),
            [[method.toUpperCase(), 'accepted']],
          );
        });
      }

      const bodies: readonly (readonly [name: string, body: string | Uint8Array<ArrayBuffer>])[] = [
        ['text', '{"amount":1}'],
        ['text beyond ASCII', '{"reference":"Grüße €😀"}'],
        ['bytes', Uint8Array.from({ length: 65_536 }, (_, index) => (index * 7919) & 0xff)],
        ['nothing', new Uint8Array()],
        ['an empty text', ''],
        ['line ends', '\r\na\n'],
      ];
      for (const [name, body] of bodies) {
        it(`for a body of ${name}`, async () => {
          const send = adapter.open(signerFor(adapter), lab);
          const headers = { 'Content-Type': 'application/octet-stream' };
          await send({ method: 'POST', url: `${api}/b`, headers, body });
          const [one] = lab.received;
          assert.equal(one?.verdict, 'accepted');
          assert.deepEqual(one.body, Buffer.from(body));
          assert.equal(headerOf(one, 'content-digest') === undefined, body.length === 0);
          assert.equal(headerOf(one, 'content-type'), 'application/octet-stream');
        });
      }

      /**
       * The caller must not decide where a body begins and ends; otherwise the rest of it would be read as
       * another request.
       */
      const framings: readonly (readonly [name: string, headers: Readonly<Record<string, string>>])[] = [
        ['', {}],
        [', with a length that is too short', { 'Content-Length': '1' }],
        [', with a length that is too long', { 'content-length': '9999' }],
        [', with a coding', { 'Transfer-Encoding': 'chunked' }],
      ];
      const inside = `GET /inside HTTP/1.1\r\nHost: api.example.test\r\n\r\n`;
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
        for (const [name, headers] of framings)
          it(`for a body of ${method} on a kept connection${name}`, async () => {
            const send = adapter.open(signerFor(adapter), lab);
            const first = await send({ method, url: `${here}/framed`, headers, body: inside }).then(
              () => 'sent',
              () => 'refused',
            );
            assert.equal((await send({ url: `${here}/next` })).status, 200);
            const expected = [
              [method, `${here}/framed`, inside, 'accepted'],
              ['GET', `${here}/next`, '', 'accepted'],
            ];
            assert.deepEqual(
              lab.received.map((one) => [one.method, one.url, String(one.body), one.verdict]),
              first === 'sent' ? expected : expected.slice(1),
            );
            if (method === 'POST' || method === 'DELETE') assert.equal(first, 'sent');
          });

      it('in place of signature headers that the caller had', async () => {
        const send = adapter.open(signerFor(adapter), lab);
        const headers = { Date: 'yesterday', Signature: 'a', 'signature-input': 'b', 'X-Mine': 'c' };
        await send({ url: `${api}/h`, headers });
        assert.deepEqual(verdicts(), ['accepted']);
        assert.equal(headerOf(lab.received[0]!, 'x-mine'), 'c');
      });
    });

    it('gives the signatures of the vectors, byte for byte', async () => {
      const { keys } = JSON.parse(readFileSync(new URL('keys.json', vectors), 'utf8')) as Keys;
      const { cases } = JSON.parse(readFileSync(new URL('positive.json', vectors), 'utf8')) as Cases;
      let compared = 0;
      for (const { id, request, signer: golden } of cases) {
        const { method, url, privateKey, keyid, created, date } = golden.input;
        // A client sends URLs in their normal form, and a Date of the second in which it signs.
        if (new URL(url).href !== url || url.endsWith('?') || date !== formatHttpDate(created)) continue;
        const signer = signerWithOwnMemory(keyid, keys[privateKey]!.privateKeyPem, created * 1000 + 500);
        const body = bodyOf(request.body);
        if (body && (method === 'GET' || method === 'HEAD')) continue;
        lab.received.length = 0;
        lab.respond = () => ({ status: 204 });
        await adapter.open(signer, lab)({ method, url, body });
        const [one] = lab.received;
        // The lab cannot know the scheme.
        assert.equal(one?.url.replace(/^https:/, new URL(url).protocol), url, id);
        const { output } = golden;
        const sent = ['content-digest', 'signature-input', 'signature'].map(
          (name) => headerOf(one, name) ?? null,
        );
        assert.deepEqual(sent, [output.contentDigest, output.signatureInput, output.signature], id);
        compared += 1;
      }
      assert.ok(compared >= 80, `only ${compared} cases were compared`);
    });

    it('never sends one signature twice', async () => {
      const send = adapter.open(signerFor(adapter), lab);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => send({ method: 'POST', url: `${here}/same`, body: 'same' })),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(lab.received.map((one) => headerOf(one, 'signature'))).size, 12);
    });

    it('reports more equal requests than seconds', async () => {
      const now = Date.now();
      const send = adapter.open(signerFor(adapter, { now: () => now }), lab);
      const all = Array.from({ length: 33 }, () => send({ method: 'POST', url: `${here}/many`, body: 'x' }));
      const outcomes = await Promise.allSettled(all);
      const errors = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      assert.deepEqual(errors.map(codeOf), ['too_many_equal_requests', 'too_many_equal_requests']);
    });

    describe('a refusal', () => {
      it('becomes an error with the members of the answer', async () => {
        lab.respond = () => problemAnswer('network_not_allowed');
        const error = await errorOf(adapter.open(signerFor(adapter), lab)({ url: `${here}/r` }));
        assert.ok(error instanceof RefusedError, String(error));
        const { status, code, title, reason, requestId, type } = error;
        assert.deepEqual(
          { status, code, title, reason, requestId, type },
          {
            status: 403,
            code: 'network_not_allowed',
            title: 'The source address is not allowed',
            reason: 'the reason of the lab',
            requestId: 'request_01m7xpht4ya6hy6swme76qzc7p',
            type: 'https://api.example.test/docs/errors#network_not_allowed',
          },
        );
        assert.match(error.message, /^network_not_allowed: /);
      });

      it('carries the explanation that a sandbox adds', async () => {
        const finding = {
          code: 'query_reordered',
          certainty: 'proven',
          what: 'The query was sorted.',
          mend: 'Sign it as sent.',
        };
        const explanation = {
          verdict: 'refused',
          checks: [],
          base: '"@method": GET',
          findings: [finding],
          isComplete: true,
        };
        lab.respond = () => problemAnswer('signature_invalid', Date.now(), { explanation });
        const error = await errorOf(adapter.open(signerFor(adapter), lab)({ url: `${here}/e` }));
        assert.ok(error instanceof RefusedError);
        assert.deepEqual(error.explanation, {
          base: '"@method": GET',
          findings: [finding],
          isComplete: true,
        });
        assert.match(error.message, /The query was sorted\. Sign it as sent\./);
      });

      it("is not made of the API's own problems", async () => {
        const own = { 'Content-Type': 'application/problem+json' };
        const bodies = ['{"code":"not_found","status":404}', '{"status":404}', '[]', 'null', ''];
        // ky gives up on a response that is announced as JSON but is not.
        if (adapter.name !== 'ky') bodies.push('no JSON');
        for (const body of bodies) {
          lab.respond = () => ({ status: 404, headers: own, body });
          assert.deepEqual(await ownError(adapter.open(signerFor(adapter), lab)({ url: `${here}/o` })), {
            status: 404,
            text: body,
          });
        }
      });
    });

    describe('a refusal with 429 or 503', () => {
      it('is left to the retries and the error handling of the client', async () => {
        for (const code of ['rate_limited', 'too_many_failures', 'guard_unavailable'] as const) {
          lab.respond = () => problemAnswer(code);
          const answer = await ownError(adapter.open(signerFor(adapter), lab)({ url: `${here}/left` }));
          assert.equal(answer.status, problems[code].status);
          assert.equal((JSON.parse(answer.text) as { readonly code: string }).code, code);
        }
      });
    });

    describe("an API's own problem with a code of the service", () => {
      const own = (type: string | undefined): Answer =>
        problemAnswer('permission_denied', 0, { type, detail: 'The order is closed.' });

      it('is an ordinary response, because its type is another', async () => {
        for (const type of [undefined, 'about:blank', 'https://shop.example/problems#permission_denied']) {
          lab.respond = () => own(type);
          const answer = await ownError(adapter.open(signerFor(adapter), lab)({ url: `${here}/own` }));
          assert.equal(answer.status, 403);
        }
      });

      it('is a refusal where the operator has moved the page of the error codes', async () => {
        lab.respond = () => own('https://shop.example/problems#permission_denied');
        const moved = signerFor(adapter, { problemTypeBase: 'https://shop.example/problems' });
        const error = await errorOf(adapter.open(moved, lab)({ url: `${here}/own` }));
        assert.ok(error instanceof RefusedError, String(error));
        lab.respond = () => problemAnswer('permission_denied');
        assert.equal((await ownError(adapter.open(moved, lab)({ url: `${here}/own` }))).status, 403);
      });
    });

    describe('the Host header of the caller', () => {
      it('is the one of the URL, or the request is not sent', async () => {
        const send = adapter.open(signerFor(adapter), lab);
        for (const host of ['api.example.test', 'API.Example.test', 'api.example.test:443'])
          assert.equal((await send({ url: `${here}/host`, headers: { Host: host } })).status, 200);
        assert.deepEqual(
          lab.received.map(({ url }) => url),
          [`${here}/host`, `${here}/host`, `${here}/host`],
        );
        const error = await errorOf(send({ url: `${here}/host`, headers: { host: 'other.example.test' } }));
        assert.equal(codeOf(error), 'request_invalid');
        assert.match(String(error), /Host header .* api\.example\.test/);
        assert.equal(lab.received.length, 3);
      });
    });

    describe('a clock that is off', () => {
      for (const [name, offMs] of [
        ['behind', -4000_000],
        ['ahead', 4000_000],
        ['ahead by 100 seconds', 100_000],
      ] as const) {
        it(`is corrected once: ${name}`, async () => {
          const send = adapter.open(signerFor(adapter, { now: () => Date.now() + offMs }), lab);
          assert.equal((await send({ method: 'POST', url: `${here}/c`, body: 'a' })).status, 200);
          assert.equal((await send({ method: 'POST', url: `${here}/c`, body: 'b' })).status, 200);
          const first = offMs < 0 ? 'created_expired' : 'created_in_future';
          assert.deepEqual(verdicts(), [first, 'accepted', 'accepted']);
        });
      }

      it('is not corrected again and again', async () => {
        lab.respond = () => problemAnswer('created_expired', Date.now() + lab.received.length * 1000_000);
        const error = await errorOf(adapter.open(signerFor(adapter), lab)({ url: `${here}/c2` }));
        assert.equal(codeOf(error), 'created_expired');
        assert.equal(lab.received.length, 2);
      });

      it('is left alone when it is right, or would be off by days', async () => {
        // A clock that stands still: on a busy machine seconds may pass before the response is read.
        const now = Date.now();
        for (const serverTimeMs of [now, now + 100_000_000, Number.NaN]) {
          lab.received.length = 0;
          lab.respond = () => problemAnswer('date_mismatch', 0, { serverTime: textOf(serverTimeMs) });
          const error = await errorOf(
            adapter.open(signerFor(adapter, { now: () => now }), lab)({ url: `${here}/c3` }),
          );
          assert.equal(codeOf(error), 'date_mismatch');
          assert.equal(lab.received.length, 1);
        }
      });

      it('is not corrected by other refusals', async () => {
        const serverTime = new Date(Date.now() + 4000_000).toISOString();
        lab.respond = () => problemAnswer('signature_invalid', 0, { serverTime });
        await errorOf(adapter.open(signerFor(adapter), lab)({ url: `${here}/c4` }));
        assert.equal(lab.received.length, 1);
      });
    });

    describe('a redirect', () => {
      it('on the same origin is signed again', async () => {
        lab.respond = ({ url }) =>
          url.endsWith('/from')
            ? { status: 307, headers: { Location: `/adapter-${place}/to?a=1` } }
            : undefined;
        const send = adapter.open(signerFor(adapter), lab);
        const answer = await ownError(send({ method: 'PUT', url: `${here}/from`, body: 'x' }));
        if (answer.status === 307) return;
        assert.deepEqual(
          lab.received.map((one) => [one.method, one.url, one.verdict, String(one.body)]),
          [
            ['PUT', `${here}/from`, 'accepted', 'x'],
            ['PUT', `${here}/to?a=1`, 'accepted', 'x'],
          ],
        );
      });

      it('carries no signature to another origin', async () => {
        for (const location of ['https://other.example.test/a', 'https://api.example.test:8443/a']) {
          lab.received.length = 0;
          lab.respond = ({ url }) =>
            url === `${here}/away` ? { status: 302, headers: { Location: location } } : undefined;
          const send = adapter.open(signerFor(adapter), lab);
          await send({ url: `${here}/away` }).catch(() => undefined);
          const others = lab.received.filter(({ url }) => !url.startsWith(`${api}/`));
          for (const one of others)
            for (const name of ['signature', 'signature-input']) assert.equal(headerOf(one, name), undefined);
          assert.equal(lab.received[0]?.verdict, 'accepted');
        }
      });
    });

    it('reports errors before sending', async () => {
      const cases: readonly (readonly [
        code: string,
        request: Parameters<ReturnType<typeof adapter.open>>[0],
      ])[] = [
        ...(adapter.passwords === undefined
          ? [['request_invalid', { url: 'https://user:secret-password@api.example.test/' }] as const]
          : []),
        ['body_too_large', { method: 'POST', url: `${here}/l`, body: 'x'.repeat(1001) }],
      ];
      for (const [code, request] of cases) {
        const error = await errorOf(adapter.open(signerFor(adapter, { bodyBytesMax: 1000 }), lab)(request));
        assert.ok(error instanceof SigningError, String(error));
        assert.equal(error.code, code);
        assert.doesNotMatch(error.message, /secret/);
      }
      assert.deepEqual(lab.received, []);
      const failing = createRequestSigner({
        clientId: 'shop',
        privateKey: () => Promise.reject(new Error('the vault is sealed')),
      });
      const error = await errorOf(adapter.open(failing, lab)({ url: `${here}/f` }));
      assert.equal(codeOf(error), 'signing_failed');
      assert.match(String((error as Error).cause), /the vault is sealed/);
    });
  });
}

interface Keys {
  readonly keys: Readonly<Record<string, { readonly privateKeyPem: string }>>;
}

interface Cases {
  readonly cases: readonly {
    readonly id: string;
    readonly request: { readonly body: null | { readonly base64?: string; readonly file?: string } };
    readonly signer: {
      readonly input: Readonly<Record<'method' | 'url' | 'privateKey' | 'keyid' | 'date', string>> & {
        readonly created: number;
      };
      readonly output: Readonly<Record<'signatureInput' | 'signature', string>> & {
        readonly contentDigest: string | null;
      };
    };
  }[];
}

function bodyOf(body: Cases['cases'][number]['request']['body']): Uint8Array<ArrayBuffer> | undefined {
  if (body === null) return undefined;
  return new Uint8Array(
    body.file === undefined ? Buffer.from(body.base64!, 'base64') : readFileSync(new URL(body.file, vectors)),
  );
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}

async function errorOf(sent: Promise<TestResponse>): Promise<unknown> {
  try {
    const { status, text } = await sent;
    return new Error(`there was no error, but ${status}: ${text}`);
  } catch (error) {
    return error;
  }
}

/** Some clients throw their own errors for a status that is no success. */
async function ownError(sent: Promise<TestResponse>): Promise<TestResponse> {
  try {
    return await sent;
  } catch (error) {
    const { testResponse } = error as { readonly testResponse?: TestResponse };
    assert.ok(testResponse && !(error instanceof RefusedError), String(error));
    return testResponse;
  }
}

function textOf(ms: number): string {
  return Number.isNaN(ms) ? 'soon' : new Date(ms).toISOString();
}
