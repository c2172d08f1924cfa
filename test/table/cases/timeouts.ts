import { paths } from '../api.ts';
import type { Case } from '../case.ts';
import { signerCodes, textOf, wrong } from '../cell.ts';

/** Names and texts of the time-outs of all clients. PHP's streams only report that the request failed. */
const saysTimeout = /time[ds]?[ -]?out|deadline|cancell?ed|abort|HTTP request failed/i;

export const timeouts: readonly Case[] = ['GET', 'POST'].map((method) => ({
  name: `time-out of a ${method}`,
  program: 'one',
  async run({ scene, sendAndSee }) {
    const url = `${scene.baseUrl}${paths.silent}${crypto.randomUUID()}`;
    const body = method === 'POST' ? Buffer.from('{}') : undefined;
    const { answer, arrivals } = await sendAndSee({ method, url, body, timeoutMs: 1500 });
    // Some clients retry a read that timed out.
    if (arrivals.length === 0 || (method === 'POST' && arrivals.length > 1))
      return wrong(`it arrived ${arrivals.length} times: ${textOf(answer)}`);
    const isTimeout = answer.error !== undefined && !signerCodes.has(answer.error);
    return isTimeout && saysTimeout.test(textOf(answer))
      ? { kind: 'right', note: "the client's error" }
      : wrong(textOf(answer));
  },
}));
