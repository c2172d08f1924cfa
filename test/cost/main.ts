import { readCount, readOptions } from '../command-options.ts';
import { type Cost, measureCost } from './cost.ts';

const usage = `npm run test:cost                        sends the most expensive inputs of every operation of the API, and of the gate's own
                                         check, to a service with a full store, and prints what each costs the thread that
                                         answers; exit code 1 when a turn of its event loop takes more than 20 ms
npm run test:cost -- --requests 1000000  with so many stored requests
npm run test:cost -- --only listClients,gate`;

const values = readOptions(usage, {
  requests: { type: 'string', default: '100000' },
  clients: { type: 'string', default: '2000' },
  repeats: { type: 'string', default: '5' },
  every: { type: 'string', default: '1' },
  only: { type: 'string' },
  all: { type: 'boolean', default: false },
});
const turnMsMax = 20;
const costs = await measureCost({
  size: {
    clients: readCount(usage, 'clients', values.clients, 100_000),
    requests: readCount(usage, 'requests', values.requests, 10_000_000),
    notices: 1000,
    accounts: 1000,
  },
  repeats: readCount(usage, 'repeats', values.repeats, 100),
  every: readCount(usage, 'every', values.every, 1000),
  ...(values.only !== undefined && { only: values.only.split(',') }),
  onProgress: (text) => console.error(text),
});
const sorted = costs.toSorted((one, other) => other.longestMs - one.longestMs);
const shown = values.all ? sorted : firstOfEach(sorted);
console.log('longest turn, ms   whole, ms   answer   request');
for (const { subject, what, longestMs, wholeMs, receipt } of shown) {
  const figures = `${longestMs.toFixed(1).padStart(16)} ${wholeMs.toFixed(1).padStart(11)} ${String(receipt.status).padStart(8)}`;
  console.log(`${figures}   ${subject}: ${what}${receipt.code === '' ? '' : ` (${receipt.code})`}`);
}
const failed = costs.filter(({ receipt }) => receipt.status >= 500 || receipt.status === 0);
for (const { subject, what, receipt } of failed)
  console.error(`FAILED ${subject}: ${what}: ${receipt.status}`);
const long = costs.filter(({ longestMs }) => longestMs > turnMsMax);
console.log(`${costs.length} inputs; ${long.length} take more than ${turnMsMax} ms in one turn`);
process.exitCode = long.length + failed.length === 0 ? 0 : 1;

function firstOfEach(some: readonly Cost[]): readonly Cost[] {
  return some.filter(({ subject }, index) => some.findIndex((one) => one.subject === subject) === index);
}
