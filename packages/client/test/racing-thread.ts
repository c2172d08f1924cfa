import { parentPort, workerData } from 'node:worker_threads';
import { SecondsTable } from '../src/on-node/seconds-table.ts';

/** A thread that takes the same seconds for the same requests as others do, at the same moment. */
const { memory, start, requests, seconds, from } = workerData as {
  readonly memory: SharedArrayBuffer;
  readonly start: Int32Array<SharedArrayBuffer>;
  readonly requests: number;
  readonly seconds: number;
  readonly from: number;
};
const table = new SecondsTable(memory);
const given: string[] = [];
// The last of the four lets all of them go.
if (Atomics.add(start, 0, 1) === 3) Atomics.notify(start, 0);
else
  for (let seen = Atomics.load(start, 0); seen < 4; seen = Atomics.load(start, 0))
    Atomics.wait(start, 0, seen, 1);
for (let second = from; second < from + seconds; second++)
  for (let request = 0; request < requests; request++)
    if (table.add(`request ${request}`, second)) given.push(`${request} ${second}`);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage(given);
