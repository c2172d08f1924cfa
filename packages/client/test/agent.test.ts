import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  defineProfile,
  keyThumbprint,
  MemoryMessageGuard,
  messageProfiles,
  verifyingKey,
  verifyMessage,
} from '@countersign/signature/messages/node';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';

const { signatureAgents } = JSON.parse(
  readFileSync(new URL('../../../vectors/web-bot-auth.json', import.meta.url), 'utf8'),
) as { readonly signatureAgents: Readonly<Record<'accepted' | 'refused', readonly string[]>> };
const signatureAgent = 'https://agent.example/keys.json';
const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

function pem(key: KeyObject): string {
  return key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' });
}

/** Verifies with the agent's keys, as a service does that has fetched them. */
const profile = defineProfile(messageProfiles.webBotAuth01);
const guard = new MemoryMessageGuard();
const keys = new Map(
  await Promise.all(
    [ed25519, p256].map(
      async ({ publicKey }) => [await keyThumbprint(publicKey), verifyingKey(publicKey)] as const,
    ),
  ),
);

async function outcomeOf(request: IncomingMessage, origin: string, body: Buffer): Promise<string> {
  const result = await verifyMessage(
    { method: request.method!, targetUri: origin + request.url!, headers: request.rawHeaders, body },
    { profile, keysFor: ({ keyid }) => keys.get(keyid ?? ''), guard },
  );
  if (!result.ok) return result.code;
  return result.covered.map(({ identifier }) => identifier.name).join(' ');
}

describe('an agent', () => {
  const seen: { readonly outcome: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const outcome = await outcomeOf(request, origin, Buffer.concat(chunks));
      seen.push({ outcome, headers: request.headers });
      if (request.url === '/moved') response.writeHead(307, { Location: '/here' });
      response.end(outcome);
    })();
  });
  let origin = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  for (const [name, fetchOf] of [
    ['Node', (key: KeyObject) => node.signingFetch({ signatureAgent, privateKey: key })],
    ['Web Crypto', (key: KeyObject) => web.signingFetch({ signatureAgent, privateKey: pem(key) })],
  ] as const) {
    for (const [algorithm, pair] of [
      ['ed25519', ed25519],
      ['ecdsa-p256-sha256', p256],
    ] as const) {
      test(`signs the whole request with ${algorithm} on ${name}`, async () => {
        const fetch = fetchOf(pair.privateKey);
        const read = await fetch(`${origin}/v1/things?page=2`);
        assert.equal(await read.text(), '@authority @method @target-uri signature-agent');
        const written = await fetch(`${origin}/v1/things`, { method: 'POST', body: '{"a":1}' });
        assert.equal(await written.text(), '@authority @method @target-uri content-digest signature-agent');
        const { headers } = seen.at(-1)!;
        assert.equal(headers['signature-agent'], `sig="${signatureAgent}"`);
        assert.equal(headers.date, undefined);
        assert.ok(headers['signature-input']!.includes(`alg="${algorithm}"`));
      });
    }
  }

  test('signs each of many equal requests differently, and after a redirect anew', async () => {
    const fetch = node.signingFetch({ signatureAgent, privateKey: ed25519.privateKey });
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${origin}/same`, { method: 'POST' })),
    );
    const texts = await Promise.all(responses.map((response) => response.text()));
    assert.deepEqual([...new Set(texts)], ['@authority @method @target-uri signature-agent']);
    assert.equal(
      await (await fetch(`${origin}/moved`)).text(),
      '@authority @method @target-uri signature-agent',
    );
  });

  test('follows a key file to a key of another kind, name and signature together', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-agent-'));
    try {
      const file = join(folder, 'private.pem');
      writeFileSync(file, pem(ed25519.privateKey));
      const signer = node.createRequestSigner({ signatureAgent, privateKeyFile: file });
      const request = { method: 'GET', url: 'https://api.example.com/' };
      const first = await signer.sign(request);
      assert.ok(
        first.headers['Signature-Input'].includes(`keyid="${await keyThumbprint(ed25519.publicKey)}"`),
      );
      writeFileSync(file, pem(p256.privateKey));
      let later = first;
      // The file is looked at twice a second.
      while (!later.headers['Signature-Input'].includes('ecdsa')) later = await signer.sign(request);
      assert.ok(later.headers['Signature-Input'].includes(`keyid="${await keyThumbprint(p256.publicKey)}"`));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('with a function that signs has the keyid that it is given', async () => {
    const privateKey = Object.assign(
      async (bytes: Uint8Array) => signBytes(undefined, bytes, ed25519.privateKey),
      {
        algorithm: async () => 'ed25519' as const,
      },
    );
    const clientId = await keyThumbprint(ed25519.publicKey);
    const fetch = node.signingFetch({ signatureAgent, clientId, privateKey });
    assert.equal(await (await fetch(`${origin}/f`)).text(), '@authority @method @target-uri signature-agent');
    const nameless = node.createRequestSigner({ signatureAgent, privateKey });
    await assert.rejects(nameless.sign({ method: 'GET', url: origin }), { code: 'keyid_invalid' });
  });

  test('reads its options from the environment', async () => {
    const options = node.optionsFromEnvironment({
      COUNTERSIGN_SIGNATURE_AGENT: signatureAgent,
      COUNTERSIGN_PRIVATE_KEY: pem(ed25519.privateKey),
    });
    const { headers } = await node
      .createRequestSigner(options)
      .sign({ method: 'GET', url: 'https://api.example.com/' });
    assert.equal(headers['Signature-Agent'], `sig="${signatureAgent}"`);
  });

  test('is refused other keys, a Client ID that is not its thumbprint, and URLs that nobody could fetch', async () => {
    const ready = async (options: node.SignerOptions): Promise<void> =>
      node.createRequestSigner(options).ready();
    await assert.rejects(ready({ signatureAgent, privateKey: rsa.privateKey }), {
      code: 'private_key_invalid',
    });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    await assert.rejects(ready({ signatureAgent, privateKey: p384.privateKey }), {
      code: 'private_key_invalid',
    });
    const { privateKey } = ed25519;
    for (const clientId of ['x', '', 'a b', '\u00e9', 'a\nb', 'a'.repeat(300), 7 as unknown as string])
      await assert.rejects(ready({ signatureAgent, clientId, privateKey }), { code: 'keyid_invalid' });
    await ready({ signatureAgent, clientId: await keyThumbprint(ed25519.publicKey), privateKey });
    for (const url of signatureAgents.refused)
      await assert.rejects(ready({ signatureAgent: url, privateKey }), { code: 'request_invalid' }, url);
    for (const url of signatureAgents.accepted) await ready({ signatureAgent: url, privateKey });
    const long = { method: 'GET', url: `https://api.example.com/${'a'.repeat(9000)}` };
    await assert.rejects(node.createRequestSigner({ signatureAgent, privateKey }).sign(long), {
      code: 'request_invalid',
    });
  });

  test('learns no time from a site, because others would get it too', async () => {
    const hostile = createServer((_, response) => {
      response.writeHead(401, { 'Content-Type': 'application/problem+json' });
      response.end(
        JSON.stringify({
          type: 'https://evil.example/docs/errors#created_expired',
          code: 'created_expired',
          status: 401,
          serverTime: new Date(Date.now() + 80_000_000).toISOString(),
        }),
      );
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    try {
      const signer = node.createRequestSigner({
        signatureAgent,
        privateKey: ed25519.privateKey,
        throwsRefusals: false,
      });
      const fetch = node.signingFetch(signer);
      const { port } = hostile.address() as AddressInfo;
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 401);
      assert.equal(
        await (await fetch(`${origin}/after`)).text(),
        '@authority @method @target-uri signature-agent',
      );
    } finally {
      await new Promise((resolve) => hostile.close(resolve));
    }
  });

  test('keeps its key when the file gets one that it cannot sign with', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-agent-'));
    try {
      const file = join(folder, 'private.pem');
      writeFileSync(file, pem(ed25519.privateKey));
      const problems: string[] = [];
      const source = node.followKeyFile(file, {
        algorithms: ['ed25519', 'ecdsa-p256-sha256'],
        onError: ({ message }) => problems.push(message),
      });
      const first = await source.publicKey();
      writeFileSync(file, pem(rsa.privateKey));
      // The file is looked at twice a second.
      while (problems.length === 0) assert.equal(await source.publicKey(), first);
      assert.match(problems[0]!, /must be for ed25519 or ecdsa-p256-sha256/);
      const signer = node.createRequestSigner({ signatureAgent, privateKey: source });
      await signer.sign({ method: 'GET', url: 'https://api.example.com/' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('asks a key store for its public key once, and says so if it has none', async () => {
    let asked = 0;
    const store: node.KeySource = {
      keyId: 'store',
      sign: async (bytes) => signBytes(undefined, bytes, ed25519.privateKey),
      algorithm: async () => 'ed25519',
      publicKey: async () => {
        asked++;
        return pem(ed25519.publicKey);
      },
    };
    const signer = node.createRequestSigner({ signatureAgent, privateKey: store });
    const request = { method: 'GET', url: 'https://api.example.com/' };
    for (let count = 0; count < 5; count++) await signer.sign(request);
    assert.equal(asked, 1);
    const down = { ...store, publicKey: async () => Promise.reject(new Error('store down')) };
    await assert.rejects(node.createRequestSigner({ signatureAgent, privateKey: down }).sign(request), {
      code: 'signing_failed',
    });
  });

  test('is the only one whose Signature-Agent is set: a client keeps its own', async () => {
    const fetch = node.signingFetch({
      clientId: 'client_1',
      privateKey: ed25519.privateKey,
      throwsRefusals: false,
    });
    await fetch(`${origin}/client`, { headers: { 'Signature-Agent': 'mine="https://x"' } });
    assert.equal(seen.at(-1)!.headers['signature-agent'], 'mine="https://x"');
  });
});
