import { AssertionError } from 'node:assert';
import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { processorSeconds } from './processor-seconds.ts';
import { skipsAllowedInCi } from './skips-allowed-in-ci.ts';
import type { FailedTest, SkippedTest, SuiteResult } from './suite-result.ts';

type Verdict = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/** The lines of a failure's reason in the summary; the rest is shown where it happens. */
const reasonLines = 12;

interface TallyOptions {
  readonly inCi: boolean;
  /**
   * The only file of this process, if there is one: its tests may be defined in a file that it shares with
   * others.
   */
  readonly onlyFile?: string | undefined;
}

/** Counts test results and turns them into lines. */
export class Tally {
  readonly #inCi: boolean;
  readonly #onlyFile: string | undefined;
  readonly #names = new Map<number, string>();
  readonly #skipped: SkippedTest[] = [];
  readonly #failures: FailedTest[] = [];
  #passed = 0;
  #failed = 0;
  /** The lines of each test that failed with the suite around it, whose reason may come later. */
  readonly #cancelled: string[][] = [];
  #file = { name: '', passed: 0, milliseconds: 0 };
  /** The processor time up to the end of the file before this one. */
  #seconds = 0;

  constructor({ inCi, onlyFile }: TallyOptions) {
    this.#inCi = inCi;
    this.#onlyFile = onlyFile;
  }

  get result(): SuiteResult {
    return {
      passed: this.#passed,
      failed: this.#failed,
      skipped: this.#skipped,
      failures: this.#failures,
    };
  }

  /** Returns the lines to show for an event. */
  see(event: TestEvent): string[] {
    switch (event.type) {
      case 'test:start': {
        const { testId, parentId, name } = event.data;
        const parent = parentId === undefined ? undefined : this.#names.get(parentId);
        this.#names.set(testId, parent === undefined ? name : `${parent} > ${name}`);
        return [];
      }
      case 'test:pass':
      case 'test:fail':
        return this.#seeVerdict(event);
      case 'test:diagnostic':
        // Node only warns about this, but an error after a test can no longer fail it.
        if (!event.data.message.includes('generated asynchronous activity after')) return [];
        return this.#fail(event.data.message);
      case 'test:summary':
        // Safety net: never green when Node says red.
        return event.data.success || this.#failed > 0 ? [] : this.#fail('node:test reports a failure');
      default:
        return [];
    }
  }

  /** Returns the lines to show at the end. */
  close(): string[] {
    const lines = this.#endFile();
    if (this.#passed + this.#failed + this.#skipped.length === 0)
      lines.push(...this.#fail('No test was run'));
    if (this.#skipped.length > 0) lines.push('', 'Skipped:');
    for (const { name, reason } of this.#skipped)
      lines.push(`  ${name}: ${reason === '' ? '(no reason)' : reason}`);
    for (const { name, reason } of this.#skipped) {
      if (reason === '') lines.push(...this.#fail(`${name} is skipped without a reason`));
      else if (this.#inCi && !skipsAllowedInCi.some((allowed) => name === allowed.name)) {
        lines.push(...this.#fail(`${name} is skipped, and CI has all that tests need`));
      }
    }
    return lines;
  }

  #seeVerdict(event: Verdict): string[] {
    const { testId, name, file = '', skip, todo, details } = event.data;
    const path = this.#onlyFile ?? relative(process.cwd(), file);
    const lines = path === this.#file.name ? [] : this.#endFile();
    this.#file.name = path;
    if (event.data.nesting === 0) this.#file.milliseconds += details.duration_ms;
    const fullName = this.#names.get(testId) ?? name;
    if (skip !== undefined && skip !== false) {
      this.#skipped.push({ name: fullName, reason: typeof skip === 'string' ? skip.trim() : '' });
    } else if (todo !== undefined && todo !== false) {
      lines.push(...this.#fail(`${fullName} is marked as not done yet`));
    } else if (event.type === 'test:fail') {
      lines.push(...this.#seeFailure(event, fullName));
    } else if (resolve(name) === resolve(file)) {
      // Node reports a file without tests as a passing test named after the file.
      lines.push(...this.#fail(`${path} holds no test`));
    } else if (details.type !== 'suite') {
      this.#passed++;
      this.#file.passed++;
    }
    return lines;
  }

  #seeFailure({ data }: Extract<TestEvent, { type: 'test:fail' }>, name: string): string[] {
    const { error } = data.details;
    const kind = 'failureType' in error ? error.failureType : undefined;
    // The failures inside were counted where they happened.
    if (kind === 'subtestsFailed') return this.#endCancelled();
    const reason = describe(error.cause ?? error);
    const place = relative(process.cwd(), data.file ?? '');
    const lines = this.#fail(`${place}:${data.line ?? 0} ${name}`, reason);
    if (kind === 'cancelledByParent') {
      this.#cancelled.push(lines);
      return [];
    }
    this.#failures.push({
      file: this.#file.name,
      name,
      reason: reason.split('\n').slice(0, reasonLines).join('\n'),
    });
    if (kind !== 'hookFailed') return [...this.#endCancelled(), ...lines];
    // One cause, shown once and first: a truncated log must not end before it.
    const count = this.#cancelled.splice(0).length;
    return count === 0 ? lines : [...lines, `    Not run because of this: ${count} tests`];
  }

  #endCancelled(): string[] {
    return this.#cancelled.splice(0).flat();
  }

  #fail(what: string, details = ''): string[] {
    this.#failed++;
    return [`FAILED  ${what}`, ...(details === '' ? [] : [details.replace(/^(?=.)/gm, '    ')])];
  }

  #endFile(): string[] {
    const { name, passed, milliseconds } = this.#file;
    this.#file = { name: '', passed: 0, milliseconds: 0 };
    const lines = this.#endCancelled();
    if (name === '') return lines;
    const before = this.#seconds;
    this.#seconds = processorSeconds();
    const work = `${(this.#seconds - before).toFixed(1)} s of processor time`;
    lines.push(`        ${name}: ${passed} passed (${(milliseconds / 1000).toFixed(1)} s, ${work})`);
    return lines;
  }
}

/** Describes the thrown value, without Node's own stack frames. */
function describe(thrown: unknown): string {
  const text = thrown instanceof AssertionError ? (thrown.stack ?? thrown.message) : inspect(thrown);
  return text
    .split('\n')
    .filter((line) => !/^\s+at .*node:internal/.test(line))
    .join('\n');
}
