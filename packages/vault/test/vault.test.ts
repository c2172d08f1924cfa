/**
 * Vault itself does not run here: Debian has no package of it or of OpenBao. These tests use a double of its protocol over
 * real HTTP, as `vault-double.ts` says.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { assertAccepted, assertRejects } from '@countersign/testing/stored-keys';
import { followKeyName, openVault, type VaultOptions } from '@countersign/vault';
import { openVaultDouble, type VaultDouble, vaultToken } from './vault-double.ts';

describe('a key in the transit engine of Vault', () => {
  let vault: VaultDouble;
  let folder: string;
  const open = (options: Partial<VaultOptions> = {}): ReturnType<typeof openVault> =>
    openVault({ address: vault.address, token: vaultToken, timeoutMs: 20_000, ...options });
  const bytes = Buffer.from('"@method": GET');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-vault-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  // One for each test: a call that one of them gave up may still arrive.
  beforeEach(async () => {
    vault = await openVaultDouble();
    vault.tokens.add(vaultToken);
  });
  afterEach(() => vault.close());

  it('signs what our verifier and a running service accept', () => assertAccepted(open().openKey('shop:1')));

  it('signs with its version, whichever is the newest', () => assertAccepted(open().openKey('shop:2')));

  it('sends a digest, the padding, the hash and the version, and nothing of what is signed', async () => {
    await open({ namespace: 'team/payments' }).openKey('shop:1').sign(bytes);
    const [call] = vault.received;
    assert.deepEqual([call!.method, call!.target], ['POST', '/v1/transit/sign/shop']);
    assert.deepEqual(call!.body, {
      input: 'qNW3/RiEYduCsQFA6W3eZ7SgwSgflZ3TjmUs/dtatWg=',
      prehashed: true,
      hash_algorithm: 'sha2-256',
      signature_algorithm: 'pkcs1v15',
      key_version: 1,
    });
    assert.equal(call!.headers['x-vault-token'], vaultToken);
    assert.equal(call!.headers['x-vault-namespace'], 'team/payments');
    assert.equal(call!.headers['x-vault-request'], 'true');
  });

  it('sends no token where an agent adds it', async () => {
    await assertRejects(
      () => open({ token: undefined }).openKey('shop:1').sign(bytes),
      'access_denied',
      /403/,
    );
    assert.equal('x-vault-token' in vault.received[0]!.headers, false);
  });

  for (const tells of [true, false]) {
    it(`is replaced by a new version${tells ? '' : ', also in a Vault that does not say which it made'}`, async () => {
      vault.tellsRotation = tells;
      const made = await open().createKey('shop:1');
      assert.equal(made.keyId, `shop:${vault.versions.length}`);
      assert.equal(await made.publicKey(), vault.versions.at(-1)!.publicKey);
      assert.ok((await made.sign(bytes)).length === 256);
    });
  }

  it('is never made twice: a rotation that fails is not repeated', async () => {
    const versions = vault.versions.length;
    for (const failure of ['cut', { status: 503, body: { errors: ['Vault is sealed'] } }] as const) {
      vault.next.push(failure);
      vault.received.length = 0;
      await assertRejects(() => open().createKey('shop:1'), 'store_unavailable', /Vault/);
      assert.equal(vault.received.length, 1);
    }
    assert.equal(vault.versions.length, versions);
  });

  describe('whose token is in a file', () => {
    const replace = async (token: string): Promise<void> => {
      await writeFile(join(folder, 'token.new'), `${token}\n`);
      await rename(join(folder, 'token.new'), join(folder, 'token'));
    };

    it('signs with the token that replaced an expired one, at once', async () => {
      await replace(vaultToken);
      const key = open({ token: undefined, tokenFile: join(folder, 'token') }).openKey('shop:1');
      await key.sign(bytes);
      vault.tokens.clear();
      vault.tokens.add('hvs.the-next-token');
      await replace('hvs.the-next-token');
      await key.sign(bytes);
      assert.deepEqual(
        new Set(vault.received.map(({ headers }) => headers['x-vault-token'])),
        new Set([vaultToken, 'hvs.the-next-token']),
      );
      vault.tokens.clear();
      await assertRejects(() => key.sign(bytes), 'access_denied', /permission denied/, ['hvs.']);
    });

    it('says so when the file is missing or holds no token', async () => {
      const key = open({ token: undefined, tokenFile: join(folder, 'none') }).openKey('shop:1');
      await assertRejects(() => key.sign(bytes), 'access_denied', /none cannot be read \(ENOENT\)/);
      await writeFile(join(folder, 'odd'), 'hvs.one\r\nX-Other: two');
      const odd = open({ token: undefined, tokenFile: join(folder, 'odd') }).openKey('shop:1');
      await assertRejects(() => odd.sign(bytes), 'options_invalid', /one line/, ['hvs.one']);
      assert.equal(vault.received.length, 0);
    });
  });

  it('changes when the file with its name does', async () => {
    const file = join(folder, 'key-name');
    await writeFile(file, 'shop:1\n');
    const errors: string[] = [];
    const key = await followKeyName(file, open(), { onError: ({ code }) => errors.push(code) });
    assert.equal(await key.publicKey(), vault.versions[0]!.publicKey);
    const becomes = async (text: string, isDone: () => boolean): Promise<void> => {
      await writeFile(file, text);
      while (!isDone()) await key.sign(bytes);
    };
    await becomes('shop:2\n', () => key.keyId === 'shop:2');
    assert.equal((await key.sign(bytes)).length, 384);
    await becomes('no key', () => errors.length > 0);
    assert.deepEqual([key.keyId, errors], ['shop:2', ['options_invalid']]);
    await becomes('shop:1', () => key.keyId === 'shop:1');
  });

  describe('that cannot sign', () => {
    const reasons = [
      ['of an unknown name', 'other:1', 'key_not_found', /other:1 with 400: signing key not found/],
      ['of a version to come', 'shop:999', 'key_not_found', /higher than the latest/],
    ] as const;
    for (const [what, keyId, code, message] of reasons) {
      it(`${what}: ${code}, asked once`, async () => {
        await assertRejects(() => open().openKey(keyId).sign(bytes), code, message);
        assert.equal(vault.received.length, 1);
      });
    }

    it('below the lowest version that Vault lets sign: key_unusable, asked once', async () => {
      const text = 'requested version for signing is less than the minimum encryption key version';
      vault.next.push({ status: 500, body: { errors: [text] } });
      await assertRejects(
        () => open().openKey('shop:1').sign(bytes),
        'key_unusable',
        /500: .* less than the minimum/,
      );
      assert.equal(vault.received.length, 1);
    });

    it('has no public key either, and says which version is the newest', async () => {
      await assertRejects(() => open().openKey('other:1').publicKey(), 'key_not_found', /404/);
      await assertRejects(
        () => open().openKey('shop:999').publicKey(),
        'key_not_found',
        /the newest is \d+\./,
      );
      await assertRejects(() => open().openKey('edge:1').publicKey(), 'key_unusable', /ed25519/);
      await assertRejects(() => open().createKey('other:1'), 'key_not_found', /key not found/);
    });
  });

  describe('in a Vault that fails', () => {
    const once = [
      ['is sealed', { status: 503, body: { errors: ['Vault is sealed'] } }],
      ['closes the connection', 'cut'],
      [
        'limits the rate',
        { status: 429, body: { errors: ['request path "transit/sign/shop": rate limit quota exceeded'] } },
      ],
      ['is a standby that lags', { status: 412, body: { errors: ['required index state not present'] } }],
    ] as const;
    for (const [what, failure] of once) {
      it(`signs when it ${what} for a moment`, async () => {
        vault.next.push(failure, failure);
        assert.equal((await open().openKey('shop:1').sign(bytes)).length, 256);
        assert.equal(vault.received.length, 3);
      });
    }

    it('gives up after four tries, with the last reason', async () => {
      vault.next.push(
        ...Array.from({ length: 9 }, () => ({
          status: 429,
          body: { errors: ['rate limit quota exceeded'] },
        })),
      );
      await assertRejects(() => open().openKey('shop:1').sign(bytes), 'throttled', /429: rate limit/);
      assert.equal(vault.received.length, 4);
    });

    it('gives up when the time is over', async () => {
      vault.next.push('hang', 'hang', 'hang');
      const key = open({ timeoutMs: 300 }).openKey('shop:1');
      await assertRejects(() => key.sign(bytes), 'store_unavailable', /Vault did not answer in time/);
    });

    it('follows no redirect, which would take the token along', async () => {
      vault.next.push({ status: 307, headers: { Location: 'http://127.0.0.1:9/v1/transit/sign/shop' } });
      await assertRejects(
        () => open().openKey('shop:1').sign(bytes),
        'store_unavailable',
        /redirects \(307\)/,
      );
      assert.equal(vault.received.length, 1);
    });

    it('cannot be reached: says the reason of the network', async () => {
      const gone = await openVaultDouble();
      await gone.close();
      const key = openVault({ address: gone.address, token: vaultToken }).openKey('shop:1');
      await assertRejects(() => key.sign(bytes), 'store_unavailable', /cannot be reached \(ECONNREFUSED\)/, [
        vaultToken,
      ]);
    });
  });

  it('believes no answer that is not one to its question', async () => {
    const answers = [
      [{ status: 200, body: 'sign here' }, /something else than JSON/],
      [{ status: 200, body: { data: {} } }, /no signature of the form/],
      [{ status: 200, body: { data: { signature: 'vault:v1:AAAA' } } }, /3 bytes/],
      [
        { status: 200, body: { data: { signature: `vault:v2:${'A'.repeat(344)}` } } },
        /version 2 .* instead of version 1/,
      ],
      [{ status: 200, body: { data: { signature: `vault:v1:${'-'.repeat(344)}` } } }, /no valid Base64/],
    ] as const;
    for (const [answer, message] of answers) {
      vault.next.push(answer);
      await assertRejects(() => open().openKey('shop:1').sign(bytes), 'answer_invalid', message);
    }
  });

  it('takes its token out of what Vault repeats', async () => {
    vault.next.push({ status: 400, body: { errors: [`bad request with ${vaultToken}`] } });
    await assertRejects(() => open().openKey('shop:1').sign(bytes), 'key_unusable', /with \[removed\]/, [
      vaultToken,
    ]);
  });

  it('keeps no more calls under way than it may', async () => {
    let running = 0;
    let most = 0;
    const counting = openVault({
      address: vault.address,
      token: vaultToken,
      concurrencyMax: 2,
      timeoutMs: 60_000,
      fetch: async (...call) => {
        most = Math.max(most, (running += 1));
        const response = await fetch(...call);
        running -= 1;
        return response;
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => counting.openKey('shop:1').sign(bytes)));
    assert.equal(most, 2);
    vault.next.push('hang', 'hang', 'hang', 'hang');
    const short = open({ concurrencyMax: 1, timeoutMs: 400 });
    const results = await Promise.allSettled([1, 2, 3].map(() => short.openKey('shop:1').sign(bytes)));
    const codes = results.map((each) =>
      each.status === 'rejected' ? (each.reason as { code: string }).code : 'signed',
    );
    assert.deepEqual(codes, ['store_unavailable', 'throttled', 'throttled']);
  });

  it('refuses options that cannot be meant', () => {
    const wrong: readonly (readonly [Partial<VaultOptions>, RegExp])[] = [
      [{ address: 'vault.example.com' }, /must be a URL/],
      [{ address: 'http://vault.example.com:8200' }, /must begin with https/],
      [{ address: 'https://me:secret@vault.example.com' }, /no user, password/],
      [{ mount: '../sys' }, /mount must be a path/],
      [{ namespace: 'a b' }, /namespace must be a path/],
      [{ tokenFile: 'token' }, /not both/],
      [{ token: 'two\nlines' }, /one line/],
      [{ timeoutMs: 0 }, /timeoutMs/],
      [{ concurrencyMax: 1.5 }, /concurrencyMax/],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => open(options), { code: 'options_invalid', message });
    for (const keyId of ['shop', 'shop:0', 'shop:01', 'shop:latest', 'a/b:1', '..:1', ''])
      assert.throws(() => open().openKey(keyId), { code: 'options_invalid', message: /NAME:VERSION/ });
    openVault({ address: 'http://vault.example.com', allowUnencryptedConnection: true });
  });
});
