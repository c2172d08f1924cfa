import { postgresSkip } from '@countersign/testing/postgres-server';
import { readCount, readOptions } from '../command-options.ts';
import { balancerNames, balancersAreMissing } from './balancers.ts';
import { runRolling } from './rolling.ts';

const usage = `Usage: npm run test:rolling -- [--balancer haproxy|nginx] [--requests <n>] [--per-second <n>]

  --balancer     the balancer in front of the three nodes; both at once unless set
  --requests     requests through each balancer, at least (10000)
  --per-second   requests that begin in a second through each balancer (100)

Restarts three nodes in turn while requests pass. Exit code 1 when a request was lost.`;

const values = readOptions(usage, {
  balancer: { type: 'string' },
  requests: { type: 'string', default: '10000' },
  'per-second': { type: 'string', default: '100' },
});
const balancers = balancerNames.filter((name) => values.balancer === undefined || values.balancer === name);
if (balancers.length === 0) {
  console.error(usage);
  process.exit(2);
}
const requests = readCount(usage, 'requests', values.requests);
const perSecond = readCount(usage, 'per-second', values['per-second']);
const missing = postgresSkip === false ? balancersAreMissing : postgresSkip;
if (missing !== false) {
  console.error(missing);
  process.exit(2);
}
const result = await runRolling({ balancers, requests, perSecond, restarts: 3 });
for (const [name, accepted] of result.accepted) console.log(`${name}: ${accepted} requests accepted`);
console.log(`${result.restarts} restarts; the slowest answer took ${result.slowestMs.toFixed(0)} ms`);
let failed = 0;
for (const [what, count] of result.failures) {
  console.error(`FAILED ${count} times: ${what}`);
  failed += count;
}
if (failed > 0) console.error(result.output);
for (const ending of result.unclean) console.error(`UNCLEAN ${ending}`);
console.log(`${failed} requests failed`);
process.exitCode = failed + result.unclean.length === 0 ? 0 : 1;
