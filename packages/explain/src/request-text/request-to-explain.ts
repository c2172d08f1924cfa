import type { RequestNote } from './request-text-error.ts';

/** A request to explain, as far as its source tells. */
export interface RequestToExplain {
  /** What it was read from, in words. */
  readonly source: string;
  readonly method: string;
  /** A path with its query, or the whole URL as it was called. */
  readonly target: string;
  /** The header lines in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: the source does not tell. Empty: there was none. */
  readonly body: Uint8Array | undefined;
  /** What the source does not say as the wire did. */
  readonly notes: readonly RequestNote[];
  /** When the source says that it was sent: a timestamp of RFC 3339. */
  readonly recordedAt?: string;
}

/** The values of the header lines with this lower-case name. */
export function headerValues(headers: RequestToExplain['headers'], lowerCaseName: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === lowerCaseName).map(([, value]) => value);
}
