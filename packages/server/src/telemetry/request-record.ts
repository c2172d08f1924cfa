import { formatAddress, parseAddress, problems } from '@countersign/contract';
import type { Logger } from 'pino';
import type { Unparsable } from '@countersign/gate';

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
  /** Undefined where it is not known when the request began. */
  readonly durationMs?: number;
  readonly clientId?: string | undefined;
  /** The person, where a session has proved it, and the account that the request was about. */
  readonly userId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly keyFingerprint?: string | undefined;
  readonly clockDifferenceSeconds?: number | undefined;
  /** What is wrong, as the owner may know it. */
  readonly reason?: string | undefined;
}

const textLengthMax = 512;

/** Writes one line for an answered request. Called after the answer, never on its way. */
export function logRequest(logger: Logger, record: RequestRecord): void {
  const { method, path, durationMs, reason } = record;
  const line = {
    ...record,
    method: bounded(method),
    path: bounded(path),
    durationMs: durationMs && Math.round(durationMs * 1000) / 1000,
    reason: reason && bounded(reason),
  };
  if (record.status >= 500) logger.error(line, 'request');
  else logger.info(line, 'request');
}

/**
 * Writes one line for bytes that were answered without there being a request. The address is the other end of the
 * connection: who is behind a proxy stands in headers that could not be read.
 */
export function logUnparsable(logger: Logger, { requestId, code, reason, peer }: Unparsable): void {
  const address = peer === undefined ? undefined : parseAddress(peer);
  logRequest(logger, {
    requestId,
    outcome: code,
    status: problems[code].status,
    method: '',
    path: '',
    sourceAddress: address ? formatAddress(address) : '',
    reason,
  });
}

/** A stranger's text has no say in how long a log line gets. */
function bounded(text: string): string {
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}…`;
}
