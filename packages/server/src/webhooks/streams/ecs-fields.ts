import type { StreamRecord } from '../../registry/stream-records.ts';

type FieldValue = string | number | readonly string[];

/** Fields of the Elastic Common Schema by their names, without those that a record does not fill. */
export type EcsFields = Readonly<Record<string, FieldValue>>;

/** The version of the schema that the names are from. Fields of ours stay when it rises. */
const ecsVersion = '9.0.0';

/** What a line has of a record of the audit log or the request log, as far as fields are made of it. */
interface LineRecord {
  readonly accountId?: string;
  readonly action?: string;
  readonly actor?: { readonly id?: string; readonly name?: string; readonly actingReason?: string };
  readonly clientId?: string;
  readonly durationMs?: number;
  readonly method?: string;
  readonly outcome?: string;
  readonly reason?: string;
  readonly requestId?: string;
  readonly sourceAddress?: string;
  readonly status?: number;
  readonly url?: string;
}

/**
 * Returns the fields of the Elastic Common Schema of a record, as the table in docs/operations/streams.md says. A record that
 * was removed has the time 0, because its own is gone.
 */
export function ecsFields(record: StreamRecord): EcsFields {
  const { source, id, atMs, line } = record;
  const content = (JSON.parse(line) as { readonly record?: LineRecord }).record ?? {};
  return present({
    '@timestamp': new Date(atMs).toISOString(),
    'ecs.version': ecsVersion,
    'event.id': id,
    'event.kind': 'event',
    'event.dataset': `countersign.${source}`,
    ...(source === 'audit' ? auditFields(record, content) : requestFields(content)),
    'organization.id': content.accountId,
    'client.ip': content.sourceAddress,
    'http.request.id': content.requestId,
    'event.original': line,
  });
}

function auditFields({ position, hash }: StreamRecord, { action, actor }: LineRecord): MissingFields {
  return {
    'event.category': ['configuration'],
    'event.type': ['change'],
    'event.action': action,
    'event.sequence': position,
    'event.hash': hash,
    'event.outcome': 'success',
    'event.reason': actor?.actingReason,
    'user.id': actor?.id,
    'user.name': actor?.name,
  };
}

function requestFields(content: LineRecord): MissingFields {
  const { outcome, reason, durationMs, clientId, method, status, url } = content;
  return {
    'event.category': ['web'],
    'event.type': ['access'],
    'event.code': outcome,
    'event.outcome': outcome === 'accepted' ? 'success' : 'failure',
    'event.reason': reason,
    'event.duration': durationMs === undefined ? undefined : Math.round(durationMs * 1_000_000),
    'user.id': clientId,
    'http.request.method': method,
    'http.response.status_code': status,
    'url.original': url,
  };
}

type MissingFields = Readonly<Record<string, FieldValue | undefined>>;

/** Leaves out what is empty too: an index rejects a document whose address is not one. */
function present(fields: MissingFields): EcsFields {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, FieldValue] => {
      const [, value] = field;
      return value !== undefined && value !== null && value !== '';
    }),
  );
}

/** Returns a record as a document of the Elastic Common Schema: JSON on one line, with an object for each set of fields. */
export function ecsLine(record: StreamRecord): string {
  const document: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(ecsFields(record))) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    let place = document;
    for (const part of path) place = (place[part] ??= {}) as Record<string, unknown>;
    place[last] = value;
  }
  return JSON.stringify(document);
}
