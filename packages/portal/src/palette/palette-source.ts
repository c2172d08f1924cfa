import type { SignedInAccount } from '@countersign/contract';

/** One result of the palette, and its path. */
export interface PaletteEntry {
  /** The path within the portal, without `/portal`; also identifies the entry. */
  readonly path: string;
  readonly title: string;
  readonly detail?: string | undefined;
}

/**
 * Something that the palette searches.
 *
 * @example
 * const guides: PaletteSource = {
 *   id: 'guides',
 *   heading: 'Guides',
 *   isFor: () => true,
 *   search: async (text) => findGuides(text).map(({ path, title }) => ({ path, title })),
 * };
 */
export interface PaletteSource {
  readonly id: string;
  readonly heading: string;
  /** True if the person may see what it finds in this account. */
  readonly isFor: (account: SignedInAccount) => boolean;
  /** Finds a handful of entries, the best first. The text is trimmed, never empty, and untrusted. */
  readonly search: (
    text: string,
    context: { readonly account: SignedInAccount; readonly signal: AbortSignal },
  ) => Promise<readonly PaletteEntry[]>;
}
