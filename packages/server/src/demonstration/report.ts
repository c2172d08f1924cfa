import type { CallResponse } from './call.ts';

/** The output stream; standard output, except in tests. */
export interface Output {
  write(text: string): unknown;
}

/**
 * Writes one request of a demonstration as a line: accepted or rejected, the status, what was sent, and the
 * result.
 */
export function reportLine(title: string, { status, body }: CallResponse, accepted: string): string {
  const { code, reason, title: problem } = (body ?? {}) as { code?: string; reason?: string; title?: string };
  const mark = code === undefined ? 'accepted' : 'rejected';
  const what = code === undefined ? accepted : `${code}: ${reason ?? problem ?? ''}`;
  return `  ${mark}  ${status}  ${title.padEnd(32)} ${what}\n`;
}
