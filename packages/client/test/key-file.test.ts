import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRequestSigner,
  followKeyFile,
  type KeySource,
  optionsFromEnvironment,
  SigningError,
} from '../src/node.ts';

const bytes = new TextEncoder().encode('a signature base');
const [first, second] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) as [
  KeyObject,
  KeyObject,
];
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' });
const isBy = (key: KeyObject, signature: Uint8Array): boolean =>
  verify('sha256', bytes, createPublicKey(key), signature);

/** Signs until the signature is the key's: the file is looked at twice a second. */
async function signedBy(source: KeySource, key: KeyObject): Promise<void> {
  while (!isBy(key, await source.sign(bytes))) await sleep(20);
}

describe('a followed key file', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-key-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('signs with the key in the file, in each form', async () => {
    const passphrase = 'correct horse';
    const forms: readonly string[] = [
      pemOf(first),
      first.export({ type: 'pkcs1', format: 'pem' }),
      first.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      first.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }),
    ];
    for (const [index, text] of forms.entries()) {
      const path = join(folder, `form-${index}.pem`);
      writeFileSync(path, text);
      const source = followKeyFile(path, { passphrase });
      assert.ok(isBy(first, await source.sign(bytes)), String(index));
      assert.equal(source.keyId, path);
      assert.equal(await source.publicKey(), createPublicKey(first).export({ type: 'spki', format: 'pem' }));
    }
  });

  it('takes a new key that replaces the file, and one that is written into it', async () => {
    const path = join(folder, 'replaced.pem');
    writeFileSync(path, pemOf(first));
    const source = followKeyFile(path);
    assert.ok(isBy(first, await source.sign(bytes)));
    writeFileSync(`${path}.new`, pemOf(second));
    renameSync(`${path}.new`, path);
    await signedBy(source, second);
    writeFileSync(path, pemOf(first));
    await signedBy(source, first);
  });

  it('keeps the last key while the file is half written or gone, and says so', async () => {
    const path = join(folder, 'broken.pem');
    writeFileSync(path, pemOf(first));
    const errors: SigningError[] = [];
    const source = followKeyFile(path, { onError: (error) => errors.push(error) });
    assert.ok(isBy(first, await source.sign(bytes)));
    writeFileSync(path, pemOf(second).slice(0, 700));
    while (errors.length === 0) {
      assert.ok(isBy(first, await source.sign(bytes)));
      await sleep(20);
    }
    rmSync(path);
    while (!errors.some(({ message }) => message.includes('ENOENT'))) {
      assert.ok(isBy(first, await source.sign(bytes)));
      await sleep(20);
    }
    for (const { message } of errors) assert.ok(!message.includes(pemOf(second).slice(100, 120)));
    writeFileSync(path, pemOf(second));
    await signedBy(source, second);
  });

  it('says what is wrong with a file that never held a key', async () => {
    const path = join(folder, 'none.pem');
    const isProblem = (text: RegExp) => (error: unknown) =>
      error instanceof SigningError && error.code === 'private_key_invalid' && text.test(error.message);
    const signer = createRequestSigner({ clientId: 'shop', privateKeyFile: path });
    await assert.rejects(signer.ready(), isProblem(/none\.pem cannot be read \(ENOENT\)/));
    writeFileSync(path, createPublicKey(first).export({ type: 'spki', format: 'pem' }));
    await assert.rejects(signer.sign({ method: 'GET', url: 'https://a.test/' }), isProblem(/public key/));
    writeFileSync(path, pemOf(first));
    await signer.ready();
  });
});

describe('the environment', () => {
  const key = pemOf(first);

  it('names client and key', () => {
    const environment = { COUNTERSIGN_CLIENT_ID: 'shop', COUNTERSIGN_PASSPHRASE: '' };
    assert.deepEqual(optionsFromEnvironment({ ...environment, COUNTERSIGN_PRIVATE_KEY: key }), {
      clientId: 'shop',
      privateKey: key,
    });
    const file = { COUNTERSIGN_PRIVATE_KEY_FILE: 'a.pem', COUNTERSIGN_PASSPHRASE: 'secret' };
    assert.deepEqual(optionsFromEnvironment({ ...environment, ...file }), {
      clientId: 'shop',
      privateKeyFile: 'a.pem',
      passphrase: 'secret',
    });
  });

  it('is refused when something is missing or said twice, without repeating it', () => {
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ COUNTERSIGN_PRIVATE_KEY: key }, 'COUNTERSIGN_CLIENT_ID'],
      [{ COUNTERSIGN_CLIENT_ID: 'shop' }, 'COUNTERSIGN_PRIVATE_KEY'],
      [
        { COUNTERSIGN_CLIENT_ID: 'shop', COUNTERSIGN_PRIVATE_KEY: key, COUNTERSIGN_PRIVATE_KEY_FILE: 'a' },
        'either',
      ],
    ];
    for (const [environment, text] of wrong) {
      assert.throws(
        () => optionsFromEnvironment(environment),
        (error) =>
          error instanceof SigningError && error.message.includes(text) && !error.message.includes('BEGIN'),
      );
    }
  });
});

describe('options that cannot be used', () => {
  it('are reported at once on Node', () => {
    const key = pemOf(first);
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ clientId: '', privateKey: key }, /Client ID, .* Copy it from the portal/],
      [{ clientId: 'shop' }, /exactly one of privateKey and privateKeyFile/],
      [{ clientId: 'shop', privateKey: undefined }, /exactly one of privateKey and privateKeyFile/],
      [
        { clientId: 'shop', privateKey: key, privateKeyFile: 'a.pem' },
        /exactly one of privateKey and privateKeyFile/,
      ],
      [{ clientId: 'shop', privateKey: 'no key' }, /key/],
      [{ clientId: 'shop', privateKey: key, bodyBytesMax: -1 }, /bodyBytesMax/],
      [{ clientId: 'shop', privateKey: key, throwsRefusals: 'no' }, /throwsRefusals/],
      [{ clientId: 'shop', privateKey: key, coverDate: 'no' }, /coverDate/],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => createRequestSigner(options as Parameters<typeof createRequestSigner>[0]), message);
  });
});
