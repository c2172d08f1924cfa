import type { DirectoryContents, DirectoryKey, SkipReason } from './directory-key.ts';

/** Collects the keys of a directory, and counts what does not count. */
export class KeyCollection {
  readonly #keys: DirectoryKey[] = [];
  readonly #skipped = new Map<SkipReason, number>();
  readonly #compromised = new Set<string>();

  add(result: DirectoryKey | SkipReason): void {
    if (typeof result === 'string') this.#skip(result);
    else this.#keys.push(result);
  }

  /** Excludes a key because the directory also publishes its private half. */
  exclude(thumbprint: string | undefined): void {
    if (thumbprint !== undefined) this.#compromised.add(thumbprint);
  }

  /**
   * Returns what counts. A key that is listed twice counts once; one that is listed for two algorithms not at all, because a
   * key is used with one only.
   */
  contents(): DirectoryContents {
    const byThumbprint = new Map<string, DirectoryKey>();
    const ambiguous = new Set<string>();
    for (const key of this.#keys) {
      const other = byThumbprint.get(key.thumbprint);
      if (this.#compromised.has(key.thumbprint)) this.#skip('private_key');
      else if (other === undefined) byThumbprint.set(key.thumbprint, key);
      else if (other.algorithm === key.algorithm) this.#skip('duplicate');
      else {
        ambiguous.add(key.thumbprint);
        this.#skip('several_algorithms');
      }
    }
    for (const thumbprint of ambiguous) {
      byThumbprint.delete(thumbprint);
      this.#skip('several_algorithms');
    }
    return {
      keys: [...byThumbprint.values()],
      skipped: Object.fromEntries(this.#skipped),
      ...(this.#compromised.size > 0 && { compromised: [...this.#compromised] }),
    };
  }

  #skip(reason: SkipReason): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
  }
}
