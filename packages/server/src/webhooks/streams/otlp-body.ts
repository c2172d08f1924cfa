import type { StreamRecord } from '../../registry/stream-records.ts';

/** Returns the body of a request to an OTLP receiver of logs (OTLP 1.5, HTTP with JSON). */
export function otlpBody(records: readonly StreamRecord[], nowMs: number): string {
  const logRecords = records.map(({ source, id, atMs, name, isWarning, position, hash, line }) => ({
    timeUnixNano: nanoseconds(atMs),
    observedTimeUnixNano: nanoseconds(nowMs),
    severityNumber: isWarning ? 13 : 9,
    severityText: isWarning ? 'WARN' : 'INFO',
    eventName: `countersign.${source}`,
    body: { stringValue: line },
    attributes: [
      attribute('countersign.source', source),
      attribute('countersign.id', id),
      attribute('countersign.name', name),
      ...(position === undefined
        ? []
        : [{ key: 'countersign.position', value: { intValue: String(position) } }]),
      ...(hash === undefined ? [] : [attribute('countersign.hash', hash)]),
    ],
  }));
  const resource = { attributes: [attribute('service.name', 'countersign')] };
  const scopeLogs = [{ scope: { name: 'countersign' }, logRecords }];
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] });
}

/** Whole milliseconds have six zeros more; a number would lose digits. */
function nanoseconds(ms: number): string {
  return ms === 0 ? '0' : `${ms}000000`;
}

function attribute(key: string, value: string): object {
  return { key, value: { stringValue: value } };
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
