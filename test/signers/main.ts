import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sendThrough, startLiveService } from './live.ts';
import { plantMistakes, readMistakes } from './mistakes.ts';
import {
  missingProgram,
  otherAlgorithmsOf,
  runOwnTests,
  type SignerPackage,
  signerPackages,
} from './packages.ts';

const usage = `Usage: npm run test:signers -- [LANGUAGE…] [--requests <n>] [--seed <n>]
       npm run test:signers -- --mistakes [LANGUAGE…]

  --requests   random requests through each HTTP client (1000), and a tenth of them with each other kind of key
  --seed       chooses the requests; the one of a run is printed
  --mistakes   plants the mistakes of each package one by one; its own tests must notice each

Runs the tests of the signers in other languages, and lets them send requests to a running service. Exit code 1 when
something failed.`;

const options = readOptions();
let failed = 0;
for (const one of options.packages) {
  const missing = missingProgram(one);
  if (missing === false) failed += await (options.mistakes ? plant(one) : test(one));
  else console.log(`${one.language}: skipped, ${missing}`);
}
console.log(failed === 0 ? 'All is well' : `${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function test(one: SignerPackage): Promise<number> {
  const { code, output } = await runOwnTests(one);
  const lastLine = output.trimEnd().split('\n').at(-1);
  console.log(`${one.language}: ${code === 0 ? lastLine : `FAILED\n${output}`}`);
  const service = await startLiveService();
  const { requests: count, seed } = options;
  const plans = [
    { count, seed },
    ...otherAlgorithmsOf(one).map((algorithm) => ({ count: Math.ceil(count / 10), seed, algorithm })),
  ];
  let problems = code === 0 ? 0 : 1;
  try {
    for (const plan of plans)
      for (const { client, accepted, rejectedBefore, failures } of await sendThrough(one, service, plan)) {
        const name = [one.language, client, 'algorithm' in plan ? plan.algorithm : []].flat().join(', ');
        console.log(
          `${name}: ${accepted} accepted, ${rejectedBefore} rejected before sending, ${failures.length} failed (seed ${seed})`,
        );
        for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`);
        problems += failures.length;
      }
    return problems;
  } finally {
    await service.close();
  }
}

async function plant(one: SignerPackage): Promise<number> {
  console.log(`${one.language}:`);
  const startedMs = performance.now();
  const count = readMistakes(one).length;
  let done = 0;
  const missed = await plantMistakes(one, (name, outcome) =>
    console.log(`  ${++done}/${count} ${outcome}: ${name}`),
  );
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  console.log(`${one.language}: ${count - missed.length} of ${count} noticed, ${minutes} min`);
  return missed.length;
}

function readOptions(): {
  packages: readonly SignerPackage[];
  requests: number;
  seed: number;
  mistakes: boolean;
} {
  const all = signerPackages();
  try {
    const { values, positionals } = parseArgs({
      options: {
        requests: { type: 'string', default: '1000' },
        seed: { type: 'string', default: String(randomInt(2 ** 31)) },
        mistakes: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const unknown = positionals.filter((name) => !all.some(({ language }) => language === name));
    if (unknown.length > 0)
      console.error(
        `There is no signer for ${unknown.join(', ')}: ${all.map(({ language }) => language).join(', ')}.`,
      );
    const [count, seed] = [Number(values.requests), Number(values.seed)];
    if (unknown.length === 0 && count > 0 && Number.isSafeInteger(seed)) {
      const packages = all.filter(
        ({ language }) => positionals.length === 0 || positionals.includes(language),
      );
      return { packages, requests: count, seed, mistakes: values.mistakes };
    }
  } catch {
    // The usage says what is possible.
  }
  console.error(usage);
  process.exit(2);
}
