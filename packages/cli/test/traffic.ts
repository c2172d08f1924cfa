import { setTimeout as sleep } from 'node:timers/promises';
import { signingFetch } from '../../client/src/node.ts';

/** The final report of a traffic process. */
export interface TrafficReport {
  readonly accepted: number;
  /** Unsuccessful responses. */
  readonly refused: readonly string[];
}

/** Sends signed requests one after the other until standard input ends, with the library for programs. */
async function send(baseUrl: string, clientId: string, privateKeyFile: string): Promise<TrafficReport> {
  const fetch = signingFetch({ clientId, privateKeyFile, throwsRefusals: false });
  const end = new AbortController();
  process.stdin.on('end', () => end.abort()).resume();
  const refused: string[] = [];
  let accepted = 0;
  while (!end.signal.aborted) {
    const reference = `${process.pid}-${accepted + refused.length}`;
    const body = JSON.stringify({ amount: 1, currency: 'EUR', reference });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${baseUrl}/v1/payments`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status === 201) accepted += 1;
    else refused.push(`${answer.status} ${text}`);
    await sleep(5);
  }
  return { accepted, refused };
}

const [baseUrl = '', clientId = '', keyFile = ''] = process.argv.slice(2);
console.log(JSON.stringify(await send(baseUrl, clientId, keyFile)));
