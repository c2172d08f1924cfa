import type { Logger } from 'pino';

/** What is kept of a request: never its body, its signature, its query or a header. */
export interface RequestRecord {
  readonly requestId: string;
  /** `accepted`, or the code of the refusal. */
  readonly outcome: string;
  readonly status: number;
  readonly method: string;
  /** The path without the query, which may hold personal data. */
  readonly path: string;
  readonly sourceAddress: string;
  readonly durationMs: number;
  readonly clientId?: string | undefined;
  readonly keyFingerprint?: string | undefined;
  readonly clockDifferenceSeconds?: number | undefined;
  /** What is wrong, as the owner may know it. */
  readonly reason?: string | undefined;
}

const textLengthMax = 512;

/** Writes one line for an answered request. Called after the answer, never on its way. */
export function logRequest(logger: Logger, record: RequestRecord): void {
  const line = {
    ...record,
    method: bounded(record.method),
    path: bounded(record.path),
    durationMs: Math.round(record.durationMs * 1000) / 1000,
  };
  if (record.status >= 500) logger.error(line, 'request');
  else logger.info(line, 'request');
}

/** A stranger's text has no say in how long a log line gets. */
function bounded(text: string): string {
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}…`;
}
