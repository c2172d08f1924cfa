import { mkdirSync } from 'node:fs';
import { fillRegistry } from './many-clients.ts';
for (const [f, n] of [
  ['/tmp/bench-small', 1000],
  ['/tmp/bench-large', 1_000_000],
] as const) {
  mkdirSync(f, { recursive: true });
  const t = performance.now();
  await fillRegistry(f, n);
  console.log(f, performance.now() - t);
}
