import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { modeOf, openRotationScene, textOf } from './rotation-scene.ts';
import { run } from './run.ts';

const usual = ['credentials.json', 'private.pem'];

describe('countersign rotate', () => {
  it('replaces the key, and leaves the old one its overlap', async (t) => {
    const { rotate, keyFile, usableKeys, isAccepted, files } = await openRotationScene(t);
    const before = textOf(keyFile);
    const [old] = await usableKeys();
    const { code, out, errors } = await rotate(['--overlap', '24h']);
    assert.equal(code, exits.ok.code, errors);
    assert.notEqual(textOf(keyFile), before);
    assert.ok(await isAccepted());
    const keys = await usableKeys();
    assert.deepEqual(
      keys.map(({ status }) => status),
      ['retiring', 'active'],
    );
    assert.equal(keys[0]?.keyId, old?.keyId);
    assert.match(
      out,
      new RegExp(
        `^The key is replaced\\.\\n[\\s\\S]*key +${keys[1]?.keyId}[\\s\\S]*${old?.keyId}.*retiring until 20`,
      ),
    );
    assert.match(
      errors,
      /Made a new key SHA256:\S+ \(RSA, 2048 bits\)\.\nRegistered it\.\nThe service accepts it\.\nSwitched .*private\.pem to it\.\nThe previous key \S+ works until \S+ \(overlap: 1 day\)\./,
    );
    assert.ok(!`${out}${errors}`.includes('PRIVATE KEY'));
    assert.deepEqual(files(), usual);
  });

  it('ends the old key at once, when there is no overlap or others know it', async (t) => {
    const { rotate, usableKeys, isAccepted, running, clientId } = await openRotationScene(t);
    const reasons: (string | undefined)[] = [];
    for (const argv of [['--overlap', '0'], ['--compromised'], ['--overlap', '0', '--bits', '3072']]) {
      const { code, errors } = await rotate(argv);
      assert.equal(code, exits.ok.code, errors);
      assert.deepEqual(
        (await usableKeys()).map(({ status }) => status),
        ['active'],
      );
      assert.ok(await isAccepted());
    }
    await running.change(async (registry) => {
      for (const key of (await registry.showClient(clientId)).keys) reasons.push(key.revocationReason);
    });
    assert.deepEqual(reasons, ['superseded', 'compromised', 'superseded', undefined]);
  });

  it('does nothing while the key is young', async (t) => {
    const { rotate, keyFile, files } = await openRotationScene(t);
    const before = textOf(keyFile);
    const young = await rotate(['--if-older-than', '60d']);
    assert.equal(young.code, exits.ok.code, young.errors);
    assert.match(young.out, /^The key is 0 days old: nothing to do\./);
    assert.equal(textOf(keyFile), before);
    const json = await rotate(['--if-older-than', '1h', '--json']);
    assert.equal((JSON.parse(json.out) as { outcome: string }).outcome, 'not_due');
    const old = await rotate(['--if-older-than', '0']);
    assert.equal(old.code, exits.ok.code, old.errors);
    assert.notEqual(textOf(keyFile), before);
    assert.deepEqual(files(), usual);
  });

  it('keeps what the key file is like: owner, mode, format, passphrase, and a link to it', async (t) => {
    const bare = (pem: string): string => pem.replaceAll(/-----.*-----|\n/g, '');
    const scene = await openRotationScene(t, { keyText: bare });
    const passphrase = 'correct horse';
    chmodSync(scene.keyFile, 0o640);
    const first = await scene.rotate(['--overlap', '0']);
    assert.equal(first.code, exits.ok.code, first.errors);
    assert.match(textOf(scene.keyFile), /^[A-Za-z0-9+/=]+\n$/);
    assert.equal(modeOf(scene.keyFile), 0o640);

    const folder = temporaryFolder(t);
    const key = createPrivateKey({
      key: Buffer.from(textOf(scene.keyFile), 'base64'),
      format: 'der',
      type: 'pkcs8',
    });
    writeFileSync(
      scene.keyFile,
      key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }),
    );
    symlinkSync(scene.keyFile, join(folder, 'link.pem'));
    const environment = { COUNTERSIGN_PASSPHRASE: passphrase };
    const argv = [
      '--client-id',
      scene.clientId,
      '--key',
      'link.pem',
      '--base-url',
      scene.baseUrl,
      '--overlap',
      '0',
    ];
    const second = await run(['rotate', ...argv], { folder, environment });
    assert.equal(second.code, exits.ok.code, second.errors);
    assert.match(textOf(scene.keyFile), /^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
    assert.equal(modeOf(scene.keyFile), 0o640);
    createPrivateKey({ key: textOf(scene.keyFile), passphrase });
    const asked = await run(['request', 'GET', '/v1/whoami', '--credentials', 'credentials.json'], {
      folder: scene.folder,
      environment,
    });
    assert.equal(asked.code, exits.ok.code, asked.errors);
  });

  it('says who else has a key, or when there is room for another one', async (t) => {
    const { rotate, running, clientId, usableKeys, keyFile, files } = await openRotationScene(t);
    assert.equal((await rotate()).code, exits.ok.code);
    const rotated = textOf(keyFile);
    const again = await rotate();
    assert.equal(again.code, exits.refused.code);
    assert.match(
      again.errors,
      /works until 20\S+, and a client can have at most two usable keys[\s\S]*--overlap 0/,
    );
    assert.equal(textOf(keyFile), rotated);
    assert.equal((await rotate(['--overlap', '0'])).code, exits.ok.code, 'ends the one before');
    assert.equal((await usableKeys()).length, 1);

    const { publicKey } = makeKeyPair();
    await running.change((registry) => registry.addKey(clientId, publicKey));
    const foreign = await rotate();
    assert.equal(foreign.code, exits.refused.code);
    assert.match(
      foreign.errors,
      /another key that this machine does not know: key_\S+, SHA256:\S+, registered .*pending/,
    );
    assert.match(foreign.errors, /countersign request POST \/v1\/clients\/\S+\/keys\/key_\S+\/revoke/);
    assert.deepEqual(files(), usual);
  });

  it('says what is missing, before anything is changed', async (t) => {
    const { rotate, keyFile, files, folder } = await openRotationScene(t, { roles: ['payments-reader'] });
    const before = textOf(keyFile);
    const denied = await rotate();
    assert.equal(denied.code, exits.refused.code);
    assert.match(denied.errors, /permission_denied[\s\S]*role key-rotator/);
    for (const [argv, says] of [
      [['--overlap', '31d'], /at most 30d/],
      [['--overlap', '3'], /a number with a unit, such as 60d/],
      [['--if-older-than', 'soon'], /--if-older-than must be a number with a unit/],
      [['--compromised', '--overlap', '1h'], /--compromised replaces the key now/],
      [['--bits', '1024'], /from 2048 to 8192/],
    ] as const) {
      const wrong = await rotate(argv);
      assert.equal(wrong.code, exits.usage.code);
      assert.match(wrong.errors, says);
    }
    writeFileSync(join(folder, 'private.pem'), makeKeyPair().privateKey);
    const unknown = await rotate();
    assert.equal(unknown.code, exits.refused.code);
    assert.match(unknown.errors, /signature_invalid/);
    writeFileSync(join(folder, 'private.pem'), before);
    assert.deepEqual(files(), usual);
  });

  it('does not touch files that it does not know', async (t) => {
    const { rotate, keyFile, folder, isAccepted, clientId } = await openRotationScene(t);
    writeFileSync(join(folder, 'private.pem.next'), makeKeyPair().privateKey);
    const next = await rotate();
    assert.equal(next.code, exits.local.code);
    assert.match(next.errors, /private\.pem\.next exists, but no rotation is under way/);
    const record = (content: object): void =>
      writeFileSync(join(folder, 'private.pem.rotation'), JSON.stringify(content));
    record({});
    assert.match((await rotate()).errors, /not the record of a rotation/);
    record({ clientId: 'client_other', previousFingerprint: 'SHA256:x', overlapSeconds: 60 });
    assert.match((await rotate()).errors, /rotation of client_other that was interrupted/);
    record({ clientId, previousFingerprint: 'SHA256:x', overlapSeconds: 60 });
    assert.match((await rotate()).errors, /was changed while a rotation was under way/);
    assert.ok(textOf(keyFile).includes('PRIVATE KEY'));
    assert.ok(await isAccepted());
  });

  it('rotates once when it is started several times at once', async (t) => {
    const { rotate, usableKeys, isAccepted, files } = await openRotationScene(t);
    const runs = await Promise.all(Array.from({ length: 4 }, () => rotate(['--if-older-than', '0'])));
    const codes = runs.map(({ code }) => code);
    assert.ok(codes.includes(exits.ok.code), runs.map(({ errors }) => errors).join('\n'));
    const keys = await usableKeys();
    assert.deepEqual(
      keys.map(({ status }) => status),
      ['retiring', 'active'],
      runs.map(({ errors }) => errors).join('\n'),
    );
    assert.ok(await isAccepted());
    // A run that began when the others were done may have found no room for another key.
    assert.deepEqual(files(), usual, runs.map(({ errors }) => errors).join('\n'));
  });
});
