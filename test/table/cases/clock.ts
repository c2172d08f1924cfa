import type { Case } from '../case.ts';
import { judgeEcho, wrong } from '../cell.ts';

/** The signer adopts the service's time and sends again: the API sees one request. */
export const clock: readonly Case[] = [
  clockCase('ten minutes slow', 'ahead', 'created_expired'),
  clockCase('then twenty minutes fast', 'behind', 'created_in_future'),
];

function clockCase(name: string, service: 'ahead' | 'behind', code: string): Case {
  return {
    name: `clock ${name}`,
    program: 'alone',
    async run({ scene, sendAndSee }) {
      for (const count of [1, 2]) {
        const target = `/clock/${crypto.randomUUID()}`;
        const body = Buffer.from('{}');
        const url = scene[service] + target;
        const { answer, arrivals } = await sendAndSee({ method: 'POST', url, body });
        const cell = judgeEcho(answer, arrivals, { method: 'POST', targets: [target], body, codes: [code] });
        if (cell.kind === 'wrong') return wrong(`request ${count}: ${cell.what}`);
        if (count === 2 || cell.kind === 'code') return cell;
      }
      return wrong('nothing was sent');
    },
  };
}
