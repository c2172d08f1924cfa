import type { Configuration } from '../configuration/load.ts';
import type { ForwardingKeys } from '../forwarding/forwarding-keys.ts';
import { auditReader } from '../registry/store/audit-source.ts';
import { requestReader } from '../request-log/records/request-source.ts';
import { readAuthorities } from '../webhooks/streams/check-streams.ts';
import { type RunningStreams, startStreams } from '../webhooks/streams/run-streams.ts';
import { publishedKey } from './open-webhooks.ts';
import type { Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';

/** Starts linking the audit log, and sending streams. */
export function openStreams(
  { streams, streamSecrets }: Configuration,
  { ground: { nowMs, logger }, stores: { database } }: Pick<Parts, 'ground' | 'stores'>,
  keys: ForwardingKeys,
  { streams: replaced, streamsEveryMs: everyMs }: ServiceOverrides,
): RunningStreams {
  const authorities = new Map(streams.map((stream) => [stream.name, readAuthorities(stream)]));
  return startStreams({
    ...replaced,
    streams,
    readers: { audit: auditReader, requests: requestReader },
    database,
    nowMs,
    signingKey: () => publishedKey(keys),
    authorizationOf: (name) => streamSecrets[name]?.reveal(),
    authoritiesOf: (name) => authorities.get(name),
    onFailing: (key, problem, failures) =>
      logger.warn({ ...key, problem, failures }, 'a stream could not be sent; it is tried again'),
    onStalled: (key, problem, sinceMs) =>
      logger.error({ ...key, problem, since: new Date(sinceMs).toISOString() }, 'a stream has stalled'),
    onRecovered: (key, sinceMs) =>
      logger.info({ ...key, since: new Date(sinceMs).toISOString() }, 'a stream is received again'),
    onRejected: (key, records) =>
      logger.error({ ...key, records }, 'the receiver of a stream will not take some records'),
    onError: (error) => logger.error({ error }, 'streams could not be sent'),
    everyMs,
  });
}
