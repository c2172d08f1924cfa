import { isProfileId } from '@countersign/signature/profile';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSignatureProblem, type ProblemCode, type RequestExplanation } from '@countersign/contract';
import type { RefusalCode, SignatureRules } from '@countersign/signature/profile';
import {
  type FailedRequest,
  type OtherProfiles,
  BucketTable,
  type RegisteredClient,
  valuesOf,
} from '@countersign/gate';
import { claimedClient, type ClaimedClients } from '../registry/claimed-client.ts';
import { readAccountKeys } from '../registry/store/account-keys.ts';
import type { ExplanationRow } from '../request-log/records/explanations.ts';
import type { Database } from '../storage/transaction.ts';
import type { Explainer, ExplanationOutcome } from './explainer.ts';
import { explainableHeaders, secretValues, type UnkeptParts } from './kept-explanation.ts';
import { candidatesOf, shownExplanation } from './shown-explanation.ts';
import { TimeShare } from './time-share.ts';

/** A rejected request that names a client. */
export interface NamedFailure {
  readonly requestId: string;
  readonly code: ProblemCode;
  /** The client that the request names: by its ID, or by the name of one of its keys. */
  readonly clientId: string;
  readonly receivedAtMs: number;
  readonly method: string;
  readonly targetUri: string;
  /** The raw query without its `?`. */
  readonly query: string;
  readonly rawHeaders: readonly string[];
  /** Undefined if it was not read. */
  readonly body: Uint8Array | undefined;
}

/** Converts the gate's failure. Undefined if it names no client, because only a client's owner may see the reason. */
export function namedFailure({ head, sender, code, body }: FailedRequest): NamedFailure | undefined {
  const clientId = sender.client?.clientId ?? sender.claimedClientId;
  return clientId === undefined ? undefined : { ...head, code, clientId, body };
}

export interface FailureExplanationsOptions {
  readonly database: Database;
  readonly registry: ClaimedClients;
  readonly explainer: Pick<Explainer, 'run'>;
  readonly rules: SignatureRules;
  /** The profiles that clients may have besides the closed ones; undefined for none. */
  readonly otherProfiles?: OtherProfiles | undefined;
  readonly baseUrls: readonly string[];
  readonly shownQueryParameters: ReadonlySet<string>;
  /** Stores an explanation with the request log. */
  readonly keep: (row: ExplanationRow) => void;
  /** Called if a request is dropped because of an error, such as keys that cannot be read. */
  readonly onError: (error: unknown) => void;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
  /** Maximum number of waiting requests. Default: 32. */
  readonly waitingMax?: number;
  /** The share of one processor to use. Default: 0.1. */
  readonly share?: number;
}

/** Totals since the start. */
export interface ExplanationFigures {
  readonly explainedCount: number;
  /** Failures left unexplained because there were too many or explaining failed. */
  readonly droppedCount: number;
  /** Processor time used. */
  readonly usedMs: number;
}

/**
 * Explains known clients' rejected requests, one at a time after their responses, using a small share of one
 * processor. Anyone can name a client in a request, so the load is limited per client and in total. The excess
 * is dropped and counted: the owner can still paste a request to have it explained.
 */
export class FailureExplanations {
  readonly #options: FailureExplanationsOptions;
  readonly #time: TimeShare;
  readonly #byClient: BucketTable;
  readonly #answeredByClient: BucketTable;
  readonly #closing = new AbortController();
  #waiting: NamedFailure[] = [];
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

  /** Queues a rejected request. Cheap; never throws. */
  note(given: NamedFailure): void {
    const client = this.#explainable(claimedClient(this.#options.registry, given.clientId));
    if (!isSignatureProblem(given.code) || client === undefined) return;
    // Whichever of its keys are named, its share is the same.
    const { clientId } = client;
    const failed = { ...given, clientId };
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
   * Explains a rejected request in its own response, if the client it names allows that. The sender, who may be
   * anyone, sees the explanation, so it only uses that client's keys, and the client must be named by its ID: public keys
   * are known to anyone, and whose they are is not. Never rejects.
   *
   * @returns `withheld` if the client's share or the time for explanations is used up; undefined if the client
   *   does not allow it, or if explaining failed
   */
  async explainNow(failed: NamedFailure): Promise<RequestExplanation | 'withheld' | undefined> {
    const { clientId } = failed;
    const client = this.#clientOf(failed);
    if (!isSignatureProblem(failed.code) || client?.allowExplanations !== true || client.status !== 'active')
      return undefined;
    if (this.#time.waitMs() > 0 || this.#answeredByClient.tokens(clientId) < 1) {
      this.#dropped += 1;
      return 'withheld';
    }
    this.#answeredByClient.take(clientId);
    const outcome = await this.#explain(failed, client, undefined);
    return outcome && shownExplanation(outcome.explanation);
  }

  /**
   * Explains a request that was rejected earlier, for the log, with the rules and keys of that time. Its time
   * is not deducted from that of current requests. Never rejects.
   */
  async explainPast(failed: NamedFailure): Promise<void> {
    const client = this.#clientOf(failed);
    if (!isSignatureProblem(failed.code) || client === undefined || this.#closing.signal.aborted) return;
    const outcome = await this.#run(failed, client, this.#unkeptPartsOf(failed), pastOwner);
    if (outcome?.kept !== undefined)
      this.#options.keep({
        requestId: failed.requestId,
        accountId: client.accountId,
        explanation: outcome.kept,
      });
  }

  /** Abandons waiting requests. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
    await this.#working;
  }

  #clientOf({ clientId }: NamedFailure): RegisteredClient | undefined {
    return this.#explainable(this.#options.registry.clientById(clientId));
  }

  /** Returns the client if its requests can be explained: there are rules for its profile. */
  #explainable(client: RegisteredClient | undefined): RegisteredClient | undefined {
    const { otherProfiles } = this.#options;
    return client && (isProfileId(client.profile) || otherProfiles?.has(client.profile)) ? client : undefined;
  }

  #hasRoom({ clientId, body }: NamedFailure): boolean {
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
      const client = this.#clientOf(failed);
      const outcome = client && (await this.#explain(failed, client, this.#unkeptPartsOf(failed)));
      if (client === undefined || outcome?.kept === undefined) continue;
      const { accountId } = client;
      this.#options.keep({ requestId: failed.requestId, accountId, explanation: outcome.kept });
    }
  }

  /** Explains for the log if `unkept` is given, otherwise for a response, and deducts the time that it takes. */
  async #explain(
    failed: NamedFailure,
    client: RegisteredClient,
    unkept: UnkeptParts | undefined,
  ): Promise<ExplanationOutcome | undefined> {
    const outcome = await this.#run(failed, client, unkept, owner);
    this.#time.spend(outcome?.cpuMs ?? failedMs);
    if (!outcome) {
      this.#dropped += 1;
      return undefined;
    }
    this.#usedMs += outcome.cpuMs;
    this.#explained += 1;
    return outcome;
  }

  async #run(
    failed: NamedFailure,
    client: RegisteredClient,
    unkept: UnkeptParts | undefined,
    taskOwner: string,
  ): Promise<ExplanationOutcome | undefined> {
    const { database, explainer, rules, otherProfiles, baseUrls, onError } = this.#options;
    const { accountId, clientId, profile } = client;
    const isClosed = isProfileId(profile);
    const { method, targetUri, rawHeaders, body, receivedAtMs } = failed;
    // Anyone may have sent a request that is explained in its response.
    const othersMax = unkept === undefined ? 0 : otherKeysMax;
    return readAccountKeys(database, { accountId, clientId, othersMax, nowMs: receivedAtMs })
      .then((keys) =>
        explainer.run(
          {
            request: { method, targetUri, headers: explainableHeaders(rawHeaders, isClosed), body },
            candidates: candidatesOf(keys, false),
            options: {
              nowSeconds: Math.floor(receivedAtMs / 1000),
              ...rules,
              profile: isClosed ? profile : undefined,
              baseUrls,
              refusedWith: failed.code as RefusalCode,
              omitBodyText: unkept !== undefined,
              budgetMs: brakeMs,
            },
            messageProfile: isClosed ? undefined : otherProfiles?.get(profile)?.profile,
            ...(unkept && { unkept }),
          },
          taskOwner,
        ),
      )
      .catch((error: unknown) => {
        onError(error);
        return undefined;
      });
  }

  #unkeptPartsOf({ query, rawHeaders }: NamedFailure): UnkeptParts {
    return {
      query,
      shownValuesOf: this.#options.shownQueryParameters,
      secrets: secretValues(rawHeaders),
      signatures: [...valuesOf(rawHeaders, 'signature'), ...valuesOf(rawHeaders, 'authorization')],
    };
  }
}

/** Ten at once, then six a minute. */
const clientPolicy = { tokensMax: 10, tokensPerSecond: 0.1 };
const clientsMax = 10_000;
const savedMsMax = 1000;
/** The time that a failed explanation counts as. */
const failedMs = 200;
/** Only a brake: the search is limited by its number of texts, so a busy machine explains as much as an idle one. */
const brakeMs = 2000;
const otherKeysMax = 200;
const waitingOfClientMax = 8;
const waitingBytesMax = 8 * 1024 * 1024;
const owner = 'failures';
const pastOwner = 'past failures';
