import type { ExitName } from '../exits.ts';

/** The outcome of one step. `skipped`: an earlier failure leaves nothing to look at. */
export type StepOutcome = 'ok' | 'warning' | 'failed' | 'skipped';

export interface StepResult {
  readonly step: string;
  readonly outcome: StepOutcome;
  /** What was found. */
  readonly found: string;
  /** What to do; with every warning and every failure. */
  readonly advice?: string;
}

/** Ends a checkup: nothing that follows can be looked at. */
export class CheckupEnd extends Error {
  readonly exit: ExitName;

  constructor(exit: ExitName) {
    super('The checkup cannot continue.');
    this.exit = exit;
  }
}

/** Collects results, and tells each as soon as it is known. */
export class Checkup {
  readonly results: StepResult[] = [];
  readonly #tell: (result: StepResult) => void;
  #exit: ExitName = 'ok';

  constructor(tell: (result: StepResult) => void) {
    this.#tell = tell;
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

  /** Records a failure that the following steps can do without. */
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
    this.#tell(result);
  }
}
