import { randomUUID } from 'node:crypto';
import type { Database } from '../storage/transaction.ts';
import { joinEpoch, readEpoch, type Sighting, wentBack } from './postgres-epochs.ts';

/** What a node tells when it joins an epoch. */
export interface MembershipOptions {
  /** With short time-outs. */
  readonly database: Database;
  readonly nodes: number;
  readonly aheadSecondsMax: number;
  readonly nowMs: () => number;
}

/** The part of one node in the epochs of a guard in PostgreSQL; what they are is told at `joinEpoch`. */
export class EpochMembership {
  readonly #options: MembershipOptions;
  readonly #nodeId: string = randomUUID();
  #isMember = false;
  #seen: Sighting | undefined;
  /** Undefined as long as this node knows nothing. */
  #acceptedSeconds: number | undefined;
  #joining: Promise<void> | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** The epoch that this node takes part in; undefined while it does in none. */
  get epoch(): string | undefined {
    return this.#isMember ? this.#seen?.epoch : undefined;
  }

  /** Where the database stood when it was last seen in this epoch; undefined while this node takes part in none. */
  get seen(): Sighting | undefined {
    return this.#isMember ? this.#seen : undefined;
  }

  /** Notes where the database stands. */
  see(now: Sighting): void {
    if (this.#seen?.epoch === now.epoch && this.#seen.position < now.position) this.#seen = now;
  }

  /** Notes that a signature is accepted. */
  accept(created: number): void {
    this.#acceptedSeconds = Math.max(this.#acceptedSeconds ?? 0, created);
  }

  /** An epoch is over, as a statement has found: nothing is accepted in it any more, and the next one is joined. */
  leave(epoch: string): void {
    if (this.epoch === epoch) this.#isMember = false;
    this.join().catch(() => undefined);
  }

  /** Joins the epoch that the database is in, unless this node takes part in one. Rejects when it does not answer. */
  async join(): Promise<void> {
    if (this.#isMember) return;
    this.#joining ??= this.#join().finally(() => (this.#joining = undefined));
    return this.#joining;
  }

  /** Looks whether the epoch is still the same, and what other nodes have accepted in it. */
  async watch(): Promise<void> {
    const { seen } = this;
    if (seen !== undefined) {
      const state = await readEpoch(this.#options.database);
      if (state.epoch === seen.epoch && !wentBack(state, seen)) {
        this.accept(state.latestSeconds);
        this.see(state);
      } else if (this.epoch === seen.epoch) this.#isMember = false;
    }
    await this.join();
  }

  async #join(): Promise<void> {
    const { database, nodes, aheadSecondsMax, nowMs } = this.#options;
    const state = await joinEpoch(database, {
      nodeId: this.#nodeId,
      nodes,
      acceptedSeconds: this.#acceptedSeconds,
      nowSeconds: Math.ceil(nowMs() / 1000),
      aheadSecondsMax,
      seen: this.#seen,
    });
    // Whoever has just started knows by the horizon what was accepted before the epoch, and by the rows what in it.
    this.#acceptedSeconds ??= Math.max(state.horizonSeconds, state.latestSeconds);
    this.#seen = state;
    this.#isMember = true;
  }
}
