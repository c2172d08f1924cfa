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
/** Enough to load the service seldom, few enough that a leftover of one affects few others. */
const programBatchFiles = 6;

/**
 * Runs the pure tier, as many batches at a time as there are cores, then the tier of programs, each file in a
 * process of its own unless it is in both. Failed files run once more alone at the end, if `second-tries.ts`
 * allows. All share a temporary folder, which is removed at the end. It contains Node's compile cache, which
 * halves the start-up time of the programs that tests start.
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

/**
 * A processor that has no pure test left starts with the tests with programs: those that run alone wait for
 * all others.
 */
async function runBoth({ pure, programs }: TierFiles, options: SuiteOptions): Promise<TierResult> {
  const units = unitsOf({ pure, programs });
  const tryOnce = trier(options);
  const batches = batchesOf(pure).values();
  const together = units.filter((unit) => !unit.some(isAlone)).values();
  const pureResults: SuiteResult[] = [];
  const tries: Try[] = [];
  const work = async (_: unknown, worker: number): Promise<void> => {
    for (const files of batches) pureResults.push(await runSuites(files, { ...options, tier: 'pure' }));
    if (worker >= programsSideBySide) return;
    for (const unit of together) tries.push(await tryOnce(unit));
  };
  await Promise.all(Array.from({ length: availableParallelism() }).map(work));
  for (const unit of units.filter((each) => each.some(isAlone))) tries.push(await tryOnce(unit));
  const { flaky, ...programResult } = await withSecondTries(tries, tryOnce, options.show);
  return { ...sumOf([...pureResults, programResult]), flaky };
}

/** Test files of the tier of programs that share a process, mostly one. */
type Unit = readonly string[];

/**
 * The longest first, in the order of `programSuites`; the rest in their own order. Files that share processes
 * in the pure tier do so here too, where only their database is another: each process loads the service.
 */
function unitsOf({ pure, programs }: TierFiles): readonly Unit[] {
  const place = (file: string): number => {
    const found = programSuites.findIndex(({ path }) => file.startsWith(path));
    return found === -1 ? programSuites.length : found;
  };
  const inPure = new Set(pure);
  const alone = programs.filter((file) => !inPure.has(file)).toSorted((a, b) => place(a) - place(b));
  const long = alone.filter((file) => place(file) < programSuites.length).map((file) => [file]);
  const rest = alone.filter((file) => place(file) === programSuites.length).map((file) => [file]);
  const shared = batchesOf(
    programs.filter((file) => inPure.has(file)),
    programBatchFiles,
  );
  return [...long, ...shared, ...rest];
}

interface Try {
  readonly unit: Unit;
  readonly result: SuiteResult;
  readonly circumstances: string;
}

/** Returns a function that runs files of the tier of programs, and knows which ones run at the same time. */
function trier(options: SuiteOptions): (unit: Unit) => Promise<Try> {
  const running = new Set<string>();
  return async (unit) => {
    const beside = new Set(running);
    for (const file of unit) running.add(file);
    const startedMs = performance.now();
    const output: string[] = [];
    const show = (text: string): void => void output.push(text);
    const result = await runSuites(unit, { ...options, show, tier: 'programs' });
    for (const file of unit) running.delete(file);
    // A file's lines stay together, whatever runs at the same time.
    options.show(output.join(''));
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const company = beside.size === 0 ? 'by itself' : `beside ${[...beside].join(' and ')}`;
    return { unit, result, circumstances: `${company}, ${seconds} s, load ${loadavg()[0]!.toFixed(1)}` };
  };
}

/** Runs each file that failed once more, where that is allowed. */
async function withSecondTries(
  tries: readonly Try[],
  tryOnce: (unit: Unit) => Promise<Try>,
  show: SuiteOptions['show'],
): Promise<TierResult> {
  const results: SuiteResult[] = [];
  const flaky: FlakyFile[] = [];
  const isMany = tries.flatMap(failedFiles).length > secondTriesMax;
  for (const first of tries) {
    const lasts: SuiteResult[] = [];
    for (const file of failedFiles(first)) {
      const failures = first.result.failures.filter((each) => first.unit.length === 1 || each.file === file);
      const why = isMany ? 'too many files failed' : whyNoSecondTry(file, { failures });
      show(`${file} ${why === undefined ? 'runs once more, by itself' : `gets no second try: ${why}`}\n`);
      const last = why === undefined ? await tryOnce([file]) : first;
      lasts.push(last.result);
      if (last.result.failed > 0) continue;
      const difference = `failed ${first.circumstances}; passed ${last.circumstances}`;
      flaky.push({ file, failures, difference });
    }
    results.push(resultOf(first, lasts));
  }
  return { ...sumOf(results), flaky };
}

/** The result of a try, and of the second ones of its files that failed. */
function resultOf({ unit, result }: Try, lasts: readonly SuiteResult[]): SuiteResult {
  if (lasts.length === 1 && unit.length === 1) return lasts[0]!;
  if (lasts.some(({ failed }) => failed > 0)) return result;
  return { ...result, passed: result.passed + result.failed, failed: 0, failures: [] };
}

/** The files of a try that failed: all of them if nobody knows which. */
function failedFiles({ unit, result: { failed, failures } }: Try): readonly string[] {
  if (failed === 0) return [];
  const named = unit.filter((file) => failures.some((failure) => failure.file === file));
  const isKnown = failures.length > 0 && failures.every(({ file }) => unit.includes(file));
  return isKnown ? named : unit;
}

function isAlone(file: string): boolean {
  return programSuites.some(({ path, isAlone: alone }) => alone === true && file.startsWith(path));
}
