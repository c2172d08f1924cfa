import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createVerifier } from '@countersign/middleware';
import type { RegisteredClient } from '@countersign/gate';
import {
  acceptReplaysUnsafely,
  readPublicKey,
  type VerificationKey,
  verifyRequest,
  type VerifyingClient,
} from '@countersign/signature/node';
import type { WireRequest } from '@countersign/testing/wire';
import { vectorFiles } from '../../signature/test/conformance/files.ts';
import { bodyOf, type WireCase } from '../../signature/test/conformance/profile-vectors.ts';
import { ClientReader } from '../src/clients/client-record.ts';
import { frameworks, type Listening } from './frameworks.ts';
import { exchange } from './wire.ts';

const baseUrls = [
  'https://api.example.test',
  'https://gateway.example.test',
  'https://pay.example.test',
  'https://api.example.test:8443',
  'http://127.0.0.1:3000',
  'https://[2001:db8::1]:8443',
];
const urlByHost = new Map(baseUrls.map((url) => [url.slice(url.indexOf('//') + 2), url]));

const { keys } = (await vectorFiles.json('vectors/profile/keys.json')) as {
  keys: Record<string, { publicKeyPem: string }>;
};

/** A case that reaches the framework unchanged, with the library's verdict. */
interface Sent {
  readonly id: string;
  readonly now: number;
  readonly clients: ReadonlyMap<string, RegisteredClient>;
  readonly request: WireRequest;
  readonly expected: string;
}

/** A key that must not be registered belongs to no client. Examining one takes tens of milliseconds. */
const pems = new Map(
  Object.entries(keys).map(([name, { publicKeyPem }]) => [
    name,
    readPublicKey(publicKeyPem, { allowPublishedTestKeys: true }).ok ? [publicKeyPem] : [],
  ]),
);

const reader = new ClientReader({ allowPublishedTestKeys: true }, Date.now);

function clientsOf({ verify }: WireCase): Map<string, RegisteredClient> {
  return new Map(
    verify.clients.map(({ clientId, publicKey }) => {
      const client = { keys: pems.get(publicKey)!, network: ['0.0.0.0'] };
      return [clientId, reader.read(clientId, client)];
    }),
  );
}

async function sentCase(one: WireCase): Promise<Sent | undefined> {
  const { wire, request, verify } = one;
  const { host, scheme, target, wireable } = wire;
  const url = urlByHost.get(host);
  const headerBytes = request.headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  // Requests that an HTTP parser alters or rejects, and two spellings of a host whose base URL is another one.
  if (!wireable || headerBytes > 12_000 || (url !== undefined && !url.startsWith(`${scheme}:`)))
    return undefined;
  if (url === undefined && /example\.test(:443)?$/i.test(host) && !host.startsWith('x.')) return undefined;
  const body = await bodyOf(one, vectorFiles);
  const clients = clientsOf(one);
  const verification = verifyRequest(
    { method: request.method, targetUri: `${url}${target}`, headers: request.headers, body },
    {
      clientByKeyid: (keyid) => clients.get(keyid) as VerifyingClient<VerificationKey> | undefined,
      guard: acceptReplaysUnsafely,
      nowSeconds: () => verify.now,
    },
  );
  const verdict = verification.ok ? 'ok' : verification.code;
  const isMeasured = request.headers.some(([name]) => name.toLowerCase() === 'content-length');
  const length = body === undefined || isMeasured ? [] : [['Content-Length', String(body.length)] as const];
  return {
    id: one.id,
    now: verify.now,
    clients,
    request: { method: request.method, target, headers: [...request.headers, ...length], body },
    expected: url === undefined ? 'request_malformed' : verdict,
  };
}

const sent: Sent[] = [];
for (const part of ['positive', 'negative', 'policy', 'fuzz']) {
  const { cases } = (await vectorFiles.json(`vectors/profile/${part}.json`)) as {
    cases: readonly WireCase[];
  };
  for (const one of cases) sent.push(...[await sentCase(one)].filter((each) => each !== undefined));
}

test('nearly all vectors go over a wire', () => {
  assert.ok(sent.length > 700, String(sent.length));
  assert.ok(new Set(sent.map(({ expected }) => expected)).size > 12);
});

/** Requests that a framework's own server rejects before any middleware. */
const refusedEarlier: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Hono: { 'tamper-url/backslash': 'status 400' },
};

for (const [name, start] of Object.entries(frameworks)) {
  describe(`the vectors of the profile through ${name}`, () => {
    let current: Sent = sent[0]!;
    let server: Listening;
    before(async () => {
      server = await start(
        createVerifier({
          baseUrls,
          guard: acceptReplaysUnsafely,
          registry: {
            clientById: (clientId) => current.clients.get(clientId),
            isReading: () => false,
            isUnread: () => false,
            read: () => Promise.resolve(),
            isFresh: () => true,
            refresh: () => Promise.resolve(),
            keyUsed: () => undefined,
          },
          bodyBytesMax: 2 ** 24,
          limits: { addressFailuresPerMinuteMax: 0 },
          nowMs: () => current.now * 1000,
        }),
        { bodyIsIgnored: true },
      );
    });
    after(() => server.close());

    test('get the verdict that the library gives', async () => {
      const wrong: string[] = [];
      for (current of sent) {
        const { verdict } = await exchange(server.port, current.request);
        if (verdict !== (refusedEarlier[name]?.[current.id] ?? current.expected))
          wrong.push(`${current.id}: ${verdict}, not ${current.expected}`);
      }
      assert.deepEqual(wrong, []);
    });
  });
}
