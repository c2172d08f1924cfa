import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createSigner, readPublicKey } from '@countersign/signature/node';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exits } from '../src/exits.ts';
import { missingPrograms } from './installed.ts';
import { run } from './run.ts';

const small = ['--bits', '2048'];

describe('keygen', () => {
  it('never overwrites a file', async (context) => {
    for (const taken of ['private.pem', 'public.pem']) {
      const folder = temporaryFolder(context);
      writeFileSync(join(folder, taken), 'precious');
      const { code, errors } = await run(['keygen', ...small], { folder });
      assert.equal(code, exits.local.code);
      assert.match(errors, /already exists/);
      assert.deepEqual(readdirSync(folder), [taken]);
      assert.equal(readFileSync(join(folder, taken), 'utf8'), 'precious');
    }
  });

  it('leaves nothing behind when the public key cannot be written', async (context) => {
    const folder = temporaryFolder(context);
    const { code, errors } = await run(['keygen', ...small, '--public-out', 'missing/public.pem'], {
      folder,
    });
    assert.equal(code, exits.local.code);
    assert.match(errors, /missing\/public\.pem does not exist/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('replaces nothing by --force when one of the files is a folder', async (context) => {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, 'private.pem'), 'precious');
    mkdirSync(join(folder, 'public.pem'));
    const { code } = await run(['keygen', ...small, '--force'], { folder });
    assert.equal(code, exits.local.code);
    assert.equal(readFileSync(join(folder, 'private.pem'), 'utf8'), 'precious');
  });

  it('refuses an empty passphrase file', async (context) => {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, 'secret.txt'), '\n');
    const { code, errors } = await run(['keygen', '--passphrase-file', 'secret.txt'], { folder });
    assert.equal(code, exits.local.code);
    assert.match(errors, /secret\.txt is empty/);
    assert.equal(existsSync(join(folder, 'private.pem')), false);
  });

  it('makes a pair of files, the private one for its owner alone', async (context) => {
    const folder = temporaryFolder(context);
    const { code, out } = await run(['keygen', ...small], { folder });
    assert.equal(code, exits.ok.code);
    assert.equal(statSync(join(folder, 'private.pem')).mode & 0o777, 0o600);
    const reading = readPublicKey(readFileSync(join(folder, 'public.pem'), 'utf8'));
    assert.ok(reading.ok);
    assert.equal(reading.key.bits, 2048);
    assert.match(out, /fingerprint +SHA256:[A-Za-z0-9+/]{43}\n/);
    assert.ok(!out.includes('PRIVATE KEY'));
    createSigner({ keyid: 'client_x', privateKey: readFileSync(join(folder, 'private.pem'), 'utf8') });
  });

  it('makes 3072 bits unless it is told otherwise, and JSON for scripts', async (context) => {
    const folder = temporaryFolder(context);
    const { out } = await run(['keygen', '--json'], { folder });
    const made = JSON.parse(out) as Record<string, unknown>;
    assert.equal(made['modulusBits'], 3072);
    assert.equal(made['privateKeyFile'], 'private.pem');
    assert.equal(made['encrypted'], false);
  });

  it('replaces both files with --force', async (context) => {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, 'private.pem'), 'old', { mode: 0o644 });
    writeFileSync(join(folder, 'public.pem'), 'old');
    const { code } = await run(['keygen', ...small, '--force'], { folder });
    assert.equal(code, exits.ok.code);
    assert.match(readFileSync(join(folder, 'private.pem'), 'utf8'), /^-----BEGIN PRIVATE KEY-----/);
    assert.match(readFileSync(join(folder, 'public.pem'), 'utf8'), /^-----BEGIN PUBLIC KEY-----/);
    assert.equal(statSync(join(folder, 'private.pem')).mode & 0o777, 0o600);
    assert.equal(readdirSync(folder).length, 2);
  });

  it('encrypts with a passphrase, from a file or from the environment', async (context) => {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, 'secret.txt'), 'correct horse\n');
    const fromFile = await run(['keygen', ...small, '--passphrase-file', 'secret.txt'], { folder });
    assert.match(fromFile.out, /encrypted with your passphrase/);
    const privateKey = readFileSync(join(folder, 'private.pem'), 'utf8');
    assert.match(privateKey, /BEGIN ENCRYPTED PRIVATE KEY/);
    createSigner({ keyid: 'client_x', privateKey, passphrase: 'correct horse' });

    const other = ['--out', 'b.pem', '--public-out', 'b.pub.pem'];
    await run(['keygen', ...small, ...other], { folder, environment: { COUNTERSIGN_PASSPHRASE: 'battery' } });
    const second = readFileSync(join(folder, 'b.pem'), 'utf8');
    createSigner({ keyid: 'client_x', privateKey: second, passphrase: 'battery' });
    assert.throws(() => createSigner({ keyid: 'client_x', privateKey: second, passphrase: 'horse' }));
  });

  it(
    'prints a line with which openssl says the same fingerprint',
    { skip: missingPrograms('openssl') },
    async (context) => {
      const folder = temporaryFolder(context);
      const names = ['--out', "it's mine.pem", '--public-out', 'my public.pem'];
      const { out } = await run(['keygen', ...small, ...names], { folder });
      const line = /^ +(openssl pkey .*)$/m.exec(out)?.[1] ?? '';
      const shell = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' });
      assert.equal(shell.status, 0, shell.stderr);
      const fingerprint = /SHA256:(\S+)/.exec(out)?.[1];
      assert.equal(shell.stdout.trim(), `${fingerprint}=`);
    },
  );
});
