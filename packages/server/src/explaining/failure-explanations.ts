import { setTimeout as sleep } from 'node:timers/promises';
import { isSignatureProblem, type ProblemCode, type RequestExplanation } from '@countersign/contract';
import type { RefusalCode, SignatureRules } from '@countersign/signature/profile';
import {
  type FailedRequest as GateFailure,
  BucketTable,
  type RegisteredClient,
  type Registry,
  valuesOf,
} from '@countersign/gate';
import { readAccountKeys } from '../registry/store/account-keys.ts';
import type { ExplanationRow } from '../registry/store/explanations.ts';
import type { Database } from '../storage/transaction.ts';
import { candidatesOf } from './candidates.ts';
import { namedClientId } from '../telemetry/request-detail.ts';
import type { Explainer } from './explainer.ts';
import type { ExplanationOutcome } from './explanation-task.ts';
import { explainableHeaders, type UnkeptParts } from './kept-explanation.ts';
import { shownExplanation } from './shown-explanation.ts';
import { TimeShare } from './time-share.ts';

/** A request that was refused. */
export interface FailedRequest {
  readonly requestId: string;
  readonly code: ProblemCode;
  /** The client that it names. */
  readonly clientId: string;
  readonly receivedAtMs: number;
  readonly method: string;
  readonly targetUri: string;
  /** The raw query without its `?`. */
  readonly query: string;
  readonly rawHeaders: readonly string[];
  /** Undefined when it was not read. */
  readonly body: Uint8Array | undefined;
}

/** A refused request of the gate, when it names a client: only the client's owner can be told why. */
export function namedFailure({ head, sender, code, body }: GateFailure): FailedRequest | undefined {
  const clientId = sender.client?.clientId ?? sender.claimedClientId ?? namedClientId(head.rawHeaders);
  return clientId === undefined ? undefined : { ...head, code, clientId, body };
}

/** What explaining failures needs. */
export interface FailureExplanationsOptions {
  readonly database: Database;
  readonly registry: Pick<Registry, 'clientById'>;
  readonly explainer: Pick<Explainer, 'run'>;
  readonly rules: SignatureRules;
  readonly baseUrls: readonly string[];
  readonly shownQueryParameters: ReadonlySet<string>;
  /** Keeps an explanation with the log. */
  readonly keep: (row: ExplanationRow) => void;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  /** How many requests wait at most; 32 unless set. */
  readonly waitingMax?: number;
  /** The part of one processor that may be used; 0.1 unless set. */
  readonly share?: number;
}

/** What it has done since the start. */
export interface ExplanationFigures {
  readonly explainedCount: number;
  /** Failures that were not explained, because too many came, or because explaining failed. */
  readonly droppedCount: number;
  /** Processor time that it took. */
  readonly usedMs: number;
}

/**
 * Explains refused requests of known clients, after their answers and one at a time, within a small part of one processor.
 * Anybody can name a client in a request, so what one client can cause is limited, and all together. What is too much is
 * dropped and counted: the owner can still have a request explained by pasting it.
 */
export class FailureExplanations {
  readonly #options: FailureExplanationsOptions;
  readonly #time: TimeShare;
  readonly #byClient: BucketTable;
  readonly #answeredByClient: BucketTable;
  readonly #closing = new AbortController();
  #waiting: FailedRequest[] = [];
  #working: Promise<void> | undefined;
  #explained = 0;
  #dropped = 0;
  #usedMs = 0;

  constructor(options: FailureExplanationsOptions) {
    this.#options = options;
    this.#time = new TimeShare(options.share ?? 0.1, savedMsMax, options.monotonicMs);
    this.#byClient = new BucketTable(clientPolicy, options.monotonicMs, clientsMax);
    this.#answeredByClient = new BucketTable(clientPolicy, options.monotonicMs, clientsMax);
  }

  get figures(): ExplanationFigures {
    return { explainedCount: this.#explained, droppedCount: this.#dropped, usedMs: this.#usedMs };
  }

  /** Takes note of a refused request, to explain it later. Cheap, and never throws. */
  note(failed: FailedRequest): void {
    const { clientId } = failed;
    if (!isSignatureProblem(failed.code) || this.#options.registry.clientById(clientId) === undefined) return;
    if (!this.#hasRoom(failed) || this.#byClient.tokens(clientId) < 1) {
      this.#dropped += 1;
      return;
    }
    this.#byClient.take(clientId);
    this.#waiting.push(failed);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /**
   * Explains a refused request for its answer, when the client that it names allows that. It is told to whoever sent the
   * request, so it is made with the keys of that client alone. Never rejects.
   *
   * @returns undefined when the client does not allow it, or when there is no time for it
   */
  async explainNow(failed: FailedRequest): Promise<RequestExplanation | undefined> {
    const { clientId } = failed;
    const client = this.#options.registry.clientById(clientId);
    if (!isSignatureProblem(failed.code) || client?.allowExplanations !== true || client.status !== 'active')
      return undefined;
    if (this.#time.waitMs() > 0 || this.#answeredByClient.tokens(clientId) < 1) {
      this.#dropped += 1;
      return undefined;
    }
    this.#answeredByClient.take(clientId);
    const outcome = await this.#explain(failed, client, undefined);
    return outcome && shownExplanation(outcome.explanation);
  }

  /** Gives up what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
    await this.#working;
  }

  #hasRoom({ clientId, body }: FailedRequest): boolean {
    if (this.#closing.signal.aborted) return false;
    const { waitingMax = 32 } = this.#options;
    const bytes = this.#waiting.reduce((sum, one) => sum + (one.body?.length ?? 0), body?.length ?? 0);
    const ofClient = this.#waiting.filter((one) => one.clientId === clientId).length;
    return this.#waiting.length < waitingMax && ofClient < waitingOfClientMax && bytes <= waitingBytesMax;
  }

  async #work(): Promise<void> {
    for (;;) {
      if (this.#waiting.length === 0) return;
      const waitMs = this.#time.waitMs();
      if (waitMs > 0) {
        const options = { ref: false, signal: this.#closing.signal };
        await sleep(waitMs, undefined, options).catch(() => undefined);
        continue;
      }
      const failed = this.#waiting.shift()!;
      const client = this.#options.registry.clientById(failed.clientId);
      const outcome = client && (await this.#explain(failed, client, this.#unkeptPartsOf(failed)));
      if (client === undefined || outcome?.kept === undefined) continue;
      const { accountId } = client;
      this.#options.keep({ requestId: failed.requestId, accountId, explanation: outcome.kept });
    }
  }

  /** Explains for the log where something of the request is not kept, and else for an answer. */
  async #explain(
    failed: FailedRequest,
    client: RegisteredClient,
    unkept: UnkeptParts | undefined,
  ): Promise<ExplanationOutcome | undefined> {
    const { database, explainer, rules, baseUrls } = this.#options;
    const { accountId, clientId, acceptWithoutDate } = client;
    const { method, targetUri, rawHeaders, body, receivedAtMs } = failed;
    // What is answered at once, anybody may have asked for.
    const othersMax = unkept === undefined ? 0 : otherKeysMax;
    try {
      const keys = await readAccountKeys(database, { accountId, clientId, othersMax, nowMs: receivedAtMs });
      const outcome = await explainer.run(
        {
          request: { method, targetUri, headers: explainableHeaders(rawHeaders), body },
          candidates: candidatesOf(keys, false),
          options: {
            nowSeconds: Math.floor(receivedAtMs / 1000),
            ...rules,
            acceptWithoutDate,
            baseUrls,
            refusedWith: failed.code as RefusalCode,
            omitBodyText: unkept !== undefined,
            budgetMs,
          },
          ...(unkept && { unkept }),
        },
        owner,
      );
      if (outcome === undefined) throw new Error('The explainer has no room.');
      this.#time.spend(outcome.durationMs);
      this.#usedMs += outcome.durationMs;
      this.#explained += 1;
      return outcome;
    } catch {
      // The log has the request; why it cannot be explained is told by the database and by the thread.
      this.#dropped += 1;
      this.#time.spend(budgetMs);
      return undefined;
    }
  }

  #unkeptPartsOf({ query, rawHeaders }: FailedRequest): UnkeptParts {
    return {
      query,
      shownValuesOf: this.#options.shownQueryParameters,
      signatures: [...valuesOf(rawHeaders, 'signature'), ...valuesOf(rawHeaders, 'authorization')],
    };
  }
}

/** Ten at once, and then six a minute. */
const clientPolicy = { tokensMax: 10, tokensPerSecond: 0.1 };
const clientsMax = 10_000;
const savedMsMax = 1000;
const budgetMs = 200;
const otherKeysMax = 200;
const waitingOfClientMax = 8;
const waitingBytesMax = 8 * 1024 * 1024;
const owner = 'failures';
