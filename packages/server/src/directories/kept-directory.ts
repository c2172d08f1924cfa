import { type DirectoryContents, type DirectoryKey, isNamed, isValidAt } from './directory-key.ts';
import type { DirectoryLocation } from './directory-location.ts';
import { type DirectoryProblem, directoryProblem } from './directory-problem.ts';
import type { Directory } from './fetch-directory.ts';

/** A point in time on both clocks: the wall clock for people and stored data, the other one for every decision. */
export interface Instant {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/** The keys that a `keyid` may mean, or why there are none. */
export type KeyLookup = { readonly ok: true; readonly keys: readonly DirectoryKey[] } | DirectoryProblem;

/** How a directory is doing, for people. */
export interface DirectoryState extends DirectoryLocation {
  readonly isRegistered: boolean;
  /** The last attempt to fetch it, in milliseconds since 1970; undefined if there was none. */
  readonly attemptedAtMs: number | undefined;
  readonly succeededAtMs: number | undefined;
  /** Why the last attempt failed, or why the keys do not count any more. */
  readonly problem: DirectoryProblem | undefined;
  /** False if there are no keys, or if the directory has been unreadable for too long. */
  readonly isUsable: boolean;
  /** Until when its keys are used if it cannot be read from now on. */
  readonly usableUntilMs: number | undefined;
  readonly keyCount: number;
  readonly skipped: DirectoryContents['skipped'];
}

/** The pause after a failed fetch, and between fetches for unknown keys. */
export const pauseMs: number = 5 * 60_000;

interface Success {
  readonly contents: DirectoryContents;
  readonly at: Instant;
  readonly freshForMs: number;
  /** False for keys that another process examined. */
  readonly isExamined: boolean;
}

/** One directory in memory: its keys, and when it was fetched. A failed fetch changes nothing about the keys. */
export class KeptDirectory {
  readonly location: DirectoryLocation;
  readonly isRegistered: boolean;
  /** The fetch in progress. */
  running: Promise<void> | undefined;
  readonly #outageMsMax: number;
  #success: Success | undefined;
  #problem: DirectoryProblem | undefined;
  #attempt: Instant | undefined;

  constructor(location: DirectoryLocation, isRegistered: boolean, outageMsMax: number) {
    this.location = location;
    this.isRegistered = isRegistered;
    this.#outageMsMax = outageMsMax;
  }

  begin(at: Instant): void {
    this.#attempt = at;
  }

  succeed({ keys, skipped, freshForMs }: Directory, at: Instant): void {
    this.#success = { contents: { keys, skipped }, at, freshForMs, isExamined: true };
    this.#problem = undefined;
  }

  fail(problem: DirectoryProblem): void {
    this.#problem = problem;
  }

  /** Takes over keys from before a restart, if nothing was fetched yet. They are due at once. */
  restore(contents: DirectoryContents, at: Instant): void {
    this.#success ??= { contents, at, freshForMs: 0, isExamined: false };
  }

  /** Returns true if it was never fetched, is no longer fresh, or failed a while ago. */
  isDue(at: Instant): boolean {
    const freshMs = this.#success?.freshForMs ?? pauseMs;
    return !this.wasTriedWithin(this.#problem === undefined ? freshMs : pauseMs, at);
  }

  /** Returns true if the last attempt began within the time. */
  wasTriedWithin(ms: number, { monotonicMs }: Instant): boolean {
    return this.#attempt !== undefined && monotonicMs - this.#attempt.monotonicMs < ms;
  }

  /** Returns true while the last good answer counts. */
  isTrusted({ monotonicMs }: Instant): boolean {
    return this.#success !== undefined && monotonicMs - this.#success.at.monotonicMs < this.#outageMsMax;
  }

  /** Forgets keys that do not count any more. */
  forgetUntrusted(at: Instant): void {
    if (this.#success === undefined || this.isTrusted(at)) return;
    this.#success = { ...this.#success, contents: { keys: [], skipped: {} } };
  }

  find(keyId: string, at: Instant): KeyLookup {
    if (this.#success === undefined) return this.#problem ?? directoryProblem('not_fetched');
    if (!this.isTrusted(at)) return directoryProblem('outage_too_long');
    const keys = this.usableKeys(at).filter((key) => isNamed(key, keyId));
    return keys.length > 0 ? { ok: true, keys } : directoryProblem('key_unknown');
  }

  /** Returns the keys that are valid now. */
  usableKeys(at: Instant): readonly DirectoryKey[] {
    return this.isTrusted(at) ? this.keys.filter((key) => isValidAt(key, at.nowMs)) : [];
  }

  hasKey(thumbprint: string): boolean {
    return this.keys.some((key) => key.thumbprint === thumbprint);
  }

  /** All keys of the last good answer. */
  get keys(): readonly DirectoryKey[] {
    return this.#success?.contents.keys ?? [];
  }

  /** The keys that this process examined. */
  get examinedKeys(): readonly DirectoryKey[] {
    return this.#success?.isExamined === true ? this.keys : [];
  }

  /** The last good answer, for storage. */
  get lastSuccess(): { readonly contents: DirectoryContents; readonly atMs: number } | undefined {
    return this.#success && { contents: this.#success.contents, atMs: this.#success.at.nowMs };
  }

  state(at: Instant): DirectoryState {
    const success = this.#success;
    const isTrusted = this.isTrusted(at);
    const isOver = success !== undefined && !isTrusted;
    return {
      ...this.location,
      isRegistered: this.isRegistered,
      attemptedAtMs: this.#attempt?.nowMs,
      succeededAtMs: success?.at.nowMs,
      problem: isOver ? directoryProblem('outage_too_long') : this.#problem,
      isUsable: this.usableKeys(at).length > 0,
      usableUntilMs: success && success.at.nowMs + this.#outageMsMax,
      keyCount: isTrusted ? this.keys.length : 0,
      skipped: success?.contents.skipped ?? {},
    };
  }
}
