import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A PEM key pair of 2048 bits: tests need many signatures and no security. */
export interface PemPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

export const pair: PemPair = keyPairOfPem();
export const otherPair: PemPair = keyPairOfPem();

/** A folder that is removed after the test. */
export function temporaryFolder(context: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A temporary folder with `private.pem` and `public.pem`. */
export function folderWithKeys(context: Pick<TestContext, 'after'>): string {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'private.pem'), pair.privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'public.pem'), pair.publicKey);
  chmodSync(join(folder, 'private.pem'), 0o600);
  return folder;
}

/** Makes another pair. */
export function keyPairOfPem(): PemPair {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
