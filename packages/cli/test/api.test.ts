import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operations } from '@countersign/contract';
import { freePort } from '@countersign/testing/free-port';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { pair } from './key-files.ts';
import { type Ended, run } from './run.ts';
import { startSignedService } from './signed-service.ts';

describe('countersign api', () => {
  let running: RunningService;
  let folder = '';
  const cleanups: (() => void)[] = [];
  before(async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    running = await runService({ COUNTERSIGN_PORT: String(port), COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl });
    const keyPair = makeKeyPair();
    const { clientId } = await running.addClient({ roles: ['administrator'], keyPair });
    folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => void) });
    writeFileSync(join(folder, 'private.pem'), keyPair.privateKey, { mode: 0o600 });
    const credentials = { clientId, privateKeyFile: 'private.pem', baseUrl };
    writeFileSync(join(folder, 'admin.json'), JSON.stringify(credentials));
  });
  after(async () => {
    await running.close();
    for (const cleanup of cleanups) cleanup();
  });

  const call = (...argv: string[]): Promise<Ended> =>
    run(['api', ...argv, '--credentials', 'admin.json'], { folder });
  async function succeed(...argv: string[]): Promise<Record<string, unknown>> {
    const { code, out, errors } = await call(...argv);
    assert.equal(code, exits.ok.code, errors);
    return JSON.parse(out) as Record<string, unknown>;
  }

  it('lists every operation that programs can call', async () => {
    const { out, code } = await run(['api'], { folder });
    assert.equal(code, exits.ok.code);
    for (const { id, method, path, callers } of Object.values(operations))
      assert.equal(
        new RegExp(`^${id} +${method} ${path.replace(/[{}]/g, '\\$&')} `, 'm').test(out),
        callers !== 'people',
        id,
      );
    const { operations: listed } = JSON.parse((await run(['api', '--json'], { folder })).out) as {
      operations: readonly { id: string }[];
    };
    assert.ok(listed.some(({ id }) => id === 'addNetworkEntry'));
  });

  it('manages clients, networks, roles and keys', async () => {
    const role = await succeed('addRole', 'name=cashier', 'permissions:=["payments:read"]');
    const client = await succeed(
      'addClient',
      'name=Shop',
      'networkWhitelist:=[{"entry":"127.0.0.1"}]',
      'roles:=["cashier"]',
    );
    const clientId = `clientId=${String(client['clientId'])}`;
    await succeed('addNetworkEntry', clientId, 'entry=203.0.113.0/24', 'label=Office 2');
    const tested = await succeed('testNetworkAddress', clientId, 'address==203.0.113.9');
    assert.equal(tested['isAllowed'], true);
    await succeed('removeNetworkEntry', clientId, 'entry=203.0.113.0/24');
    const { publicKey } = makeKeyPair();
    const key = await succeed('addKey', clientId, `publicKey=${publicKey}`);
    await succeed('revokeKey', clientId, `keyId=${String(key['keyId'])}`, 'reason=superseded');
    const renamed = await succeed('updateClient', clientId, 'name=Shop 2');
    assert.equal(renamed['name'], 'Shop 2');
    assert.equal(
      (await call('updateClient', clientId, 'name=Shop 3', '--if-match', '"0"')).code,
      exits.refused.code,
    );
    await succeed('updateRole', `roleId=${String(role['roleId'])}`, '-d', '{"summary":"At the till"}');
    for (let count = 0; count < 3; count += 1)
      await succeed('addClient', `name=More ${count}`, 'networkWhitelist:=[{"entry":"127.0.0.1"}]');
    const found = await succeed('listClients', 'search=more', 'limit=1', '--all');
    assert.equal((found['data'] as unknown[]).length, 3);
    const again = [
      'addClient',
      'name=Once',
      'networkWhitelist:=[{"entry":"127.0.0.1"}]',
      '--idempotency-key',
      'once',
    ];
    assert.equal((await succeed(...again))['clientId'], (await succeed(...again))['clientId']);
  });

  it('says what is wrong', async () => {
    const cases: readonly (readonly [argv: readonly string[], says: RegExp, code?: number])[] = [
      [['listClient'], /Did you mean "listClients"/],
      [['LISTCLIENTS'], /Did you mean "listClients"/],
      [['listMembers'], /There is no operation "listMembers"/],
      [['getClient'], /clientId is missing: clientId=…/],
      [['revokeKey', 'reason=x'], /clientId and keyId is missing/],
      [['getClient', 'clientId=client_x', 'clientId=client_y'], /clientId=… is given 2 times/],
      [['listClients', 'a:=1'], /takes no body/],
      [['getWhoami', '--all'], /--all reads lists/],
      [['getClient', 'clientId=client_x'], /not_found/, exits.refused.code],
      [['listClients', 'colour=green'], /query_invalid/, exits.refused.code],
    ];
    for (const [argv, says, code = exits.usage.code] of cases) {
      const ended = await call(...argv);
      assert.match(ended.errors, says);
      assert.equal(ended.code, code);
    }
  });
  it('fills the path with name=text only', async (context) => {
    const { origin, arrived } = await startSignedService(context, pair);
    const items = ['clientId==query', 'clientId:="body"', 'clientId=path'];
    await call('updateClient', ...items, '--base-url', origin);
    const seen = arrived.map(({ target, body }) => [target, String(body)]);
    assert.deepEqual(seen, [['/v1/clients/path?clientId=query', '{"clientId":"body"}']]);
  });

  it('a client that would shut itself out needs --force', async () => {
    const keyPair = makeKeyPair();
    const { clientId } = await running.addClient({ roles: ['administrator'], keyPair });
    writeFileSync(join(folder, 'own.pem'), keyPair.privateKey, { mode: 0o600 });
    const { baseUrl } = JSON.parse(readFileSync(join(folder, 'admin.json'), 'utf8')) as { baseUrl: string };
    const own = (...argv: string[]): Promise<Ended> =>
      run(['api', ...argv, '--client-id', clientId, '--key', 'own.pem', '--base-url', baseUrl], { folder });
    const body = { clients: [{ clientId }], action: 'disable' };
    const change = (more: object): string[] => ['changeClients', '-d', JSON.stringify({ ...body, ...more })];
    const removal = { action: 'remove_roles', roles: ['administrator'] };
    const { keys } = (await succeed('getClient', `clientId=${clientId}`)) as { keys: { keyId: string }[] };
    const key = [`clientId=${clientId}`, `keyId=${keys[0]?.keyId}`, 'reason=superseded'];
    const cases: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
      [['disableClient', `clientId=${clientId}`], /disableClient disables the client that signs it/],
      [['revokeClient', `clientId=${clientId}`], /revokeClient revokes the client that signs it/],
      [
        ['updateClient', `clientId=${clientId}`, 'roles:=[]'],
        /takes every role from the client that signs it/,
      ],
      [['revokeKey', ...key], /revokeKey revokes a key of the client that signs it/],
      [change({}), /changeClients disables the client that signs it/],
      [change(removal), /changeClients removes roles from the client that signs it/],
    ];
    for (const [argv, says] of cases) {
      const ended = await own(...argv);
      assert.match(ended.errors, says);
      assert.match(ended.errors, /another client or the portal, or add --force/);
      assert.equal(ended.code, exits.usage.code);
    }
    const kept = await succeed('getClient', `clientId=${clientId}`);
    assert.deepEqual([kept['status'], kept['roles']], ['active', ['administrator']]);

    for (const more of [{ dryRun: true }, { ...removal, dryRun: true }, { action: 'enable' }]) {
      const changed = await own(...change(more));
      assert.equal(changed.code, exits.ok.code, changed.errors);
    }
    const renamed = await own('updateClient', `clientId=${clientId}`, 'name=Own', 'roles:=["administrator"]');
    assert.equal(renamed.code, exits.ok.code, renamed.errors);
    const forced = await own('disableClient', `clientId=${clientId}`, '--force');
    assert.equal(forced.code, exits.ok.code, forced.errors);
    assert.match((await own('getWhoami')).errors, /client_disabled/);
    // Another client may be disabled as ever.
    await succeed('enableClient', `clientId=${clientId}`);
    await succeed('disableClient', `clientId=${clientId}`);
  });
});
