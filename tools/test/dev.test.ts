import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '@countersign/testing/free-port';

const program = fileURLToPath(new URL('../dev.ts', import.meta.url));

it('npm run dev: service and portal answer, and Ctrl-C leaves no process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-dev-'));
  // The portal gets the one after the service's.
  const port = await freePort(2);
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, COUNTERSIGN_PORT: String(port), COUNTERSIGN_DATA_FOLDER: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    let text = '';
    const ready = new Promise<void>((resolve, reject) => {
      const hear = (chunk: string): void => {
        text += chunk;
        if (text.includes('Failed running')) reject(new Error(text));
        if (text.includes('Ctrl-C stops both.') && text.includes('Ctrl-C stops it.')) resolve();
      };
      child.stdout.setEncoding('utf8').on('data', hear);
      child.stderr.setEncoding('utf8').on('data', hear);
      child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${text}`)));
    });
    await ready;
    const portalUrl = `http://127.0.0.1:${port + 1}`;
    assert.ok(text.includes(`${portalUrl}/portal/`), text);
    const page = await (await fetch(`${portalUrl}/portal/`)).text();
    assert.match(page, /src="\/portal\/@vite\/client"/);
    const script = await fetch(`${portalUrl}/portal/src/main.tsx`);
    assert.match(await script.text(), /jsx/);
    const [, email, password] = /as owner +(\S+) +(\S+)/.exec(text) ?? [];
    for (const origin of [portalUrl, `http://127.0.0.1:${port}`]) {
      const health = await fetch(`${origin}/live`);
      assert.equal(health.status, 200);
      await health.arrayBuffer();
      const answer = await fetch(`${origin}/portal/auth/sign-in`, {
        method: 'POST',
        headers: { Origin: origin, 'Countersign-CSRF': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      assert.equal(answer.status, 200, await answer.text());
    }
    assert.ok(processesWith(folder).length >= 3);
    child.removeAllListeners('exit');
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null], text);
    assert.deepEqual(processesWith(folder), []);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The processes whose environment names the folder; none where the system does not show that. */
function processesWith(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder);
      } catch {
        return false;
      }
    });
}
