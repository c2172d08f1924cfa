import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type KeyPair, makeKeyPair } from '@countersign/testing/key-pair';
import { temporaryFolder } from '@countersign/testing/temporary-folder';

/** Two pairs for all tests: making one takes long. */
export const pair: KeyPair = makeKeyPair();
export const otherPair: KeyPair = makeKeyPair();

/** A temporary folder with `private.pem` and `public.pem`. */
export function folderWithKeys(context: Pick<TestContext, 'after'>): string {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'private.pem'), pair.privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'public.pem'), pair.publicKey);
  chmodSync(join(folder, 'private.pem'), 0o600);
  return folder;
}
