import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';
import type { EventStream, StreamOutput } from '@countersign/gate';
import { AccountEvents } from './account-events.ts';

/** Options for a node's event streams. */
export interface EventStreamsOptions {
  readonly database: Database;
  readonly nowMs: () => number;
  /** Called when polling an account starts to fail; called again only after a success in between. */
  readonly onError: (error: unknown) => void;
  /** The polling interval; defaults to one second. */
  readonly lookEveryMs?: number;
  /** The interval at which each listener's permission is checked again; defaults to 5 seconds. */
  readonly admissionEveryMs?: number;
  /** Sends a ping after this long without events, so that no proxy closes the connection; defaults to 15 seconds. */
  readonly pingEveryMs?: number;
}

/** A listener, and the account it follows. */
export interface Listening {
  readonly accountId: string;
  /** The person's ID; each person has a maximum number of streams. */
  readonly listenerId: string;
  /** Checks that the listener may still listen. Never rejects. */
  readonly isAdmitted: () => Promise<boolean>;
}

/**
 * The event streams open on this node. Each account with listeners is polled once, however many listen. A stream ends
 * when its listener stops reading or loses its permission; browsers reconnect automatically.
 */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #accounts = new Map<string, AccountStreams>();
  readonly #openByListener = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /** Returns true if this listener can open another stream. */
  hasRoom(listenerId: string): boolean {
    const open = this.#openByListener.values().reduce((sum, count) => sum + count, 0);
    return open < streamsMax && (this.#openByListener.get(listenerId) ?? 0) < streamsPerListenerMax;
  }

  /** Streams an account's events from now on. */
  stream(listening: Listening): EventStream {
    return (output) => this.#open(listening, output);
  }

  /** Ends all streams and accepts no more. */
  close(): void {
    this.#closing.abort();
    for (const account of this.#accounts.values()) account.end();
  }

  #open({ accountId, listenerId, isAdmitted }: Listening, output: StreamOutput): () => void {
    if (this.#closing.signal.aborted) {
      output.end();
      return () => undefined;
    }
    const account = this.#accounts.get(accountId) ?? this.#follow(accountId);
    const listener = new Listener(output, isAdmitted, this.#options);
    account.listeners.add(listener);
    this.#openByListener.set(listenerId, (this.#openByListener.get(listenerId) ?? 0) + 1);
    return () => {
      listener.close();
      account.listeners.delete(listener);
      const left = (this.#openByListener.get(listenerId) ?? 1) - 1;
      if (left > 0) this.#openByListener.set(listenerId, left);
      else this.#openByListener.delete(listenerId);
    };
  }

  #follow(accountId: string): AccountStreams {
    const account = new AccountStreams(accountId, this.#options);
    this.#accounts.set(accountId, account);
    void account.follow(this.#closing.signal, () => this.#accounts.delete(accountId));
    return account;
  }
}

/** All listeners of one account. */
class AccountStreams {
  readonly listeners = new Set<Listener>();
  readonly #events: AccountEvents;
  readonly #options: EventStreamsOptions;

  constructor(accountId: string, options: EventStreamsOptions) {
    const { database, nowMs } = options;
    this.#events = new AccountEvents({ database, accountId, nowMs });
    this.#options = options;
  }

  /** Polls until the last listener leaves, then calls `onEnd` in the same turn of the event loop. Never rejects. */
  async follow(signal: AbortSignal, onEnd: () => void): Promise<void> {
    const { lookEveryMs = 1000, onError } = this.#options;
    let isFailing = false;
    do {
      try {
        this.#broadcast(await this.#events.look());
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(error);
        isFailing = true;
      }
      await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    } while (this.listeners.size > 0 && !signal.aborted);
    onEnd();
  }

  end(): void {
    for (const listener of this.listeners) listener.end();
  }

  #broadcast(events: readonly LiveEvent[]): void {
    if (events.length === 0) return;
    const text = events.map(writeEvent).join('');
    for (const listener of this.listeners) listener.send(text);
  }
}

/** One open stream. */
class Listener {
  readonly #output: StreamOutput;
  readonly #isAdmitted: () => Promise<boolean>;
  readonly #pings: NodeJS.Timeout;
  readonly #admissions: NodeJS.Timeout;
  #isChecking = false;

  constructor(
    output: StreamOutput,
    isAdmitted: () => Promise<boolean>,
    { admissionEveryMs = 5000, pingEveryMs = 15_000 }: EventStreamsOptions,
  ) {
    this.#output = output;
    this.#isAdmitted = isAdmitted;
    this.#pings = setInterval(() => this.send(ping), pingEveryMs).unref();
    this.#admissions = setInterval(() => void this.#checkAdmission(), admissionEveryMs).unref();
    // Browsers reconnect after this many milliseconds.
    this.send(`retry: 3000\n\n${ping}`);
  }

  send(text: string): void {
    const waitingBytes = this.#output.write(text);
    this.#pings.refresh();
    if (waitingBytes > waitingBytesMax) this.end();
  }

  end(): void {
    this.close();
    this.#output.end();
  }

  close(): void {
    clearInterval(this.#pings);
    clearInterval(this.#admissions);
  }

  async #checkAdmission(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    if (await this.#isAdmitted().catch(() => false)) this.#isChecking = false;
    else this.end();
  }
}

/** Formats an event for sending (HTML standard, section 9.2). JSON has no line breaks, so data cannot add lines. */
function writeEvent({ event, data }: LiveEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

const ping = writeEvent({ event: 'ping', data: {} });

const streamsMax = 1000;
const streamsPerListenerMax = 10;
const waitingBytesMax = 262_144;
