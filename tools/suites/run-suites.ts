import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SuiteResult } from './suite-result.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export interface SuiteOptions {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly show: (text: string) => void;
  /** Runs only tests whose name, with those of the suites around it in front, contains this. */
  readonly name?: string;
}

/**
 * Runs lanes of test files side by side, each in a process of its own, and adds up their results. They share a temporary
 * folder, which is removed at the end; programs that tests start share Node's compile cache there and start twice as fast.
 */
export async function runLanes(
  lanes: readonly (readonly string[])[],
  options: SuiteOptions,
): Promise<SuiteResult> {
  const folder = makeTemporaryFolder();
  const places = { TMPDIR: folder, TEMP: folder, TMP: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const environment = { ...options.environment, ...places };
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  const results = await Promise.all(
    lanes.map((files) => runSuites(files, { ...options, environment, show: wholeLines(options.show) })),
  );
  process.off('exit', remove);
  remove();
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    skipped: results.flatMap(({ skipped }) => skipped),
  };
}

/** Passes on whole lines only, so that the lines of two processes do not mix. */
function wholeLines(show: SuiteOptions['show']): SuiteOptions['show'] {
  let rest = '';
  return (text) => {
    const end = (rest + text).lastIndexOf('\n') + 1;
    const whole = (rest + text).slice(0, end);
    rest = (rest + text).slice(end);
    if (whole !== '') show(whole);
  };
}

/**
 * Runs test files in one process, with `reporter.ts`. A process that ends without a result, or exits with an error despite a
 * green result, counts as one failure.
 */
export async function runSuites(files: readonly string[], options: SuiteOptions): Promise<SuiteResult> {
  const { root, environment, show, name } = options;
  const reporter = new URL('reporter.ts', import.meta.url).href;
  const flags = ['--test', '--test-isolation=none', `--test-reporter=${reporter}`];
  if (name !== undefined) flags.push(`--test-name-pattern=${RegExp.escape(name)}`);
  // Set when a test runs this: node:test would take the tests below for subtests of its own.
  const { NODE_TEST_CONTEXT: _ignored, ...env } = environment;
  const child = spawn(process.execPath, [...flags, '--test-reporter-destination=stdout', ...files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.setEncoding('utf8').on('data', show);
  child.stderr?.setEncoding('utf8').on('data', show);
  let result: SuiteResult | undefined;
  child.on('message', (message) => {
    result = message as SuiteResult;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (result === undefined) {
    show(`FAILED  The tests ended early, ${signal === null ? `with exit code ${code}` : `by ${signal}`}.\n`);
    return { passed: 0, failed: 1, skipped: [] };
  }
  return code === 0 || result.failed > 0 ? result : { ...result, failed: 1 };
}
