import { formatAddress, parseAddress, problems } from '@countersign/contract';
import type {
  AnsweredRequest,
  FailedRequest,
  Observer,
  Registry,
  RequestRecord,
  Unparsable,
} from '@countersign/gate';
import type { Logger } from 'pino';
import type { RequestMetrics } from './metrics.ts';
import { shownQuery } from '../request-log/request-detail.ts';
import type { RequestStore } from '../request-log/writing/request-store.ts';

/** The receivers of request records. */
export interface ObserverParts {
  readonly logger: Logger;
  /** Undefined disables metrics. */
  readonly metrics: RequestMetrics | undefined;
  readonly registry: Pick<Registry, 'keyUsed'>;
  /** Stores requests for their clients' owners. */
  readonly requestStore: Pick<RequestStore, 'add'>;
  /** Explains rejections to the clients' owners. */
  readonly noteFailure: (failed: FailedRequest) => void;
  /** Query parameters whose values are stored; the others keep only their names. */
  readonly shownQueryParameters: ReadonlySet<string>;
}

/**
 * Creates the observer that passes finished requests on to the log, the metrics, the registry, the owners'
 * request log and the explainer.
 */
export function createObserver(parts: ObserverParts): Observer {
  const { logger, metrics, registry, requestStore, noteFailure } = parts;
  return {
    answered(record, request) {
      logRequest(logger, record);
      metrics?.answered(record.outcome, record.durationMs, record.isObserved);
      const { client, key } = request.sender;
      if (client && key && request.isAccepted) registry.keyUsed(client, key, record);
      // A person's requests do not belong to a client. The changes they make are audited.
      if (request.kind !== undefined && request.kind !== 'client') return;
      requestStore.add(record, detailOf(record, request, parts.shownQueryParameters));
      if (request.failed) noteFailure(request.failed);
    },
    unparsable(unparsable) {
      logUnparsable(logger, unparsable);
      metrics?.answered(unparsable.code, undefined);
    },
    failed: (error, requestId, message) => logger.error({ error, requestId }, message),
  };
}

function detailOf(
  { clientId, claimedClientId, durationMs }: RequestRecord,
  { sender, isAccepted, operationPath, waitedMs = 0, receivedAtMs, query, source }: AnsweredRequest,
  shownParameters: ReadonlySet<string>,
): Parameters<RequestStore['add']>[1] {
  return {
    receivedAtMs,
    namedClientId: clientId ?? claimedClientId,
    isAccepted,
    isProved: clientId !== undefined,
    keyId: sender.key?.keyId,
    operationPath,
    // The two clocks are read at slightly different moments.
    ownMs: durationMs === undefined ? undefined : Math.max(0, durationMs - waitedMs),
    shownQuery: shownQuery(query, shownParameters),
    source: source.address,
  };
}

const textLengthMax = 512;

function logRequest(logger: Logger, record: RequestRecord): void {
  const { method, path, durationMs, reason } = record;
  const line = {
    ...record,
    method: bounded(method),
    path: bounded(path),
    durationMs: durationMs && Math.round(durationMs * 1000) / 1000,
    reason: reason && bounded(reason),
  };
  // Shutting down is not an error: a rolling restart must not look like one.
  if (record.status >= 500 && record.outcome !== 'shutting_down') logger.error(line, 'request');
  else if (record.isBodyUnchecked) logger.warn(line, 'request with an unchecked body');
  else logger.info(line, 'request');
}

/**
 * Logs unreadable bytes. The address is the connection's peer: a proxy names the caller in headers, and those
 * could not be read.
 */
function logUnparsable(logger: Logger, { requestId, code, reason, peer }: Unparsable): void {
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

/** Truncates a stranger's text, so that it cannot make a log line arbitrarily long. */
function bounded(text: string): string {
  return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}…`;
}
