import { baseUrl } from '@countersign/testing/running-service';
import type { Answer, Caller } from './caller.ts';
import type { Payer } from './ledger.ts';

/** The time from which a freshly started service accepts signatures. */
export interface RefusalPeriod {
  /** Zero if nothing is rejected. */
  readonly refusedSeconds: number;
  /** The first accepted `created`, or now. Unix seconds. */
  readonly firstSecond: number;
}

let probes = 0;

/** Asks a service how long it rejects signatures, and checks that Retry-After is exact to the second. */
export async function findRefusalPeriod(
  caller: Caller,
  payer: Payer,
  onViolation: (text: string) => void,
): Promise<RefusalPeriod> {
  const probe = (created: number): Promise<Answer> => {
    // No such resource: a request that passes the checks gets 404.
    const url = `${baseUrl}/v1/probes/${++probes}`;
    return caller.send({ signed: payer.signer.sign({ method: 'GET', url }, { created }) });
  };
  for (;;) {
    const nowSeconds = currentSecond();
    const answer = await probe(nowSeconds);
    if (answer.status === 404) return { refusedSeconds: 0, firstSecond: nowSeconds };
    const text = String(answer.headers['retry-after']);
    if (answer.status !== 503 || answer.code !== 'recently_restarted' || !/^[1-9]\d*$/.test(text)) {
      throw new Error(`A fresh signature was answered ${answer.status} ${answer.code}, Retry-After ${text}.`);
    }
    // Retry-After counts from the second in which the service read its clock, so that must be known.
    if (currentSecond() !== nowSeconds) continue;
    const firstSecond = nowSeconds + Number(text);
    const early = await probe(firstSecond - 1);
    if (early.code !== 'recently_restarted')
      onViolation(`before Retry-After was over: ${early.status} ${early.code}`);
    const timely = await probe(firstSecond);
    if (timely.status !== 404) onViolation(`after Retry-After: ${timely.status} ${timely.code}`);
    return { refusedSeconds: Number(text), firstSecond };
  }
}

function currentSecond(): number {
  return Math.floor(Date.now() / 1000);
}
