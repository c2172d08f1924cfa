import type { Findings } from './openapi-finding.ts';

/** What an operator says about a document without editing it. */
export interface OpenApiReading {
  /** Path patterns that stand before all paths, instead of the document's servers. */
  readonly basePath?: readonly string[] | undefined;
  /** Resources of permissions by tag, or by path segment where there is no tag. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** By path as written in the document, or by method and path: `GET /invoices`. */
  readonly paths?: Readonly<Record<string, OpenApiPathReading>> | undefined;
  /** What the report leaves out: scopes of security requirements, and tags after the first. */
  readonly ignore?: readonly ('scopes' | 'furtherTags')[] | undefined;
}

/** What an operator says about one path or operation. */
export interface OpenApiPathReading {
  /** The path pattern that it stands for; for whole paths only. */
  readonly path?: string | undefined;
  /** Path patterns that stand before it, instead of all servers. */
  readonly basePath?: readonly string[] | undefined;
  readonly permission?: string | undefined;
  /** Makes no route of it, and rejects its requests. */
  readonly skip?: boolean | undefined;
}

/** Looks up what an operator says, and knows what nobody asked for. */
export class ReadingEntries {
  readonly #reading: OpenApiReading;
  readonly #used = new Set<string>();

  constructor(reading: OpenApiReading) {
    this.#reading = reading;
  }

  /** Returns what is said about a path, or about an operation: `GET /invoices`. */
  of(key: string): OpenApiPathReading | undefined {
    const entries = this.#reading.paths ?? {};
    if (!Object.hasOwn(entries, key)) return undefined;
    this.#used.add(key);
    return entries[key];
  }

  /** Whether an entry makes it unimportant which permission the document gives. */
  settles(key: string): boolean {
    const entries = this.#reading.paths ?? {};
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    return entry?.skip === true || entry?.permission !== undefined;
  }

  /** An entry that is about nothing was meant for something. */
  reportUnused(usedTags: ReadonlySet<string>, findings: Findings): void {
    for (const key of Object.keys(this.#reading.paths ?? {}))
      if (!this.#used.has(key))
        findings.mistake(['paths'], `openapiReading: the document has no ${JSON.stringify(key)}`);
    for (const tag of Object.keys(this.#reading.tags ?? {}))
      if (!usedTags.has(tag))
        findings.warning(
          ['paths'],
          `openapiReading: no permission comes from the tag ${JSON.stringify(tag)}`,
        );
  }
}
