import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import {
  createVerifier,
  followRegistry,
  openReplayGuard,
  openServiceRegistry,
  type RegistryCopy,
  type VerifierOptions,
} from '@countersign/middleware';
import { countersign } from '@countersign/middleware/node';
import { createSigner, MemoryReplayGuard, type Signer } from '@countersign/signature/node';
import { freePort } from '@countersign/testing/free-port';
import { publishedKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { patienceMs } from '@countersign/testing/wait-until';
import { baseUrl, otherKeyPair, sendSigned } from './scene.ts';

interface Protected {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts an API behind the middleware that responds with the caller's roles. */
async function startApi(options: Omit<VerifierOptions, 'baseUrls'>): Promise<Protected> {
  const verifier = createVerifier({ baseUrls: [baseUrl], guard: new MemoryReplayGuard(), ...options });
  const server = createServer(
    countersign(verifier, (_request, response, signed) => response.end(signed.roles.join())),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const permissions = 'invoices:read=Read invoices';
const permissionOf: VerifierOptions['permissionOf'] = ({ path }) =>
  path.startsWith('/invoices') ? 'invoices:read' : undefined;

/**
 * Sends until this is the verdict. Requests more than a second after the change get no other one, unless the
 * registry could not be read in time.
 */
async function untilVerdict(port: number, signer: Signer, verdict: string, path = '/things'): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const sentMs = performance.now() - startedMs;
    const found = (await sendSigned(port, { signer, path })).verdict;
    if (found === verdict) return;
    if (sentMs > 1000) assert.equal(found, 'registry_stale', `${verdict}, after ${sentMs} ms`);
    assert.ok(sentMs < patienceMs, `${found}, not ${verdict}`);
  }
}

type Open = (
  running: RunningService,
  auditor: Signer,
  onError: (error: unknown) => void,
) => Promise<RegistryCopy>;

const followed: Open = (running, signer, onError) =>
  followRegistry({
    baseUrl,
    signer,
    onError,
    pollEveryMs: 100,
    // The service under test has a base URL that only its Host header knows.
    fetch: async (url, init) => {
      const target = (url as string).slice(baseUrl.length);
      const { method = 'GET', headers } = init ?? {};
      const answer = await running.send({ method, url: target, headers: headers as Record<string, string> });
      return new Response(answer.text, { status: answer.status });
    },
  });

const ofDatabase: Open = (running, _signer, onError) =>
  openServiceRegistry({
    dataFolder: running.dataFolder,
    permissions: { 'invoices:read': { summary: 'Read invoices' } },
    onError,
  });

for (const [name, open] of Object.entries({ followRegistry: followed, openServiceRegistry: ofDatabase })) {
  describe(name, () => {
    let running: RunningService;
    let registry: RegistryCopy;
    let api: Protected;
    const errors: unknown[] = [];
    before(async () => {
      running = await runService({ COUNTERSIGN_PERMISSIONS: permissions });
      const auditor = await running.addClient({ clientId: 'auditor', roles: ['auditor'] });
      registry = await open(running, auditor.signer, (error) => errors.push(error));
      api = await startApi({ registry, permissionOf });
    });
    after(async () => {
      await api?.close();
      await registry?.close();
      await running?.close();
    });

    test('knows a new client, its roles and its permissions', async () => {
      const { signer } = await running.addClient({
        clientId: 'new',
        roles: ['payments-reader'],
        keyPair: publishedKeyPair('rsa-2048-a'),
      });
      await untilVerdict(api.port, signer, 'ok');
      assert.match((await sendSigned(api.port, { signer })).text, /payments-reader/);
      assert.equal((await sendSigned(api.port, { signer, path: '/invoices' })).verdict, 'permission_denied');
      await running.change((local) => local.setRoles('new', ['administrator']));
      await untilVerdict(api.port, signer, 'ok', '/invoices');
    });

    test('refuses a disabled client, a changed network and a revoked key within a second', async () => {
      const { signer } = await running.addClient({
        clientId: 'changing',
        keyPair: publishedKeyPair('rsa-2048-b'),
      });
      await untilVerdict(api.port, signer, 'ok');
      await running.change((local) => local.disableClient('changing'));
      await untilVerdict(api.port, signer, 'client_disabled');
      await running.change((local) => local.enableClient('changing'));
      await untilVerdict(api.port, signer, 'ok');
      await running.change((local) => local.setNetwork('changing', [{ entry: '203.0.113.0/24' }]));
      await untilVerdict(api.port, signer, 'network_not_allowed');
      await running.change((local) => local.setNetwork('changing', [{ entry: '127.0.0.0/8' }]));
      await untilVerdict(api.port, signer, 'ok');
      await running.change(async (local) => {
        const { keys } = await local.showClient('changing');
        await local.revokeKey('changing', keys[0]!.keyId, 'compromised');
      });
      await untilVerdict(api.port, signer, 'signature_invalid');
    });

    test('accepts both keys of a rollover, and refuses a revoked client', async () => {
      const { signer } = await running.addClient({
        clientId: 'rolling',
        keyPair: publishedKeyPair('rsa-3072-a'),
      });
      await untilVerdict(api.port, signer, 'ok');
      const next = publishedKeyPair('rsa-4096-a');
      await running.change((local) => local.addKey('rolling', next.publicKey));
      const nextSigner = createSigner({ keyid: 'rolling', privateKey: next.privateKey });
      await untilVerdict(api.port, nextSigner, 'ok');
      assert.equal((await sendSigned(api.port, { signer })).verdict, 'ok');
      await running.change((local) => local.revokeClient('rolling'));
      await untilVerdict(api.port, nextSigner, 'signature_invalid');
    });

    test('refuses strangers and unknown clients alike', async () => {
      const stranger = createSigner({ keyid: 'auditor', privateKey: otherKeyPair.privateKey });
      const unknown = createSigner({ keyid: 'nobody', privateKey: otherKeyPair.privateKey });
      for (const signer of [stranger, unknown])
        assert.equal((await sendSigned(api.port, { signer })).verdict, 'signature_invalid');
      assert.deepEqual(errors, []);
    });
  });
}

describe('followRegistry without its service', () => {
  test('refuses everybody with registry_stale, and goes on when the service is back', async (t) => {
    const port = await freePort();
    const serviceUrl = `http://127.0.0.1:${port}`;
    const running = await runService({
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: serviceUrl,
    });
    t.after(() => running.close());
    const { signer } = await running.addClient({ roles: ['auditor'] });
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const registry = await followRegistry({ baseUrl: serviceUrl, signer, onError });
    t.after(() => registry.close());
    const api = await startApi({ registry });
    t.after(() => api.close());
    await untilVerdict(api.port, signer, 'ok');
    await running.service.stop();
    await untilVerdict(api.port, signer, 'registry_stale');
    assert.equal((await sendSigned(api.port, { signer })).headers['retry-after'], '1');
    assert.equal(errors.length, 1);
    // The first request after the outage asks the service itself.
    await running.restart();
    assert.equal((await sendSigned(api.port, { signer })).verdict, 'ok');
  });

  test('rejects a client whose profile a newer service knows alone, says so once, and serves the others', async (t) => {
    const port = await freePort();
    const serviceUrl = `http://127.0.0.1:${port}`;
    const running = await runService({
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: serviceUrl,
    });
    t.after(() => running.close());
    const { signer } = await running.addClient({ clientId: 'present', roles: ['auditor'] });
    const newer = await running.addClient({
      clientId: 'newer',
      roles: ['auditor'],
      keyPair: publishedKeyPair('rsa-2048-a'),
    });
    const errors: unknown[] = [];
    const registry = await followRegistry({
      baseUrl: serviceUrl,
      signer,
      onError: (error) => void errors.push(error),
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        const text = await answer.text();
        const changed = text.replaceAll(/\{"clientId":"newer".*?"profile":"/g, '$&next-');
        return new Response(changed, { status: answer.status });
      },
    });
    t.after(() => registry.close());
    const api = await startApi({ registry });
    t.after(() => api.close());
    await untilVerdict(api.port, signer, 'ok');
    await untilVerdict(api.port, newer.signer, 'client_disabled');
    await registry.refresh();
    assert.equal(errors.length, 1);
    assert.match(String(errors[0]), /client newer has the profile "next-countersign".*update the middleware/);
  });

  test('says at the start what the credentials lack', async (t) => {
    const running = await runService();
    t.after(() => running.close());
    const { signer } = await running.addClient({ roles: ['payments-reader'] });
    await assert.rejects(
      followed(running, signer, () => undefined),
      /403 to GET .*permission audit:read/,
    );
  });
});

describe('openReplayGuard', () => {
  test('remembers across a restart, and shares its folder with nobody', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const signature = { id: 'x'.repeat(16), keyid: 'shop', created: nowSeconds(), isSafe: false };
    const guard = await openReplayGuard(folder);
    assert.equal(guard.use(signature, nowSeconds()), undefined);
    await assert.rejects(openReplayGuard(folder), /Stop it first, or give this one another folder/);
    guard.close();
    const next = await openReplayGuard(folder);
    const refusal = next.use(signature, nowSeconds());
    next.close();
    assert.equal(refusal?.code, 'signature_replayed');
  });
});

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
