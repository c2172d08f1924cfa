import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The files of a small repository: path with `/` → text. */
export type Tree = Readonly<Record<string, string>>;

/** Writes `tree` into a temporary folder for the duration of `use`. */
export async function withTree(tree: Tree, use: (root: string) => void | Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'countersign-tools-'));
  try {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
