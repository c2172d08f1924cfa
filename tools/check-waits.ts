// Checks that no test depends on how fast the machine is: sleeps before assertions, clocks in assertions.
import { fileURLToPath } from 'node:url';
import { checkWaits } from './waits/check.ts';

const { findings, known } = checkWaits(fileURLToPath(new URL('..', import.meta.url)));
for (const finding of findings) console.log(finding);
console.log(`${known.sleep} known sleeps before assertions, ${known.clock} known clocks in assertions`);
if (findings.length > 0) process.exitCode = 1;
