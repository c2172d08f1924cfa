import { shellWord } from '../../code/shell-word.ts';
import type { TriedRequest } from './signed-exchange.ts';

/** Writes the command that sends the same request from a terminal. */
export function commandFor({ clientId, method, url, body }: Omit<TriedRequest, 'privateKey'>): string {
  const parts = [
    'countersign request',
    method,
    shellWord(url),
    '--client-id',
    shellWord(clientId),
    '--key private.pem',
  ];
  return body === '' ? parts.join(' ') : `${parts.join(' ')} \\\n  -d ${shellWord(body)}`;
}
