import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A port that was free a moment ago, for a service whose base URL must be known before it starts. It is below those that
 * the system gives to connections, so that no connection takes it meanwhile, and no other test gets it: a file claims it, in
 * the temporary folder that test processes share, until this process ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (isClaimed(port) && (await isFree(port))) return port;
  }
}

function isClaimed(port: number): boolean {
  const file = join(tmpdir(), `countersign-port-${port}`);
  try {
    writeFileSync(file, '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  claims.push(file);
  return true;
}

const claims: string[] = [];
process.once('exit', () => {
  for (const file of claims) rmSync(file, { force: true });
});

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
