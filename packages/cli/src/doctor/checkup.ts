import type { ExitName } from '../exits.ts';

/** The outcome of one step. `skipped`: an earlier failure prevents it. */
export type StepOutcome = 'ok' | 'warning' | 'failed' | 'skipped';

export interface StepResult {
  readonly step: string;
  readonly outcome: StepOutcome;
  /** The finding. */
  readonly found: string;
  /** The advice; present for every warning and failure. */
  readonly advice?: string;
}

/** Ends a checkup: nothing after it can be checked. */
export class CheckupEnd extends Error {
  readonly exit: ExitName;

  constructor(exit: ExitName) {
    super('The checkup cannot continue.');
    this.exit = exit;
  }
}

/** Collects results, and reports each as soon as it is known. */
export class Checkup {
  readonly results: StepResult[] = [];
  readonly #report: (result: StepResult) => void;
  #exit: ExitName = 'ok';

  constructor(report: (result: StepResult) => void) {
    this.#report = report;
  }

  /** The exit code of the worst result. */
  get exit(): ExitName {
    return this.#exit;
  }

  ok(step: string, found: string): void {
    this.#add({ step, outcome: 'ok', found });
  }

  warn(step: string, found: string, advice: string): void {
    this.#add({ step, outcome: 'warning', found, advice });
  }

  /** Records a failure that does not prevent the following steps. */
  fail(step: string, exit: ExitName, found: string, advice: string): void {
    if (this.#exit === 'ok') this.#exit = exit;
    this.#add({ step, outcome: 'failed', found, advice });
  }

  /** Records a failure, and ends the checkup. */
  end(step: string, exit: ExitName, found: string, advice: string): never {
    this.fail(step, exit, found, advice);
    throw new CheckupEnd(exit);
  }

  skip(step: string): void {
    this.#add({ step, outcome: 'skipped', found: 'not looked at' });
  }

  #add(result: StepResult): void {
    this.results.push(result);
    this.#report(result);
  }
}
