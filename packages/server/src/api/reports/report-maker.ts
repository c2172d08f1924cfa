import type { Answer } from '@countersign/gate';
import { StorageError } from '../../storage/storage-error.ts';
import { TaskThread } from '../../storage/task-thread.ts';
import type { DatabasePlace } from '../../storage/database.ts';
import type { ReportRequest } from './report-handlers.ts';
import { answerOf, type ReportResult, reportTask } from './report-tasks.ts';
import type { ReportId } from './reports.ts';

/** Maximum number of reports made at the same time per account; the rest wait. */
const atOnceOfAccount = 2;

export interface ReportMakerOptions {
  readonly place: DatabasePlace;
  /** Resolves when everything committed so far is on disk; undefined if it already is. */
  readonly whenOnDisk: () => Promise<void> | undefined;
  /** The thread's program; only tests replace it. */
  readonly program?: URL;
}

/**
 * Makes reports in their own thread, so that no other request waits for them, and only a few at once per
 * account, so that no other account waits long.
 */
export class ReportMaker {
  readonly #thread: TaskThread;
  readonly #whenOnDisk: ReportMakerOptions['whenOnDisk'];
  readonly #accounts = new Map<string, AccountTurns>();

  constructor({ place, whenOnDisk, program = threadProgram }: ReportMakerOptions) {
    this.#thread = new TaskThread({ place, program, name: 'reports', whenLost });
    this.#whenOnDisk = whenOnDisk;
  }

  /** Starts the thread, so that the first report is not late. */
  start(): void {
    this.#thread.start();
  }

  /**
   * Makes a report.
   *
   * @param query as the operation's schema has read it
   * @throws ProblemError, StorageError
   */
  async make(id: ReportId, query: unknown, request: ReportRequest): Promise<Answer> {
    const { accountId } = request.caller;
    await this.#begin(accountId);
    try {
      const result = await this.#thread.run(id, reportTask(query, request));
      // A response must not contain anything that a crash of the machine could undo.
      await this.#whenOnDisk();
      return answerOf(result as ReportResult);
    } finally {
      this.#end(accountId);
    }
  }

  /** Ends the thread. Reports in progress fail. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #begin(accountId: string): Promise<void> | undefined {
    const turns = this.#accounts.get(accountId) ?? { running: 0, waiting: [] };
    this.#accounts.set(accountId, turns);
    if (turns.running >= atOnceOfAccount) return new Promise((resolve) => turns.waiting.push(resolve));
    turns.running += 1;
    return undefined;
  }

  #end(accountId: string): void {
    const turns = this.#accounts.get(accountId)!;
    const next = turns.waiting.shift();
    if (next !== undefined) return next();
    turns.running -= 1;
    if (turns.running === 0) this.#accounts.delete(accountId);
  }
}

interface AccountTurns {
  running: number;
  readonly waiting: (() => void)[];
}

function whenLost(cause: unknown): StorageError {
  return new StorageError('unavailable', 'The report thread failed: try again.', cause);
}

/** The published package is JavaScript. */
const threadProgram = import.meta.url.endsWith('.ts')
  ? new URL('./report-thread.ts', import.meta.url)
  : new URL('./report-thread.js', import.meta.url);
