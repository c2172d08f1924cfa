import { randomUUID } from 'node:crypto';
import { SecondRanges } from '@countersign/gate';
import type { Database } from '../storage/transaction.ts';
import { joinEpoch, readEpoch, type Sighting, wentBack } from './postgres-epochs.ts';

/** A node's settings for joining epochs. */
export interface MembershipOptions {
  /** A database with short timeouts. */
  readonly database: Database;
  readonly nodes: number;
  readonly aheadSecondsMax: number;
  readonly nowMs: () => number;
}

/** One node's membership in the epochs of a PostgreSQL guard. See `joinEpoch` for how epochs work. */
export class EpochMembership {
  readonly #options: MembershipOptions;
  readonly #nodeId: string = randomUUID();
  #isMember = false;
  #seen: Sighting | undefined;
  /** Undefined while this node knows nothing. */
  #accepted: SecondRanges | undefined;
  #joining: Promise<void> | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** The epoch that this node is a member of; undefined if none. */
  get epoch(): string | undefined {
    return this.#isMember ? this.#seen?.epoch : undefined;
  }

  /** The last position seen in the database's log during this epoch; undefined while this node is in no epoch. */
  get seen(): Sighting | undefined {
    return this.#isMember ? this.#seen : undefined;
  }

  /** Records the database's log position. */
  see(now: Sighting): void {
    if (this.#seen?.epoch === now.epoch && this.#seen.position < now.position) this.#seen = now;
  }

  /** Records that a signature is accepted. */
  accept(created: number): void {
    if (!this.#accepted?.has(created))
      this.#accepted = (this.#accepted ?? SecondRanges.none).with([created, created]);
  }

  /** Called when a statement finds that an epoch is over: accepts nothing more in it, and joins the next one. */
  leave(epoch: string): void {
    if (this.epoch === epoch) this.#isMember = false;
    this.join().catch(() => undefined);
  }

  /**
   * Joins the database's current epoch, unless this node is already a member of one. Rejects if the database
   * does not respond.
   */
  async join(): Promise<void> {
    if (this.#isMember) return;
    this.#joining ??= this.#join().finally(() => (this.#joining = undefined));
    return this.#joining;
  }

  /** Checks that the epoch is still the same, and learns what other nodes have accepted in it. */
  async watch(): Promise<void> {
    const { seen } = this;
    if (seen !== undefined) {
      const state = await readEpoch(this.#options.database);
      if (state.epoch === seen.epoch && !wentBack(state, seen)) {
        for (const created of state.rememberedSeconds) this.accept(created);
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
      accepted: this.#accepted,
      nowSeconds: Math.ceil(nowMs() / 1000),
      aheadSecondsMax,
      seen: this.#seen,
    });
    // A node that has just started derives what was accepted: before the epoch from what is rejected, and in it
    // from the rows.
    this.#accepted ??= SecondRanges.upTo(state.horizonSeconds).union(state.refused);
    for (const created of state.rememberedSeconds) this.accept(created);
    this.#seen = state;
    this.#isMember = true;
  }
}
