import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, to which all paths in documents are relative. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Creates a folder in which a reader's commands work as in a fresh clone and leave nothing behind in this
 * one. It links to the packages and the vectors and is otherwise empty.
 */
export function readerFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-documents-'));
  const linked = ['node_modules', 'vectors'];
  for (const name of linked) symlinkSync(join(root, name), join(folder, name), 'junction');
  const remove = (): void => {
    // Links first, so that nothing is removed through them.
    for (const name of linked) unlinkSync(join(folder, name));
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, remove };
}

/** A reader's environment: the pinned Node first on the path, none of our settings, and an npx that installs nothing. */
export function readerEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('COUNTERSIGN_') && name !== 'NODE_TEST_CONTEXT',
  );
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const ours = { NO_COLOR: '1', npm_config_yes: 'false' };
  return { ...Object.fromEntries(others), PATH: path, ...ours };
}
