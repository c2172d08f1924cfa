import { openConnection, type RawAnswer } from '../network/raw-connection.ts';
import type { RunningService } from '../service/running-service.ts';
import { type Draft, requestOf } from './draft.ts';

/** Signs and sends a draft on its own connection, and reads the response. */
export async function sendDraft(
  { port }: Pick<RunningService, 'port'>,
  draft: Draft,
  localAddress?: string,
): Promise<RawAnswer> {
  const connection = await openConnection(port, localAddress);
  const { head, body } = requestOf(draft);
  connection.write(head + body);
  const answer = await connection.answer();
  connection.cut();
  return answer;
}

/** The code of a rejection; the status as text if it is not one. */
export function codeOf({ status, text }: Pick<RawAnswer, 'status' | 'text'>): string {
  if (status < 400) return String(status);
  return String((JSON.parse(text) as { code?: unknown }).code);
}
