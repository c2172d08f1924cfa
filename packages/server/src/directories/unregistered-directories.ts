import { type DirectoryLocation, nameOf } from './directory-location.ts';
import { KeptDirectory } from './kept-directory.ts';

/**
 * Directories that only requests name. Those with keys make room for each other, the one that was used longest ago first. Those
 * without, being fetched or failed, are kept apart: any number of made-up ones pushes no good one out.
 */
export class UnregisteredDirectories {
  readonly #max: number;
  readonly #outageMsMax: number;
  /** In the order of their use, the last used last. */
  readonly #good = new Map<string, KeptDirectory>();
  /** In the order of their arrival. */
  readonly #others = new Map<string, KeptDirectory>();

  constructor(max: number, outageMsMax: number) {
    this.#max = max;
    this.#outageMsMax = outageMsMax;
  }

  get isEnabled(): boolean {
    return this.#max > 0;
  }

  get counts(): { readonly good: number; readonly others: number } {
    return { good: this.#good.size, others: this.#others.size };
  }

  get(name: string): KeptDirectory | undefined {
    return this.#good.get(name) ?? this.#others.get(name);
  }

  add(location: DirectoryLocation): KeptDirectory {
    const kept = new KeptDirectory(location, false, this.#outageMsMax);
    this.#others.set(nameOf(location), kept);
    if (this.#others.size <= othersMax) return kept;
    for (const [name, { running }] of this.#others) {
      // There are fewer running ones than the limit.
      if (running !== undefined || name === nameOf(location)) continue;
      this.#others.delete(name);
      break;
    }
    return kept;
  }

  /** Notes that a directory was used, or has keys now. */
  use(kept: KeptDirectory): void {
    const name = nameOf(kept.location);
    if (this.get(name) !== kept) return;
    this.#others.delete(name);
    this.#good.delete(name);
    this.#good.set(name, kept);
    if (this.#good.size > this.#max) this.#good.delete(this.#good.keys().next().value!);
  }

  delete(name: string): void {
    this.#good.delete(name);
    this.#others.delete(name);
  }
}

/** How many failures are remembered. */
const othersMax = 1000;
