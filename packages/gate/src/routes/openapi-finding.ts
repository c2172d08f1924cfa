/** The place of a member in a document: the names that lead to it. */
export type Location = readonly string[];

/** Something in an OpenAPI document that cannot simply become a route with a permission. */
export interface OpenApiFinding {
  /** A mistake rejects the document; a warning is a line of the report. */
  readonly severity: 'mistake' | 'warning';
  readonly at: Location;
  readonly message: string;
}

/** Collects the findings of a document. */
export class Findings {
  readonly list: OpenApiFinding[] = [];

  mistake(at: Location, message: string): undefined {
    this.list.push({ severity: 'mistake', at, message });
  }

  warning(at: Location, message: string): undefined {
    this.list.push({ severity: 'warning', at, message });
  }
}

/** Returns true if a parsed value is an object, neither a list nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
