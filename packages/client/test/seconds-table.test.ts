import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SecondsTable, secondsTableBytes } from '../src/on-node/seconds-table.ts';

const noon = 1_800_000_000;
const racer = fileURLToPath(new URL('racing-thread.ts', import.meta.url));

describe('the table of used seconds', () => {
  it('gives a second once, and to each request its own', () => {
    const table = new SecondsTable(new SharedArrayBuffer(secondsTableBytes));
    assert.ok(table.add('a', noon));
    assert.ok(!table.add('a', noon));
    assert.ok(table.add('a', noon + 1));
    assert.ok(table.add('b', noon));
    assert.ok(!table.add('b', noon));
  });

  it('lets equal reads share a second for a second after it was taken first, between threads too', () => {
    const memory = new SharedArrayBuffer(secondsTableBytes);
    // The time has more than 32 bits, and passes a round number of them.
    let nowMs = 3 * 2 ** 32 - 500;
    const [one, other] = [new SecondsTable(memory, () => nowMs), new SecondsTable(memory, () => nowMs)];
    assert.ok(one.add('a', noon, 1000));
    assert.ok(!other.add('a', noon));
    // Read the clock before the other thread took the second.
    nowMs -= 1;
    assert.ok(other.add('a', noon, 1000));
    assert.ok(!other.add('a', noon));
    nowMs += 1000;
    assert.ok(other.add('a', noon, 1000));
    nowMs += 1;
    assert.ok(!other.add('a', noon, 1000));
    assert.ok(!one.add('a', noon, 1000));
    assert.ok(other.add('a', noon + 1, 1000));
  });

  it('remembers all of 40,000 requests of one second, and confuses few of them', () => {
    const table = new SecondsTable(new SharedArrayBuffer(secondsTableBytes));
    let given = 0;
    for (let index = 0; index < 40_000; index++) if (table.add(`request ${index}`, noon)) given += 1;
    assert.ok(given > 39_900, `only ${given} were given`);
    for (let index = 0; index < 40_000; index++) assert.ok(!table.add(`request ${index}`, noon));
  });

  it('remembers for seven minutes, whatever the clock does meanwhile, and then uses the memory again', () => {
    const table = new SecondsTable(new SharedArrayBuffer(secondsTableBytes));
    const fill = (second: number): number => {
      let given = 0;
      for (let index = 0; index < 200; index++) if (table.add(`request ${index}`, second)) given += 1;
      return given;
    };
    for (let second = noon; second <= noon + 420; second++) assert.ok(fill(second) >= 199, String(second));
    for (const second of [noon, noon + 200, noon + 420]) assert.equal(fill(second), 0);
    // Two hours and days later the same slots are free.
    for (const later of [512, 7200, 86_400 * 3]) assert.ok(fill(noon + later) >= 199, String(later));
  });

  it('gives each second to one of several threads', async () => {
    const memory = new SharedArrayBuffer(secondsTableBytes);
    const start = new Int32Array(new SharedArrayBuffer(4));
    const racing = Array.from({ length: 4 }, () =>
      race({ memory, start, requests: 100, seconds: 100, from: noon }),
    );
    const given = (await Promise.all(racing)).flat();
    assert.equal(new Set(given).size, given.length);
    assert.ok(given.length > 9990, `only ${given.length} were given`);
  });
});

function race(input: object): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(racer, { workerData: input });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}
