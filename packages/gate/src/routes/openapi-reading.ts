import type { Findings } from './openapi-finding.ts';

/** What an operator sets for a document without editing it. */
export interface OpenApiReading {
  /** Path patterns that are put before all paths, instead of the document's servers. */
  readonly basePath?: readonly string[] | undefined;
  /** Resources of permissions by tag, or by path segment if there is no tag. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** By path as written in the document, or by method and path: `GET /invoices`. */
  readonly paths?: Readonly<Record<string, OpenApiPathReading>> | undefined;
  /** Kinds of findings that the report omits: scopes of security requirements, and tags after the first. */
  readonly ignore?: readonly ('scopes' | 'furtherTags')[] | undefined;
}

/** What an operator sets for one path or operation. */
export interface OpenApiPathReading {
  /** The path pattern that replaces it; only for whole paths. */
  readonly path?: string | undefined;
  /** Path patterns that are put before it, instead of all servers. */
  readonly basePath?: readonly string[] | undefined;
  readonly permission?: string | undefined;
  /** Creates no route for it, and rejects its requests. */
  readonly skip?: boolean | undefined;
}

/** Looks up the operator's entries, and keeps track of the unused ones. */
export class ReadingEntries {
  readonly #reading: OpenApiReading;
  readonly #used = new Set<string>();

  constructor(reading: OpenApiReading) {
    this.#reading = reading;
  }

  /** Returns the entry for a path, or for an operation: `GET /invoices`. */
  of(key: string): OpenApiPathReading | undefined {
    const entries = this.#reading.paths ?? {};
    if (!Object.hasOwn(entries, key)) return undefined;
    this.#used.add(key);
    return entries[key];
  }

  /** Returns true if an entry overrides the permission that the document gives. */
  settles(key: string): boolean {
    const entries = this.#reading.paths ?? {};
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    return entry?.skip === true || entry?.permission !== undefined;
  }

  /** An entry that matches nothing was meant to match something. */
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
