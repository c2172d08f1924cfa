import type { Case } from '../case.ts';
import { right, textOf, wrong } from '../cell.ts';

export const equal: readonly Case[] = [
  equalCase('50 equal GETs at once', 'GET', 50),
  equalCase('5 equal POSTs at once', 'POST', 5),
];

function equalCase(name: string, method: 'GET' | 'POST', count: number): Case {
  return {
    name,
    program: 'many',
    async run({ scene, send }) {
      const target = `/equal/${crypto.randomUUID()}`;
      const body = method === 'POST' ? Buffer.from('{"amount":1250}') : undefined;
      const request = { method, url: scene.baseUrl + target, body };
      const answers = await Promise.all(Array.from({ length: count }, () => send(request)));
      const failed = answers.filter(({ status, code }) => status !== 200 || code);
      if (failed.length > 0) return wrong(`${failed.length} of ${count} failed: ${textOf(failed[0]!)}`);
      const arrivals = scene.api.arrivals.filter((one) => one.target === target);
      if (arrivals.length !== count) return wrong(`${arrivals.length} of ${count} arrived`);
      // A service accepts each signature of a POST once, so each has a second of its own.
      return right;
    },
  };
}
