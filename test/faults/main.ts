import { readOptions } from '../command-options.ts';
import { callKinds, type Fault } from './failing-calls.ts';
import { type Ground, prepareGround, type Store, storeIsMissing, stores } from './ground.ts';
import { allFaults, groupIntoRuns, nameOf, readFault, someFaults } from './positions.ts';
import { runScenario } from './scenario.ts';

const usage = `npm run test:faults                        every call of the service fails once, in every way: hours;
                                           a run has three lives of the service, and a fault in each of them
npm run test:faults -- --store redis       with the replay guard in Redis; postgres: with everything in PostgreSQL
npm run test:faults -- --each 20           20 calls of each kind and way
npm run test:faults -- --kinds write,sync  only calls of these kinds: ${callKinds.join(', ')}
npm run test:faults -- --shard 1/4         a quarter of the runs
npm run test:faults -- --only 2/sync:12:EIO  this one, in the second life; several are separated by commas
npm run test:faults -- --from 300          goes on with the 300th run, after they were stopped
npm run test:faults -- --lanes 4           so many services at a time, 2 unless said otherwise`;

/** Exit code 1 when a promise was broken. */
process.exitCode = await main();

async function main(): Promise<number> {
  const asked = readArguments();
  if (asked === undefined) {
    console.error(usage);
    return 2;
  }
  const missing = storeIsMissing(asked.store);
  if (missing !== false) {
    console.error(missing);
    return 2;
  }
  const ground = await prepareGround(asked.store);
  try {
    return await run(ground, asked);
  } finally {
    await ground.remove();
  }
}

interface Asked {
  readonly store: Store;
  readonly only: readonly Fault[];
  readonly kinds: readonly string[];
  readonly each: number | undefined;
  readonly shard: number;
  readonly shards: number;
  readonly from: number;
  readonly lanes: number;
}

function readArguments(): Asked | undefined {
  const values = readOptions(usage, {
    store: { type: 'string', default: 'files' },
    only: { type: 'string', default: '' },
    kinds: { type: 'string', default: callKinds.join(',') },
    each: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    from: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
  });
  const store = stores.find((one) => one === values.store);
  const only = values.only === '' ? [] : values.only.split(',').map(readFault);
  const [shard, shards] = values.shard.split('/').map(Number);
  const each = values.each === undefined ? undefined : Number(values.each);
  const asked = {
    kinds: values.kinds.split(','),
    each,
    from: Number(values.from),
    lanes: Number(values.lanes),
  };
  const numbers = [shard, shards, asked.from, asked.lanes, each ?? 1];
  const isRight =
    store !== undefined &&
    numbers.every((number) => Number.isSafeInteger(number) && number! > 0) &&
    shard! <= shards! &&
    asked.kinds.every((kind) => callKinds.some((known) => known === kind)) &&
    only.every((fault) => fault !== undefined);
  return isRight ? { ...asked, store, only, shard: shard!, shards: shards! } : undefined;
}

async function run(ground: Ground, asked: Asked): Promise<number> {
  const runs = asked.only.length > 0 ? groupIntoRuns(asked.only) : await chooseRuns(ground, asked);
  const waiting = runs.slice(asked.from - 1);
  let done = asked.from - 1;
  let reached = 0;
  let never = 0;
  let broken = 0;
  const soFar = (): string => `${reached} faults, ${never} never came, ${broken} broke a promise`;
  const lane = async (): Promise<void> => {
    for (let ofRun = waiting.shift(); ofRun !== undefined; ofRun = waiting.shift()) {
      const { lives, violations } = await runScenario(ground, ofRun);
      done += 1;
      const missed = ofRun.filter(({ life }) => lives[life - 1]?.failed === undefined);
      reached += ofRun.length - missed.length;
      // An earlier life may have left fewer calls for this one: try once more, alone.
      if (ofRun.length > 1) waiting.push(...missed.map((fault) => [fault]));
      else never += missed.length;
      if (violations.length > 0) {
        broken += 1;
        const names = ofRun
          .map((fault) => `${nameOf(fault)} (${lives[fault.life - 1]?.failed ?? 'never came'})`)
          .join(', ');
        for (const violation of violations) console.error(`VIOLATION ${names}: ${violation}`);
        console.log(`Again: npm run test:faults -- --only ${ofRun.map(nameOf).join(',')}`);
      }
      if (violations.length > 0 || done % 20 === 0)
        console.log(`run ${done} of ${done + waiting.length}: ${soFar()}`);
    }
  };
  await Promise.all(Array.from({ length: asked.lanes }, lane));
  console.log(`\n${soFar()}`);
  return broken === 0 ? 0 : 1;
}

async function chooseRuns(
  ground: Ground,
  { kinds, each, shard, shards }: Asked,
): Promise<readonly (readonly Fault[])[]> {
  const { lives, violations } = await runScenario(ground);
  for (const violation of violations) console.error(`VIOLATION without a fault: ${violation}`);
  if (violations.length > 0) throw new Error('The scenario does not work without faults.');
  const counts = lives.map((life) => life.counts);
  for (const kind of callKinds)
    if (kinds.includes(kind))
      console.log(`${kind.padEnd(10)}${counts.map((ofLife) => ofLife[kind]).join(' + ')} calls`);
  const all = allFaults(counts).filter(({ kind }) => kinds.includes(kind));
  const runs = groupIntoRuns(each === undefined ? all : someFaults(all, each));
  return runs.filter((_, index) => index % shards === shard - 1);
}
