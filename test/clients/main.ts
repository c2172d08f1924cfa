import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { adapterNames, sendThroughAdapters } from './live.ts';
import { plantMistakes } from './mistakes.ts';

const usage = `Usage: npm run test:clients -- [ADAPTER…] [--requests <n>] [--seed <n>]
       npm run test:clients -- --mistakes

  --requests   random requests through each adapter of @countersign/client (10000)
  --seed       chooses the requests; the one of a run is printed
  --mistakes   plants the mistakes of packages/client/test/mistakes.json one by one; the client's own tests must notice each

Adapters: ${adapterNames.join(', ')}. Exit code 1 when a request was not accepted as it was meant.`;

const { names, count, seed, mistakes } = readOptions();
let failed = 0;
if (mistakes) {
  failed = (await plantMistakes((name, outcome) => console.log(`${outcome}: ${name}`))).length;
} else {
  console.log(`${count} requests through each adapter, seed ${seed}`);
  await send();
}
console.log(failed === 0 ? 'All is well' : `${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function send(): Promise<void> {
  for (const { adapter, threads, accepted, failures } of await sendThroughAdapters(names, { count, seed })) {
    failed += failures.length;
    console.log(`${adapter}: ${accepted} accepted from ${threads} threads, ${failures.length} failed`);
    for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`);
  }
}

function readOptions(): { names: readonly string[]; count: number; seed: number; mistakes: boolean } {
  try {
    const { values, positionals } = parseArgs({
      options: {
        requests: { type: 'string', default: '10000' },
        seed: { type: 'string', default: String(randomInt(2 ** 31)) },
        mistakes: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const chosen = { count: Number(values.requests), seed: Number(values.seed), mistakes: values.mistakes };
    const isKnown = positionals.every((name) => adapterNames.includes(name));
    if (isKnown && chosen.count > 0 && Number.isSafeInteger(chosen.seed))
      return { names: positionals.length > 0 ? positionals : adapterNames, ...chosen };
  } catch {
    // The usage says what is possible.
  }
  console.error(usage);
  process.exit(2);
}
