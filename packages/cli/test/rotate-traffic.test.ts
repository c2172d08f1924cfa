import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exits } from '../src/exits.ts';
import { openRotationScene, type RotationScene } from './rotation-scene.ts';
import type { TrafficReport } from './traffic.ts';

const program = fileURLToPath(new URL('traffic.ts', import.meta.url));

/** Starts a process that sends requests. The returned function stops it. */
function startTraffic({ baseUrl, clientId, keyFile }: RotationScene): () => Promise<TrafficReport> {
  const child = spawn(process.execPath, [program, baseUrl, clientId, keyFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = text(child.stdout);
  return async () => {
    child.stdin.end();
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0);
    return JSON.parse(await output) as TrafficReport;
  };
}

describe('countersign rotate under traffic', () => {
  it('four processes that follow the key file: no request is refused', async (t) => {
    const scene = await openRotationScene(t, { roles: ['key-rotator', 'payments-operator'] });
    const stops = Array.from({ length: 4 }, () => startTraffic(scene));
    const rotations = 3;
    for (let count = 1; count <= rotations; count += 1) {
      const { code, errors } = await scene.rotate(['--overlap', '0'], { pause: (ms) => sleep(ms) });
      assert.equal(code, exits.ok.code, errors);
    }
    const reports = await Promise.all(stops.map((stop) => stop()));
    t.diagnostic(`${reports.reduce((sum, { accepted }) => sum + accepted, 0)} requests accepted`);
    for (const { accepted, refused } of reports) {
      assert.deepEqual(refused, []);
      assert.ok(accepted > 10, String(accepted));
    }
    // The key of the beginning ended long ago, so each process has taken every new one.
    assert.equal((await scene.usableKeys()).length, 1);
  });
});
