import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fillRegistry } from './many-clients.ts';
import type { ProcessFigures } from './registry-process.ts';

/** Fills a SQLite registry with very many clients, and measures it in a separate process. */
export async function benchRegistry(clients: number): Promise<ProcessFigures> {
  const large = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const small = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    await fillRegistry(large, clients);
    await fillRegistry(small, 1000);
    const script = fileURLToPath(new URL('registry-process.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, large, small]);
    return JSON.parse(stdout) as ProcessFigures;
  } finally {
    for (const folder of [large, small]) rmSync(folder, { recursive: true, force: true });
  }
}
