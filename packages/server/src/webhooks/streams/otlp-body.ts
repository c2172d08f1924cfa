import type { StreamRecord } from '../../registry/stream-records.ts';
import { ecsFields } from './ecs-fields.ts';
import type { SentStream } from './sent-stream.ts';

/** Returns the body of a request to an OTLP receiver of logs (OTLP 1.5, HTTP with JSON). */
export function otlpBody(
  { format }: Pick<SentStream, 'format'>,
  records: readonly StreamRecord[],
  nowMs: number,
): string {
  const logRecords = records.map((record) => ({
    timeUnixNano: nanoseconds(record.atMs),
    observedTimeUnixNano: nanoseconds(nowMs),
    severityNumber: record.isWarning ? 13 : 9,
    severityText: record.isWarning ? 'WARN' : 'INFO',
    eventName: `countersign.${record.source}`,
    body: { stringValue: record.line },
    attributes: [...ownAttributes(record), ...(format === 'ecs' ? ecsAttributes(record) : [])],
  }));
  const resource = { attributes: [attribute('service.name', 'countersign')] };
  const scopeLogs = [{ scope: { name: 'countersign' }, logRecords }];
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] });
}

function ownAttributes({ source, id, name, position, hash }: StreamRecord): readonly object[] {
  return [
    attribute('countersign.source', source),
    attribute('countersign.id', id),
    attribute('countersign.name', name),
    ...(position === undefined ? [] : [attribute('countersign.position', position)]),
    ...(hash === undefined ? [] : [attribute('countersign.hash', hash)]),
  ];
}

/** Returns all fields but those that the log record has in places of its own: its time, and the line. */
function ecsAttributes(record: StreamRecord): readonly object[] {
  return Object.entries(ecsFields(record))
    .filter(([name]) => name !== '@timestamp' && name !== 'event.original')
    .map(([name, value]) => attribute(name, value));
}

/** Whole milliseconds have six zeros more; a number would lose digits. */
function nanoseconds(ms: number): string {
  return ms === 0 ? '0' : `${ms}000000`;
}

/** Numbers are whole, and texts in the JSON of Protocol Buffers, so that they lose no digits. */
function attribute(key: string, value: string | number | readonly string[]): object {
  if (typeof value === 'string') return { key, value: { stringValue: value } };
  if (typeof value === 'number') return { key, value: { intValue: String(value) } };
  return { key, value: { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } } };
}

/**
 * Returns how many records of an acknowledged batch the receiver will never take (`partial_success`). The protocol forbids
 * sending them again.
 */
export function rejectedByOtlp(answer: string | undefined): number {
  try {
    const { partialSuccess } = JSON.parse(answer ?? '') as {
      partialSuccess?: { rejectedLogRecords?: unknown };
    };
    const rejected = Number(partialSuccess?.rejectedLogRecords ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
