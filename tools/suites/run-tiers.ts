import { rmSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { batchesOf } from './batches.ts';
import { programSuites } from './program-suites.ts';
import { runSuites, type SuiteOptions } from './run-suites.ts';
import { whyNoSecondTry } from './second-tries.ts';
import { type FailedTest, type SuiteResult, sumOf } from './suite-result.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The test files of a run; files that run on every database are in both tiers. */
export interface TierFiles {
  readonly pure: readonly string[];
  readonly programs: readonly string[];
}

/** A file that failed, and passed when it ran alone. */
export interface FlakyFile {
  readonly file: string;
  readonly failures: readonly FailedTest[];
  /** The differences between the two attempts, apart from their results. */
  readonly difference: string;
}

export interface TierResult extends SuiteResult {
  readonly flaky: readonly FlakyFile[];
}

export type TierOptions = Omit<SuiteOptions, 'folder' | 'tier'>;

/** More flaky files than this are no coincidence. */
export const flakyFilesMax = 2;
/** If more files fail, the cause is not in them, and retrying all would only take long. */
const secondTriesMax = 6;
/** The number of program files that do not starve each other on two cores; untested on more cores. */
const programsSideBySide = 2;

/**
 * Runs the pure tier, as many batches at a time as there are cores, then the tier of programs, each file in a
 * process of its own. Failed files run once more alone at the end, if `second-tries.ts` allows. All share a
 * temporary folder, which is removed at the end. It contains Node's compile cache, which halves the start-up
 * time of the programs that tests start.
 */
export async function runTiers({ pure, programs }: TierFiles, options: TierOptions): Promise<TierResult> {
  const folder = makeTemporaryFolder();
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  const environment = { ...options.environment, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const shared = { ...options, environment, folder };
  const result = await (options.name === undefined ? runBoth : runWhole)({ pure, programs }, shared);
  process.off('exit', remove);
  remove();
  return result;
}

/**
 * With a name filter, most files have nothing to run: one process for all, so that none fails for running no
 * test.
 */
async function runWhole({ pure, programs }: TierFiles, options: SuiteOptions): Promise<TierResult> {
  const files = [...new Set([...pure, ...programs])];
  return { ...(await runSuites(files, options)), flaky: [] };
}

async function runBoth({ pure, programs }: TierFiles, options: SuiteOptions): Promise<TierResult> {
  const pureResults = await inTurns(batchesOf(pure), availableParallelism(), (files) =>
    runSuites(files, { ...options, tier: 'pure' }),
  );
  const { flaky, ...programResult } = await runPrograms(programs, options);
  return { ...sumOf([...pureResults, programResult]), flaky };
}

interface Try {
  readonly file: string;
  readonly result: SuiteResult;
  readonly circumstances: string;
}

async function runPrograms(files: readonly string[], options: SuiteOptions): Promise<TierResult> {
  const running = new Set<string>();
  const tryOnce = async (file: string): Promise<Try> => {
    const beside = new Set(running);
    running.add(file);
    const startedMs = performance.now();
    const output: string[] = [];
    const show = (text: string): void => void output.push(text);
    const result = await runSuites([file], { ...options, show, tier: 'programs' });
    running.delete(file);
    // A file's lines stay together, whatever runs at the same time.
    options.show(output.join(''));
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const company = beside.size === 0 ? 'by itself' : `beside ${[...beside].join(' and ')}`;
    return { file, result, circumstances: `${company}, ${seconds} s, load ${loadavg()[0]!.toFixed(1)}` };
  };
  const ordered = inOrder(files);
  const together = ordered.filter((file) => !isAlone(file));
  const tries = [
    ...(await inTurns(together, Math.min(programsSideBySide, availableParallelism()), tryOnce)),
    ...(await inTurns(ordered.filter(isAlone), 1, tryOnce)),
  ];
  const red = tries.filter(({ result }) => result.failed > 0);
  const results = tries.filter(({ result }) => result.failed === 0).map(({ result }) => result);
  const flaky: FlakyFile[] = [];
  for (const first of red) {
    const why =
      red.length > secondTriesMax ? 'too many files failed' : whyNoSecondTry(first.file, first.result);
    options.show(
      `${first.file} ${why === undefined ? 'runs once more, by itself' : `gets no second try: ${why}`}\n`,
    );
    const last = why === undefined ? await tryOnce(first.file) : first;
    results.push(last.result);
    if (last.result.failed > 0) continue;
    const difference = `failed ${first.circumstances}; passed ${last.circumstances}`;
    flaky.push({ file: first.file, failures: first.result.failures, difference });
  }
  return { ...sumOf(results), flaky };
}

/** Works on `items` in their order, `width` at a time. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** The longest first, in the order of `programSuites`; the rest in their own order. */
function inOrder(files: readonly string[]): readonly string[] {
  const place = (file: string): number => {
    const found = programSuites.findIndex(({ path }) => file.startsWith(path));
    return found === -1 ? programSuites.length : found;
  };
  return files.toSorted((a, b) => place(a) - place(b));
}

function isAlone(file: string): boolean {
  return programSuites.some(({ path, isAlone: alone }) => alone === true && file.startsWith(path));
}
