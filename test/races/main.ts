import { availableParallelism } from 'node:os';
import { readCount, readOptions, readSeed } from '../command-options.ts';
import { race } from './races.ts';

const usage = `Usage: npm run test:races -- [--operations 1000000000] [--seed <number>]

Lets 2 to 8 threads use one replay guard at random, and ends threads in the middle. Exit code 1 when a signature was accepted twice.

  npm run test:races -- --operations 100000000 --seed 7    two minutes; again the same order of requests`;

const values = readOptions(usage, {
  operations: { type: 'string', default: '1000000000' },
  seed: { type: 'string' },
});
const operations = readCount(usage, 'operations', values.operations);
const seed = readSeed(usage, values.seed);
console.log(`${operations} operations on ${availableParallelism()} cores, seed ${seed}`);
const fields = [2, 3, 4, 6, 8];
let doubles = 0;
for (const threads of fields) {
  const started = performance.now();
  const report = await race({
    threads,
    operations: Math.ceil(operations / fields.length),
    seed: seed + threads,
    killEveryMs: 3000,
  });
  doubles += report.doubles;
  const seconds = (performance.now() - started) / 1000;
  const told = Object.entries(report).map(([name, count]) => `${name} ${count}`);
  console.log(`${threads} threads, ${seconds.toFixed(0)} s: ${told.join(', ')}`);
}
console.log(`${doubles} signatures were accepted twice`);
process.exitCode = doubles === 0 ? 0 : 1;
