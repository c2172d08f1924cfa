import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { freePort } from '@countersign/testing/free-port';
import { publishedKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { waitUntil } from '@countersign/testing/wait-until';
import { missingSoftHsm, openSoftHsm, softHsmModule } from '../../pkcs11/test/softhsm.ts';
import { openVaultDouble, type VaultDouble, vaultToken } from '../../vault/test/vault-double.ts';
import { exits } from '../src/exits.ts';
import { pair } from './key-files.ts';
import { startProxy } from './proxy-scene.ts';
import { type Ended, run, type RunOptions } from './run.ts';

interface Scene {
  readonly folder: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly running: RunningService;
  readonly command: (argv: readonly string[], options?: Partial<RunOptions>) => Promise<Ended>;
  readonly write: (name: string, content: string | object) => void;
  readonly keyName: () => string;
  readonly keys: () => Promise<readonly { readonly status: string }[]>;
}

const stored = ['--credentials', 'credentials.json'];

/** Starts a service that knows a client by a public key, and puts the name of the private half into a file. */
async function openScene(t: TestContext, store: object, keyName: string, publicKey: string): Promise<Scene> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const running = await runService({ COUNTERSIGN_PORT: String(port), COUNTERSIGN_PUBLIC_BASE_URLS: baseUrl });
  t.after(() => running.close());
  const keyPair = { ...publishedKeyPair('rsa-2048-a'), publicKey };
  const { clientId } = await running.addClient({ roles: ['key-rotator'], keyPair });
  const folder = temporaryFolder(t);
  const write = (name: string, content: string | object): void =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  write('store.json', store);
  write('key-name', `${keyName}\n`);
  write('credentials.json', { clientId, keyNameFile: 'key-name', keyStoreFile: 'store.json', baseUrl });
  return {
    folder,
    baseUrl,
    clientId,
    running,
    write,
    command: (argv, options = {}) => run(argv, { folder, ...options }),
    keyName: () => readFileSync(join(folder, 'key-name'), 'utf8').trim(),
    async keys() {
      let keys: readonly { readonly status: string }[] = [];
      await running.change(async (registry) => {
        keys = (await registry.showClient(clientId)).keys;
      });
      return keys;
    },
  };
}

async function openVaultScene(t: TestContext): Promise<Scene & { readonly vault: VaultDouble }> {
  const vault = await openVaultDouble();
  t.after(() => vault.close());
  const settings = { store: 'vault', address: vault.address, tokenFile: 'token' };
  const scene = await openScene(t, settings, 'shop:1', vault.versions[0]!.publicKey);
  scene.write('token', `${vaultToken}\n`);
  return { ...scene, vault };
}

function assertNoSecret({ out, errors }: Ended): void {
  assert.ok(!`${out}${errors}`.includes(vaultToken));
}

describe('a client whose key stays in Vault', () => {
  it('signs, is checked, and calls the management API', async (t) => {
    const { command, clientId } = await openVaultScene(t);
    const asked = await command(['request', 'GET', '/v1/whoami', ...stored]);
    assert.equal(asked.code, exits.ok.code, asked.errors);
    assert.match(asked.out, new RegExp(clientId));
    const checked = await command(['doctor', ...stored]);
    assert.equal(checked.code, exits.ok.code, checked.out);
    assert.match(checked.out, /RSA, 2048 bits, SHA256:/);
    const listed = await command(['api', 'listKeys', `clientId=${clientId}`, ...stored]);
    assert.equal(listed.code, exits.ok.code, listed.errors);
    for (const ended of [asked, checked, listed]) assertNoSecret(ended);
  });

  it('is rotated: Vault makes the key, and the file names it', async (t) => {
    const { command, keyName, keys, vault } = await openVaultScene(t);
    const rotated = await command(['rotate', ...stored, '--overlap', '24h', '--json']);
    assert.equal(rotated.code, exits.ok.code, rotated.errors);
    assert.match(rotated.out, /"keyNameFile": ?".*key-name"/);
    assertNoSecret(rotated);
    assert.equal(vault.versions.length, 3);
    assert.equal(keyName(), 'shop:3');
    assert.deepEqual(
      (await keys()).map(({ status }) => status),
      ['retiring', 'active'],
    );
    assert.equal((await command(['request', 'GET', '/v1/whoami', ...stored])).code, exits.ok.code);
  });

  it('is rotated to one key, when a run is interrupted and run again', async (t) => {
    const { command, keyName, keys, vault } = await openVaultScene(t);
    const pause = (): Promise<void> => Promise.reject(new Error('interrupted'));
    assert.equal(
      (await command(['rotate', ...stored, '--overlap', '0'], { pause })).code,
      exits.internal.code,
    );
    assert.equal(keyName(), 'shop:1');
    assert.equal((await command(['request', 'GET', '/v1/whoami', ...stored])).code, exits.ok.code);
    const again = await command(['rotate', ...stored, '--overlap', '0']);
    assert.equal(again.code, exits.ok.code, again.errors);
    assert.match(again.errors, /An earlier run was interrupted[\s\S]*Using the new key/);
    assert.equal(vault.versions.length, 3, 'no second key was made');
    assert.equal(keyName(), 'shop:3');
    assert.deepEqual(
      (await keys()).map(({ status }) => status),
      ['revoked', 'active'],
    );
  });

  it('signs what passes the proxy, which follows the name of the key', async (t) => {
    const scene = await openVaultScene(t);
    const argv = ['--key-store', join(scene.folder, 'store.json')];
    const { clientId, baseUrl: target, vault } = scene;
    const proxy = await startProxy(t, { target, clientId, privateKey: 'shop:1\n', argv });
    const call = (): Promise<Response> => fetch(`${proxy.address}/v1/whoami`);
    assert.equal((await call()).status, 200);
    await scene.running.change((registry) => registry.addKey(clientId, vault.versions[1]!.publicKey));
    writeFileSync(proxy.keyFile, 'shop:2\n');
    await waitUntil(() => proxy.notes().includes('has another key now'), proxy.notes);
    assert.equal((await call()).status, 200);
    vault.tokens.clear();
    const failed = await call();
    assert.equal(failed.status, 500);
    const text = await failed.text();
    assert.match(text, /permission denied.*signing_failed/);
    assert.ok(!text.includes(vaultToken));
  });

  it('is told what is wrong with the store, and never a secret', async (t) => {
    const { command, write, vault } = await openVaultScene(t);
    const address = vault.address;
    const request = ['request', 'GET', '/v1/whoami', ...stored];
    const cases: readonly (readonly [string | object, keyof typeof exits, RegExp])[] = [
      ['{ no JSON', 'local', /store\.json: it must hold one JSON object/],
      [
        { store: 'safe' },
        'local',
        /"store" must be one of pkcs11, vault, aws-kms, google-kms, azure-key-vault/,
      ],
      [
        { store: 'vault', adress: address },
        'local',
        /"adress" is no setting of vault, which has address, mount/,
      ],
      [{ store: 'vault', address, token: vaultToken }, 'local', /"token" is no setting of vault/],
      [{ store: 'vault', address, tokenFile: 'none' }, 'local', /token file .*none cannot be read/],
      [{ store: 'vault', address, mount: 'other', tokenFile: 'token' }, 'local', /no handler for route/],
      [{ store: 'vault', address: 'http://127.0.0.1:1', tokenFile: 'token' }, 'unreachable', /Vault/],
      [
        { store: 'azure-key-vault', address: 'https://shop.vault.azure.net' },
        'local',
        /azure-key-vault needs a "tokenFile", a file with an access token: az account/,
      ],
    ];
    for (const [settings, exit, message] of cases) {
      write('store.json', settings);
      const ended = await command(request);
      assert.match(ended.errors, message);
      assert.equal(ended.code, exits[exit].code, ended.errors);
      assertNoSecret(ended);
    }
    write('store.json', { store: 'vault', address });
    const denied = await command(request);
    assert.match(denied.errors, /permission denied/);
    const environment = { VAULT_TOKEN: vaultToken };
    assert.equal((await command(request, { environment })).code, exits.ok.code);
  });

  it('is not confused with a key in a file', async (t) => {
    const { command, write } = await openVaultScene(t);
    const bits = await command(['rotate', ...stored, '--bits', '3072']);
    assert.equal(bits.code, exits.usage.code);
    assert.match(bits.errors, /--bits cannot be used with a key store/);
    write('key-name', pair.privateKey);
    const held = await command(['request', 'GET', '/v1/whoami', ...stored]);
    assert.equal(held.code, exits.usage.code);
    assert.match(held.errors, /holds a private key/);
    assert.ok(!held.errors.includes('BEGIN'));
    for (const credentials of [
      { clientId: 'c', keyNameFile: 'key-name' },
      { clientId: 'c', keyStoreFile: 'store.json' },
      { clientId: 'c', privateKeyFile: 'key-name', keyStoreFile: 'store.json' },
    ]) {
      write('credentials.json', credentials);
      const ended = await command(['request', 'GET', '/v1/whoami', ...stored]);
      assert.match(ended.errors, /must hold one JSON object.*keyNameFile and keyStoreFile/);
      assert.equal(ended.code, exits.local.code);
    }
  });
});

it('a key in an HSM is rotated: SoftHSM', { skip: missingSoftHsm() }, async (t) => {
  const hsm = openSoftHsm();
  t.after(() => hsm.remove());
  const pin = '4711';
  hsm.initialize('shop', pin);
  hsm.makeKeyPair('shop', pin, { label: 'signing', id: '01' });
  const name = 'pkcs11:token=shop;id=%01';
  const { openPkcs11 } = await import('@countersign/pkcs11');
  const store = openPkcs11({ module: softHsmModule, token: 'shop', pin });
  t.after(() => store.close());
  const settings = { store: 'pkcs11', module: softHsmModule, token: 'shop', pinFile: 'pin' };
  const scene = await openScene(t, settings, name, await store.openKey(name).publicKey());
  scene.write('pin', `${pin}\n`);
  const rotated = await scene.command(['rotate', ...stored, '--overlap', '0']);
  assert.equal(rotated.code, exits.ok.code, rotated.errors);
  assert.notEqual(scene.keyName(), name);
  assert.deepEqual(
    (await scene.keys()).map(({ status }) => status),
    ['revoked', 'active'],
  );
  const asked = await scene.command(['request', 'GET', '/v1/whoami', ...stored]);
  assert.equal(asked.code, exits.ok.code, asked.errors);
  assert.ok(!`${rotated.out}${rotated.errors}`.includes(pin));
});
