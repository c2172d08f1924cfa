import { algorithmNames } from '@countersign/testing/key-pair';
import { algorithmsOf, profiles } from '@countersign/testing/profiled-requests';
import { messageProfiles } from '@countersign/signature/messages';
import { readCount, readOptions, readSeed } from '../command-options.ts';
import { type CampaignReport, runCampaign, type Scene } from './campaign.ts';
import { closedScene, timeWorstInputs } from './closed-scene.ts';
import { profileScene } from './profile-scene.ts';
import { serviceScene } from './service-scene.ts';

const usage = `Usage: npm run test:mutations -- [--count 100000] [--seed <number>] [--profiles | --service-profiles]

Changes signed requests of each algorithm at random, after the originals were accepted, and verifies them with node:crypto and
Web Crypto. Exit code 1 when one is accepted, when the two disagree, or when anything else is wrong.

  --profiles           requests by each profile of the library with each of its algorithms, instead of the closed profile's
  --service-profiles   the same to the decision of a service whose clients have other profiles

  npm run test:mutations -- --count 1000000 --seed 7    a run again`;

const values = readOptions(usage, {
  count: { type: 'string', default: '100000' },
  seed: { type: 'string' },
  profiles: { type: 'boolean', default: false },
  'service-profiles': { type: 'boolean', default: false },
});
const count = readCount(usage, 'count', values.count);
const seed = readSeed(usage, values.seed);
let violations = 0;
if (values['service-profiles']) {
  for (const profile of profiles)
    for (const algorithm of algorithmsOf(profile))
      violations += await campaign(await serviceScene(profile, algorithm));
} else if (values.profiles) {
  for (const profile of Object.values(messageProfiles))
    for (const algorithm of profile.message === 'request' ? profile.algorithms : [])
      violations += await campaign(await profileScene(profile, algorithm));
} else {
  for (const algorithm of algorithmNames) violations += await campaign(await closedScene(algorithm));
}
console.log('The worst inputs of 16 KiB, best of three:');
for (const [name, ms] of Object.entries(await timeWorstInputs(16_384)))
  console.log(`  ${ms.toFixed(3).padStart(8)} ms  ${name}`);
console.log(`${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;

async function campaign(scene: Scene): Promise<number> {
  const started = performance.now();
  const report = await runCampaign(scene, count, seed, (done) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${scene.name}: ${done} of ${count}`);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  show(report, (performance.now() - started) / 1000);
  return report.violations.length;
}

function show(report: CampaignReport, seconds: number): void {
  const { name, accepted, unchanged, refusedByCode, slowestMs, violations: found } = report;
  console.log(
    `${name}: ${count} mutated requests in ${seconds.toFixed(1)} s, seed ${seed}, slowest ${slowestMs.toFixed(2)} ms`,
  );
  const refused = Object.entries(refusedByCode).toSorted(([, a], [, b]) => b - a);
  console.log(`  refused   ${refused.reduce((sum, [, number]) => sum + number, 0)}`);
  for (const [code, number] of refused) console.log(`            ${String(number).padStart(8)}  ${code}`);
  console.log(`  unchanged ${unchanged}, as far as it is signed`);
  console.log(`  accepted  ${accepted}`);
  for (const violation of found.slice(0, 20)) console.error(`VIOLATION ${violation}`);
}
