import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository: documents name everything relative to it. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder in which a reader's commands do what they do in a fresh clone, and leave nothing behind in this one: the
 * packages and the vectors of the repository are there, and nothing else.
 */
export function readerFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-documents-'));
  const linked = ['node_modules', 'vectors'];
  for (const name of linked) symlinkSync(join(root, name), join(folder, name), 'junction');
  const remove = (): void => {
    // First of all the links, so that nothing can be removed through them.
    for (const name of linked) unlinkSync(join(folder, name));
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, remove };
}

/** The environment of a reader: the Node of the repository comes first, nothing of ours is set, npx installs nothing. */
export function readerEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('COUNTERSIGN_') && name !== 'NODE_TEST_CONTEXT',
  );
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const ours = { NO_COLOR: '1', npm_config_yes: 'false' };
  return { ...Object.fromEntries(others), PATH: path, ...ours };
}
