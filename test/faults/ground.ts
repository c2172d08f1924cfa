import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { keyPair } from '../../packages/server/test/running-service.ts';
import { compileFailingCalls } from './failing-calls.ts';
import type { Ground } from './scenario.ts';

/** Compiles the library and registers the client of all runs. Remove it at the end. */
export async function prepareGround(): Promise<Ground & { readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  const template = join(folder, 'template');
  mkdirSync(template, { mode: 0o700 });
  const registry = await openLocalRegistry({ dataFolder: template, createIfMissing: true });
  let clientId: string;
  try {
    ({ clientId } = await registry.addClient({
      name: 'Paying client',
      publicKey: keyPair.publicKey,
      network: [{ entry: '0.0.0.0' }],
      roles: ['payments-operator'],
      allowExplanations: true,
    }));
  } finally {
    await registry.close();
  }
  return {
    folder,
    template,
    clientId,
    library: compileFailingCalls(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
