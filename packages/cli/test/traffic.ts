import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner, type Signer } from '@countersign/signature/node';

/** What a process of the traffic says at its end. */
export interface TrafficReport {
  readonly accepted: number;
  /** Answers that were no success. */
  readonly refused: readonly string[];
  /** How many keys have signed. */
  readonly keys: number;
}

/** Sends signed requests one after the other until standard input ends, and follows the key file. */
async function send(baseUrl: string, clientId: string, keyFile: string): Promise<TrafficReport> {
  const end = new AbortController();
  process.stdin.on('end', () => end.abort()).resume();
  const refused: string[] = [];
  let accepted = 0;
  let keys = 0;
  let signer: Signer | undefined;
  let inode = 0n;
  while (!end.signal.aborted) {
    const { ino } = statSync(keyFile, { bigint: true });
    if (signer === undefined || ino !== inode) {
      signer = createSigner({ keyid: clientId, privateKey: readFileSync(keyFile, 'utf8') });
      inode = ino;
      keys += 1;
    }
    const reference = `${process.pid}-${accepted + refused.length}`;
    const body = JSON.stringify({ amount: 1, currency: 'EUR', reference });
    const signed = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments`, body });
    const headers = { ...signed.headers, 'Content-Type': 'application/json' };
    const answer = await fetch(signed.url, { method: 'POST', headers, body });
    if (answer.status === 201) accepted += 1;
    else refused.push(`${answer.status} ${await answer.clone().text()}`);
    await answer.arrayBuffer();
    await sleep(5);
  }
  return { accepted, refused, keys };
}

const [baseUrl = '', clientId = '', keyFile = ''] = process.argv.slice(2);
console.log(JSON.stringify(await send(baseUrl, clientId, keyFile)));
