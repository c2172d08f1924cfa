import type { RequestNote } from './request-text-error.ts';

/** A request to explain, to the extent that its source describes it. */
export interface PastedRequest {
  /** The kind of source, in words. */
  readonly source: string;
  readonly method: string;
  /** A path with its query, or the whole URL as called. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined if the source does not say, empty if there was none. */
  readonly body: Uint8Array | undefined;
  /** Where the source may differ from the wire. */
  readonly notes: readonly RequestNote[];
  /**
   * The time of the response by the service's clock, or else the time of the request, if the source says:
   * Unix seconds.
   */
  readonly recordedSeconds?: number | undefined;
}

export function headerValues(headers: PastedRequest['headers'], lowerCaseName: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === lowerCaseName).map(([, value]) => value);
}

/** Returns the client ID that a request names, in any header and notation. */
export function declaredKeyid({ headers }: Pick<PastedRequest, 'headers'>): string | undefined {
  for (const [, value] of headers) {
    const [, quoted, bare] = /\bkeyid\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(value) ?? [];
    const keyid = quoted ?? bare;
    if (keyid !== undefined) return keyid;
  }
  return undefined;
}
