import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { ClientReadiness } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { freePort } from '@countersign/testing/free-port';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { apiBaseUrl, otherKeyPair, publishedKeyPair } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { exits } from '../src/exits.ts';
import { pair } from './key-files.ts';
import { type Ended, run } from './run.ts';
import { startSignedService } from './signed-service.ts';

interface Scene {
  readonly api: ProtectedApi;
  /** Runs the command as an administrator or as the operator. */
  readonly ready: (role: 'administrator' | 'operator', ...argv: string[]) => Promise<Ended>;
  /** Waits until the report, as the operator gets it in JSON, has this in it. */
  readonly reported: (text: string) => Promise<void>;
}

async function openScene(t: TestContext): Promise<Scene> {
  const port = await freePort();
  const consoleUrl = `http://127.0.0.1:${port}`;
  const api = await openProtectedApi(t, {
    environment: {
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_PUBLIC_BASE_URLS: consoleUrl,
      COUNTERSIGN_ROUTES: JSON.stringify([{ path: '/**', permission: 'shop', mode: 'observe' }]),
    },
    overrides: { requestLogEveryMs: 5 },
  });
  const folder = temporaryFolder(t);
  const roles = { administrator: 'rsa-2048-b', operator: 'rsa-3072-a' } as const;
  for (const [role, key] of Object.entries(roles)) {
    const keyPair = publishedKeyPair(key);
    const { clientId } = await api.running.addClient({ roles: [role], keyPair });
    writeFileSync(join(folder, `${role}.pem`), keyPair.privateKey, { mode: 0o600 });
    const credentials = { clientId, privateKeyFile: `${role}.pem`, baseUrl: consoleUrl };
    writeFileSync(join(folder, `${role}.json`), JSON.stringify(credentials));
  }
  const ready: Scene['ready'] = (role, ...argv) =>
    run(['routes', 'ready', '--credentials', `${role}.json`, ...argv], { folder });
  return {
    api,
    ready,
    async reported(text) {
      let report = '';
      await waitUntil(
        async () => {
          report = (await ready('operator', '--unattributed', '--json')).out;
          return report.includes(text);
        },
        () => `${text} in ${report}`,
      );
    },
  };
}

/** The row of a client, without its ID. */
function rowOf({ out }: Ended, clientId: string): string[] {
  const line = out.split('\n').find((each) => each.startsWith(clientId)) ?? '';
  return line.split(/ {2,}/).slice(1);
}

/** The pages of a list by their cursors, each with the cursor of the next one. */
type Pages = Readonly<Record<string, readonly [readonly ClientReadiness[], string | null]>>;

/** Runs the command as `client_test` against a service that answers with these pages. */
async function readFrom(
  t: TestContext,
  pages: Pages,
  ...argv: string[]
): Promise<{ readonly ended: Ended; readonly asked: readonly string[] }> {
  const { origin, arrived } = await startSignedService(t, {
    publicKey: pair.publicKey,
    answer({ target }, response) {
      const cursor = new URL(target, 'http://localhost').searchParams.get('cursor') ?? '';
      const [data, nextCursor] = pages[cursor]!;
      response.end(JSON.stringify({ data, nextCursor }));
    },
  });
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'private.pem'), pair.privateKey, { mode: 0o600 });
  const own = ['--client-id', 'client_test', '--key', 'private.pem', '--base-url', origin];
  const ended = await run(['routes', 'ready', ...own, ...argv], { folder });
  return { ended, asked: arrived.map(({ target }) => target) };
}

function reportOf(changed: Partial<ClientReadiness>): ClientReadiness {
  return {
    clientId: 'client_1',
    name: 'Shop',
    status: 'active',
    readiness: 'ready',
    accepted: 1,
    refused: 0,
    observed: 0,
    codes: [],
    ...changed,
  };
}

describe('countersign routes ready', () => {
  test('says what is missing, or what was refused', async (t) => {
    const { ready } = await openScene(t);
    assert.match((await ready('administrator', '--days', '32')).errors, /from 1 to 31/);
    const denied = await ready('administrator', '--unattributed');
    assert.equal(denied.code, exits.refused.code);
    assert.match(denied.errors, /permission_denied[\s\S]*accounts:read/);
    const json = await ready('administrator', '--unattributed', '--json');
    assert.equal((JSON.parse(json.out) as { code: string }).code, 'permission_denied');

    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'private.pem'), pair.privateKey, { mode: 0o600 });
    const own = ['routes', 'ready', '--client-id', 'client_test', '--key', 'private.pem'];
    const nowhere = await run(own, { folder });
    assert.equal(nowhere.code, exits.usage.code);
    assert.match(nowhere.errors, /--base-url/);
    for (const [answer, says] of [
      ['[', /not JSON/],
      [undefined, /status 204/],
    ] as const) {
      const { origin } = await startSignedService(t, {
        publicKey: pair.publicKey,
        answer: (_request, response) => response.writeHead(answer === undefined ? 204 : 200).end(answer),
      });
      const other = await run([...own, '--base-url', `${origin}/`], { folder });
      assert.equal(other.code, exits.unreachable.code);
      assert.match(other.errors, says);
    }
  });

  test('an account without clients is not ready', async (t) => {
    const startedMs = Date.now();
    const { ended, asked } = await readFrom(t, { '': [[], null] }, '--account', 'account_1', '--days', '1');
    assert.equal(ended.code, exits.refused.code);
    assert.match(ended.out, /There are no clients yet/);
    const query = new URL(asked[0]!, 'http://localhost').searchParams;
    assert.equal(query.get('accountId'), 'account_1');
    const readMs = Date.parse(query.get('from')!) + 86_400_000;
    assert.ok(readMs >= startedMs && readMs <= Date.now(), String(query));
  });

  test('reads all pages, and does not wait for clients that cannot call', async (t) => {
    const pages = (last: Partial<ClientReadiness>): Pages => ({
      '': [[reportOf({ clientId: 'client_1' })], 'two'],
      two: [[reportOf({ clientId: 'client_test', readiness: 'silent' })], 'three'],
      three: [[reportOf({ clientId: 'client_3', ...last })], null],
    });
    const disabled = await readFrom(t, pages({ status: 'disabled', readiness: 'silent' }));
    assert.equal(disabled.asked.length, 3);
    assert.match(disabled.ended.out, /client_1 [\s\S]*client_test [\s\S]*client_3 /);
    assert.equal(disabled.ended.code, exits.ok.code);
    for (const last of [{ readiness: 'silent' }, { status: 'disabled', readiness: 'not_ready' }] as const)
      assert.equal((await readFrom(t, pages(last))).ended.code, exits.refused.code);
  });

  test('exits with 1 while a client is silent or refused, and with 0 when all are ready', async (t) => {
    const { api, ready, reported } = await openScene(t);
    const silent = await ready('administrator');
    assert.equal(silent.code, exits.refused.code);
    assert.deepEqual(rowOf(silent, api.clientId), ['0', '0', '-', 'silent', 'Test client']);
    await api.call('GET', '/orders');
    await reported('"accepted": 1');
    const signed = await ready('administrator');
    assert.deepEqual(rowOf(signed, api.clientId), ['1', '0', '-', 'yes', 'Test client']);
    assert.equal(signed.code, exits.ok.code, signed.out);
    const stranger = createSigner({ keyid: api.clientId, privateKey: otherKeyPair.privateKey });
    await api.call('GET', '/orders', { signer: stranger });
    await reported('signature_invalid');
    const refused = await ready('administrator');
    assert.equal(refused.code, exits.refused.code);
    assert.deepEqual(rowOf(refused, api.clientId), ['1', '1', 'signature_invalid', 'no', 'Test client']);
    const { ok, data } = JSON.parse((await ready('administrator', '--json')).out) as {
      ok: boolean;
      data: readonly { clientId: string; readiness: string; observed: number }[];
    };
    const client = data.find(({ clientId }) => clientId === api.clientId);
    assert.deepEqual([ok, client?.readiness, client?.observed], [false, 'not_ready', 1]);
  });

  test('lists for the operator where requests without a client come from', async (t) => {
    const { api, ready, reported } = await openScene(t);
    await api.call('GET', '/orders');
    await reported('"accepted": 1');
    // All clients have called now.
    await ready('administrator');
    const none = await ready('operator', '--unattributed');
    assert.match(none.out, /No request without a client was let through/);
    await api.running.send({ method: 'GET', url: `${apiBaseUrl}/orders` });
    await reported('signature_missing');
    const some = await ready('operator', '--unattributed');
    assert.equal(some.code, exits.refused.code);
    assert.match(some.out, /^127\.0\.0\.1 +1 +signature_missing +20\d\d-/m);
  });
});
