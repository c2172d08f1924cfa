import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { race } from './races.ts';

/** `npm run test:races -- --operations 100000000 --seed 7`. Exit code 1 when a signature was accepted twice. */
const { values } = parseArgs({
  options: { operations: { type: 'string', default: '1000000000' }, seed: { type: 'string' } },
});
const operations = Number(values.operations);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(operations) || operations < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run test:races -- [--operations <number>] [--seed <number>]');
  process.exit(2);
}
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
