import { messageProfiles } from '../../packages/signature/src/on-web/messages.ts';
import { knownDifference } from '../../packages/signature/test/messages/interop-differences.ts';
import { npmPeers, type Peer } from '../../packages/signature/test/messages/interop-peers.ts';
import { type InteropRow, interopRows } from '../../packages/signature/test/messages/interop-rounds.ts';
import { curlVariable, tryCurl } from './curl.ts';
import {
  largePrograms,
  missingFor,
  type ProgramLanguage,
  programLanguages,
  programPeer,
  programStandardPeer,
} from './program-peers.ts';
import { collectDeliveries } from './webhook-deliveries.ts';
import { standardWebhooks, tryPeer, tryStandardPeer } from './webhook-peers.ts';

const usage = `Usage: npm run test:interop -- [npm] [${programLanguages.join('] [')}] [${largePrograms.join('] [')}] [curl]

Lets other libraries sign and verify messages of every profile, and prints who agrees with us. Exit code 1 if one differs
without a known reason, or accepts a changed message. They verify webhooks of a service too. ${largePrograms.join(', ')}: only if named, because it installs much.
curl: if ${curlVariable} names one with HTTPSIG among its features; it calls a service.`;

const names: readonly ('npm' | ProgramLanguage)[] = ['npm', ...programLanguages, ...largePrograms];
const curl = process.env[curlVariable];
const asked = process.argv.slice(2);
if (asked.some((name) => name !== 'curl' && !names.includes(name as ProgramLanguage))) {
  console.error(usage);
  process.exit(2);
}

let wrong = 0;
for (const name of names) {
  if (asked.length === 0 ? largePrograms.includes(name as ProgramLanguage) : !asked.includes(name)) continue;
  const skip = name === 'npm' ? false : missingFor(name);
  if (skip !== false) console.log(`${name}: skipped, ${skip}`);
  else {
    for (const peer of peersOf(name)) wrong += await show(peer);
    wrong += await showWebhooks(name);
  }
}
if (curl === undefined) {
  if (asked.includes('curl')) console.log(`curl: skipped, ${curlVariable} names none`);
} else if (asked.length === 0 || asked.includes('curl')) {
  console.log('\ncurl, straight to a service');
  wrong += await tryCurl(curl);
}
console.log(wrong === 0 ? 'All is well' : `${wrong} rows are wrong`);
process.exitCode = wrong === 0 ? 0 : 1;

function peersOf(name: 'npm' | ProgramLanguage): readonly Peer[] {
  return name === 'npm' ? npmPeers : [programPeer(name)];
}

/** Prints what the libraries of a language make of a service's webhooks, and returns the number of those that are wrong. */
async function showWebhooks(name: 'npm' | ProgramLanguage): Promise<number> {
  const standardPeer = name === 'npm' ? standardWebhooks : programStandardPeer(name);
  if (standardPeer === undefined) return 0;
  const deliveries = await collectDeliveries();
  const outcomes = [[standardPeer.name, await tryStandardPeer(standardPeer, deliveries)] as const];
  for (const peer of peersOf(name))
    if (peer.profiles === undefined) outcomes.push([peer.name, await tryPeer(peer, deliveries)]);
  for (const [peer, { rejected, accepted, changes }] of outcomes) {
    const texts = [...rejected, ...accepted.map((what) => `accepted although changed: ${what}`)];
    const text =
      texts.length === 0 ? `agrees, ${changes} changed ones rejected` : `WRONG: ${texts.join(', ')}`;
    console.log(`\nwebhooks, ${peer}: ${text}`);
  }
  return outcomes.filter(([, { rejected, accepted }]) => rejected.length + accepted.length > 0).length;
}

/** Prints a table for one library, and returns the number of rows that are wrong. */
async function show(peer: Peer): Promise<number> {
  const rows = await interopRows(peer);
  const changes = rows.reduce((sum, { rejected }) => sum + rejected, 0);
  console.log(`\n${peer.name}: ${rows.length} rows, ${changes} changed messages rejected`);
  for (const profile of Object.keys(messageProfiles)) {
    const own = rows.filter((row) => row.profile === profile);
    for (const text of new Set(own.map(outcomeOf))) {
      const alike = own.filter((row) => outcomeOf(row) === text);
      const cells = alike.map(({ algorithm, direction }) => `${algorithm} (${direction})`);
      console.log(`  ${profile}: ${text}: ${cells.join(', ')}`);
    }
  }
  return rows.filter(isWrong).length;
}

function outcomeOf(row: InteropRow): string {
  if (row.accepted.length > 0) return `WRONG: accepted although changed: ${row.accepted.join(', ')}`;
  if (row.problem === undefined) return 'agrees';
  return knownDifference(row)?.why ?? `WRONG: ${row.problem}`;
}

function isWrong(row: InteropRow): boolean {
  return (
    outcomeOf(row).startsWith('WRONG') || (row.problem === undefined && knownDifference(row) !== undefined)
  );
}
