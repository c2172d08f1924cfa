import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openDatabase } from '../../../server/src/storage/database.ts';
import type { Database } from '../../../server/src/storage/transaction.ts';

/** An empty database in a temporary folder; closed and removed when the test ends. */
export async function temporaryDatabase(
  context: Pick<TestContext, 'after'>,
): Promise<{ database: Database; file: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
  const file = join(folder, 'countersign.sqlite');
  const database = await openDatabase({ file });
  context.after(async () => {
    await database.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  return { database, file, folder };
}
