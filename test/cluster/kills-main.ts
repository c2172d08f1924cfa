import { postgresSkip } from '@countersign/testing/postgres-server';
import { readCount, readOptions } from '../command-options.ts';
import { runKills } from './kills.ts';

const usage = `Usage: npm run test:kill-cluster -- [--rounds 100]

Kills nodes and the database while clients change things, 1,000 times at most. Exit code 1 when a change was lost, or made without
its audit event.`;

const values = readOptions(usage, { rounds: { type: 'string', default: '100' } });
const rounds = readCount(usage, 'rounds', values.rounds, 1000);
if (postgresSkip !== false) {
  console.error(postgresSkip);
  process.exit(2);
}

const startedMs = performance.now();
const report = await runKills({
  rounds,
  onRound(round, { acknowledged, inDoubt, violations }) {
    if (round % 10 === 0)
      console.log(
        `round ${round} of ${rounds}: ${acknowledged} changes, ${inDoubt} of them in doubt for a while, ${violations.length} violations`,
      );
  },
});
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
console.log(
  `\n${rounds} rounds in ${seconds} s: ${report.nodes} nodes and ${report.databases} times the database killed`,
);
console.log(`  changes    ${report.acknowledged}, all of them there on every node`);
console.log(`  in doubt   ${report.inDoubt}, of which ${report.doneBefore} were done all the same, once`);
console.log(`  refused    ${report.refused} requests with 503, none of them done`);
console.log(`  events     ${report.events}, one for each change`);
for (const violation of report.violations) console.error(`VIOLATION ${violation}`);
console.log(`${report.violations.length} violations`);
process.exitCode = report.violations.length === 0 ? 0 : 1;
