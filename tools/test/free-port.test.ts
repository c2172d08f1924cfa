import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';

const freePortFile = new URL('../../packages/testing/src/network/free-port.ts', import.meta.url);
const script = `
  import { freePort } from ${JSON.stringify(freePortFile)};
  const ports = [];
  for (let index = 0; index < 300; index++) {
    const first = await freePort(2);
    ports.push(first, first + 1);
  }
  process.stdout.end(JSON.stringify(ports));
  process.stdin.resume();`;

it('two test processes side by side never get the same free port', async () => {
  // As in two concurrent runs.
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'countersign-ports-')));
  const children = folders.map((folder) =>
    spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    }),
  );
  const ended = children.map((child) => once(child, 'exit'));
  const drawn = await Promise.all(
    children.map(async ({ stdout }) => JSON.parse(await text(stdout)) as number[]),
  );
  // Until then, each holds the ports that it has drawn.
  for (const child of children) child.stdin.end();
  await Promise.all(ended);
  for (const folder of folders) rmSync(folder, { recursive: true });
  assert.equal(new Set(drawn.flat()).size, 1200);
});
