import type { ClientRecord } from '@countersign/server/local-registry';
import type { Io } from '../terminal/io.ts';
import { writeJson } from '../terminal/report.ts';
import { clientAsJson, clientText } from './show-client.ts';

/** Ends a command that is about one client: shows it, after a sentence that says what happened. */
export function finishWithClient(
  client: ClientRecord,
  sentence: string | undefined,
  json: boolean,
  io: Io,
): 'ok' {
  if (json) writeJson(io, { ok: true, ...clientAsJson(client) });
  else {
    if (sentence !== undefined) io.errors.write(`${sentence}\n`);
    io.output.write(clientText(client));
  }
  return 'ok';
}
