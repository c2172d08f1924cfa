/**
 * Azure Key Vault itself cannot be reached from tests. These use a double of the service over real HTTP, as `azure-double.ts`
 * says, and a credential of the shape that `@azure/identity` has.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  type AzureCredential,
  type AzureKeyVaultOptions,
  openAzureKeyVault,
} from '@countersign/azure-key-vault';
import { assertAccepted, assertRejects } from '@countersign/testing/stored-keys';
import { type AzureDouble, azureToken, keyId, openAzureDouble, refusal } from './azure-double.ts';

describe('a key in Azure Key Vault', () => {
  let azure: AzureDouble;
  const bytes = Buffer.from('"@method": GET');
  /** Gives these tokens, the last one again and again. */
  const tokens = (...values: string[]): AzureCredential & { readonly scopes: string[] } => {
    const scopes: string[] = [];
    return {
      scopes,
      getToken: async (scope) => {
        scopes.push(scope);
        const token = values.length > 1 ? values.shift()! : values[0]!;
        return { token, expiresOnTimestamp: Date.now() + 3_600_000 };
      },
    };
  };
  const scope = 'https://vault.azure.net/.default';
  const open = (options: Partial<AzureKeyVaultOptions> = {}): ReturnType<typeof openAzureKeyVault> =>
    openAzureKeyVault({
      address: azure.address,
      scope,
      credential: tokens(azureToken),
      timeoutMs: 20_000,
      ...options,
    });

  // One for each test: a call that one of them gave up may still arrive.
  beforeEach(async () => {
    azure = await openAzureDouble();
  });
  afterEach(() => azure.close());

  it('signs what our verifier and a running service accept', () => assertAccepted(open().openKey(keyId)));

  it('sends a digest for RS256 in base64url, and asks for one token', async () => {
    const credential = tokens(azureToken);
    const key = open({ credential }).openKey(keyId);
    await Promise.all([key.sign(bytes), key.sign(bytes)]);
    await key.sign(bytes);
    const [call] = azure.received;
    assert.deepEqual([call!.method, call!.target], ['POST', `/keys/${keyId}/sign?api-version=7.4`]);
    assert.deepEqual(call!.body, { alg: 'RS256', value: 'qNW3_RiEYduCsQFA6W3eZ7SgwSgflZ3TjmUs_dtatWg' });
    assert.deepEqual(credential.scopes, [scope]);
  });

  it('is replaced by a new version', async () => {
    const made = await open().createKey(keyId);
    assert.match(made.keyId, /^signing\/[0-9a-f]{32}$/);
    assert.notEqual(made.keyId, keyId);
    await assertAccepted(made);
  });

  it('is never made twice', async () => {
    const { size } = azure.versions;
    azure.next.push('cut');
    await assertRejects(() => open().createKey(keyId), 'store_unavailable', /cannot be reached/);
    assert.deepEqual([azure.received.length, azure.versions.size], [1, size]);
  });

  it('signs with the next token when Azure rejects the first', async () => {
    const credential = tokens('eyJ0.an-old.token', azureToken);
    assert.equal((await open({ credential }).openKey(keyId).sign(bytes)).length, 384);
    assert.equal(credential.scopes.length, 2);
  });

  it('renews a token before it expires', async () => {
    const expiring: AzureCredential & { count: number } = {
      count: 0,
      async getToken() {
        this.count += 1;
        return { token: azureToken, expiresOnTimestamp: Date.now() + 60_000 };
      },
    };
    const key = open({ credential: expiring }).openKey(keyId);
    await key.sign(bytes);
    await key.sign(bytes);
    assert.equal(expiring.count, 2);
  });

  it('that cannot sign says why', async () => {
    await assertRejects(
      () =>
        open()
          .openKey(`other/${'c'.repeat(32)}`)
          .sign(bytes),
      'key_not_found',
      /404: A key with/,
    );
    await assertRejects(
      () =>
        open()
          .openKey(`wrapping/${'a'.repeat(32)}`)
          .publicKey(),
      'key_unusable',
      /may not be used to sign/,
    );
    await assertRejects(
      () =>
        open()
          .openKey(`curve/${'b'.repeat(32)}`)
          .publicKey(),
      'key_unusable',
      /of the type EC/,
    );
    azure.versions.get(keyId)!.isEnabled = false;
    await assertRejects(() => open().openKey(keyId).sign(bytes), 'key_unusable', /disabled key/);
    azure.versions.get(keyId)!.isEnabled = true;
    await assertRejects(() => open().createKey(`other/${'c'.repeat(32)}`), 'key_not_found', /other/);
  });

  it('may not be used: says so, and holds no token', async () => {
    azure.next.push(
      refusal(403, 'Forbidden', 'Caller is not authorized to perform action on resource.', 'ForbiddenByRbac'),
    );
    await assertRejects(
      () => open().openKey(keyId).sign(bytes),
      'access_denied',
      /403: Caller is not authorized/,
    );
    const rejected = open({ credential: tokens('eyJ0.an-old.token') }).openKey(keyId);
    await assertRejects(() => rejected.sign(bytes), 'access_denied', /401: AKV10032/, ['eyJ0']);
    const none: AzureCredential = { getToken: () => Promise.reject(new Error('client_secret=a-secret')) };
    await assertRejects(
      () => open({ credential: none }).openKey(keyId).sign(bytes),
      'access_denied',
      /no access token/,
      ['a-secret'],
    );
  });

  const passing = [
    [
      'throttles',
      refusal(429, 'Throttled', 'Request was not processed because too many requests were received.'),
    ],
    ['fails inside', refusal(500, 'InternalError', 'Internal error')],
    ['closes the connection', 'cut'],
  ] as const;
  for (const [what, failure] of passing) {
    it(`signs when the service ${what} for a moment`, async () => {
      azure.next.push(failure, failure);
      assert.equal((await open().openKey(keyId).sign(bytes)).length, 384);
      assert.equal(azure.received.length, 3);
    });
  }

  it('believes no answer that is not one to its question', async () => {
    const value = Buffer.alloc(384, 1).toString('base64url');
    const kid = `${azure.address}/keys/${keyId}`;
    const answers = [
      [{ kid: kid.replace('9885', '0000'), value }, /another key/],
      [{ kid: kid.replace('http:', 'https:'), value }, /another key/],
      [{ value }, /another key/],
      [{ kid, value: 'AAAA' }, /3 bytes/],
      [{ kid, value: `${value}==` }, /no valid Base64/],
    ] as const;
    for (const [body, message] of answers) {
      azure.next.push({ status: 200, body });
      await assertRejects(() => open().openKey(keyId).sign(bytes), 'answer_invalid', message);
    }
  });

  it('has tokens for the vaults and managed HSMs of each cloud', async () => {
    const scopes = {
      'https://shop.vault.azure.net': 'https://vault.azure.net/.default',
      'https://shop.managedhsm.azure.net/': 'https://managedhsm.azure.net/.default',
      'https://shop.vault.azure.cn': 'https://vault.azure.cn/.default',
      'https://shop.vault.usgovcloudapi.net': 'https://vault.usgovcloudapi.net/.default',
    };
    for (const [address, expected] of Object.entries(scopes)) {
      const credential = tokens(azureToken);
      const refused = (): Promise<Response> => Promise.resolve(new Response('{}', { status: 403 }));
      const key = openAzureKeyVault({ address, credential, fetch: refused }).openKey(keyId);
      await assertRejects(() => key.sign(bytes), 'access_denied', /403/);
      assert.deepEqual(credential.scopes, [expected]);
    }
  });

  it('refuses names that no version has, and addresses that are no vault', () => {
    for (const id of [
      'signing',
      'signing/1',
      `signing/${'A'.repeat(32)}`,
      `https://shop.vault.azure.net/keys/${keyId}`,
      `../${keyId}`,
    ])
      assert.throws(() => open().openKey(id), { code: 'options_invalid' });
    const credential = tokens(azureToken);
    for (const address of [
      'https://vault.azure.net.example.com',
      'https://a.b.vault.azure.net',
      'http://shop.vault.azure.net',
      'shop',
    ])
      assert.throws(() => openAzureKeyVault({ address, credential }), { code: 'options_invalid' });
  });
});
