import { readCount, readOptions } from '../command-options.ts';
import { type KillLoopReport, runKillLoop } from './kill-loop.ts';

const usage = `Usage: npm run test:kill -- [--rounds 50]

Kills the service again and again while it writes, stops and starts, and checks what it has promised. Exit code 1 when a promise
was broken.

  npm run test:kill -- --rounds 200    500 at most`;

const values = readOptions(usage, { rounds: { type: 'string', default: '50' } });
// Every crash adds a rejection period of some seconds, and signatures can be made for an hour ahead.
const rounds = readCount(usage, 'rounds', values.rounds, 500);

const started = performance.now();
let shownMs = 0;
const report = await runKillLoop({
  rounds,
  waits: 3,
  onRound(round, sofar) {
    if (performance.now() - shownMs < 5000 && round < rounds) return;
    shownMs = performance.now();
    console.log(
      `round ${round} of ${rounds}: ${sofar.payments} payments, ${sofar.clients} clients, ${replayCount(sofar)} replays, ` +
        `${sofar.violations.length} violations`,
    );
  },
});

const { ends } = report;
console.log(`\n${rounds} rounds in ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(
  `  killed while it wrote ${ends.kill}, while it stopped ${ends['kill while stopping']}, ` +
    `while it started ${ends['kill at start']}; stopped cleanly ${ends['clean stop'] + 1}`,
);
console.log(
  `  payments   ${report.payments}: ${report.paymentsRepeated} read back and repeated after a start,`,
);
console.log(
  `             ${report.paymentsInDoubt} in doubt at the end of a life and settled; all listed at the end`,
);
console.log(
  `  clients    ${report.clients} registered, ${report.clientsCalled} of them called after the next start`,
);
console.log(`  replays    ${replayCount(report)}`);
for (const [code, count] of Object.entries(report.replays))
  console.log(`             ${String(count).padStart(8)}  ${code}`);
console.log(`  Retry-After exact after every start, really waited for ${report.waited} times`);
for (const violation of report.violations) console.error(`VIOLATION ${violation}`);
console.log(`${report.violations.length} violations`);
process.exitCode = report.violations.length === 0 ? 0 : 1;

function replayCount({ replays }: KillLoopReport): number {
  return Object.values(replays).reduce((sum, count) => sum + count, 0);
}
