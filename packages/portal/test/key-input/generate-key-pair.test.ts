import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { readPlainPrivateKey } from '@countersign/signature/node';
import { generateKeyPair } from '../../src/components/key-input/generate-key-pair.ts';
import { keyFileText } from '../../src/components/key-input/key-file-text.ts';
import { readKeyText } from '../../src/components/key-input/read-key-text.ts';
import { fileStem } from '../../src/components/save-text.ts';

describe('a key pair that is made in the page', () => {
  it('has two forms of one private key, and the public key that belongs to it', async () => {
    const pair = await generateKeyPair(2048);
    const fromPem = createPrivateKey(pair.privateKeyPem);
    const fromLine = createPrivateKey({
      key: Buffer.from(pair.privateKeyLine, 'base64'),
      format: 'der',
      type: 'pkcs8',
    });
    assert.ok(fromPem.equals(fromLine));
    assert.equal(pair.key.publicKeyPem, createPublicKey(fromPem).export({ type: 'spki', format: 'pem' }));
    assert.equal(pair.key.description, 'RSA, 2,048 bits');
    assert.match(
      pair.privateKeyPem,
      /^-----BEGIN PRIVATE KEY-----\n(?:[A-Za-z0-9+/=]{1,64}\n)+-----END PRIVATE KEY-----\n$/,
    );
    assert.ok(readPlainPrivateKey(pair.privateKeyPem).ok && readPlainPrivateKey(pair.privateKeyLine).ok);
    assert.ok(!JSON.stringify(pair.key).includes(pair.privateKeyLine.slice(40, 80)));
  });
});

describe('a file that is chosen', () => {
  it('is refused without being read when it is too large for a key', async () => {
    assert.deepEqual(await keyFileText(new File(['x'.repeat(70_000)], 'film.mp4')), {
      problem: 'file_too_large',
    });
  });

  it('says so when it cannot be read', async () => {
    const broken = { size: 10, arrayBuffer: () => Promise.reject(new Error('gone')) } as unknown as File;
    assert.deepEqual(await keyFileText(broken), { problem: 'file_unreadable' });
  });

  it('is read as text, and as Base64 when it is DER', async () => {
    const { key } = await generateKeyPair(2048);
    assert.deepEqual(await keyFileText(new File([key.publicKeyPem], 'public.pem')), {
      text: key.publicKeyPem,
    });
    const der = Buffer.from(key.publicKeyPem.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
    const read = await keyFileText(new File([der], 'public.der'));
    assert.equal('text' in read && (await readKeyText(read.text)).kind, 'accepted');
  });

  it('gets a name from that of the client', () => {
    assert.equal(fileStem('Web shop (EU) – Größe 2'), 'web-shop-eu-gro-e-2');
    assert.equal(fileStem('  ../../etc '), 'etc');
    assert.equal(fileStem('店'), 'client');
  });
});
