import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftovers } from './leftovers.ts';
import type { FailedTest, SuiteResult } from './suite-result.ts';
import { type Tier, tierVariable } from './tiers.ts';

export interface SuiteOptions {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly show: (text: string) => void;
  /**
   * The run's own folder. The files find it in `TEST_FOLDER`, and get a temporary folder in it until they are
   * done.
   */
  readonly folder: string;
  /** Without a tier, the files run completely and may start any program. */
  readonly tier?: Tier;
  /** Runs only tests whose full name, including the suites around it, contains this. */
  readonly name?: string;
}

/**
 * Runs test files in one process, with `reporter.ts`, and ends the programs that they leave running. A
 * process that ends without a result, or exits with an error despite a green result, counts as one failure,
 * and so does a leftover program.
 */
export async function runSuites(files: readonly string[], options: SuiteOptions): Promise<SuiteResult> {
  const { root, tier, name } = options;
  const temporaryFolder = mkdtempSync(join(options.folder, 'files-'));
  // Like /tmp: PostgreSQL runs as a different user and creates folders in it.
  chmodSync(temporaryFolder, 0o1777);
  const flags = ['--test', '--test-isolation=none', `--test-reporter=${moduleBeside('reporter.ts')}`];
  if (tier === 'pure') flags.push(`--import=${moduleBeside('pure-tier-guard.ts')}`);
  if (name !== undefined) flags.push(`--test-name-pattern=${RegExp.escape(name)}`);
  const child = spawn(process.execPath, [...flags, '--test-reporter-destination=stdout', ...files], {
    cwd: root,
    env: environmentFor(options, temporaryFolder),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Its own session, which identifies the programs that it leaves behind.
    detached: true,
  });
  const end = (): void => endGroup(child.pid);
  process.once('exit', end);
  const show = wholeLines(options.show);
  child.stdout?.setEncoding('utf8').on('data', show);
  child.stderr?.setEncoding('utf8').on('data', show);
  let result: SuiteResult | undefined;
  child.on('message', (message) => {
    result = message as SuiteResult;
  });
  // Not `close`: a leftover program holds the pipes open.
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const left = await endLeftovers(child.pid ?? 0, temporaryFolder);
  if (child.stdout?.closed === false) await once(child, 'close');
  process.off('exit', end);
  rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 5 });
  const failure = (what: string): FailedTest => {
    show(`FAILED  ${what}\n`);
    return { file: files.join(' '), name: '', reason: what };
  };
  const failures = left.map(({ command, pid }) =>
    failure(`${files.join(' ')} left a program running: ${command} (process ${pid})`),
  );
  if (result === undefined)
    failures.push(
      failure(`The tests ended early, ${signal === null ? `with exit code ${code}` : `by ${signal}`}.`),
    );
  else if (code !== 0 && result.failed === 0)
    failures.push(failure(`The tests exited with ${code ?? signal}.`));
  const { passed = 0, failed = 0, skipped = [], failures: failedTests = [] } = result ?? {};
  return {
    passed,
    failed: failed + failures.length,
    skipped,
    failures: [...failedTests, ...failures],
  };
}

/** Ctrl-C does not reach another session. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function moduleBeside(file: string): string {
  return new URL(file, import.meta.url).href;
}

function environmentFor(
  { environment, folder, tier }: SuiteOptions,
  temporaryFolder: string,
): NodeJS.ProcessEnv {
  // Set when a test runs this: node:test would treat the tests below as its own subtests.
  const { NODE_TEST_CONTEXT: _ignored, ...rest } = environment;
  const places = { TMPDIR: temporaryFolder, TEMP: temporaryFolder, TMP: temporaryFolder };
  return {
    ...rest,
    ...places,
    TEST_FOLDER: folder,
    ...(tier !== undefined && { [tierVariable]: tier }),
  };
}

/** Passes on only whole lines, so that the lines of two processes do not mix. */
function wholeLines(show: SuiteOptions['show']): SuiteOptions['show'] {
  let rest = '';
  return (text) => {
    const end = (rest + text).lastIndexOf('\n') + 1;
    const whole = (rest + text).slice(0, end);
    rest = (rest + text).slice(end);
    if (whole !== '') show(whole);
  };
}
