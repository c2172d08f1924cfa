import type { Case } from '../case.ts';
import { judgeEcho } from '../cell.ts';

const names = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'];
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);

export const methods: readonly Case[] = names.map((method) => ({
  name: `method ${method}`,
  program: 'one',
  async run({ scene, sendAndSee }) {
    const target = `/methods/${method.toLowerCase()}`;
    const body = withBody.has(method) ? Buffer.from(`{"id":"${crypto.randomUUID()}"}`) : undefined;
    const headers = body && [['Content-Type', 'application/json'] as const];
    const { answer, arrivals } = await sendAndSee({ method, url: scene.baseUrl + target, headers, body });
    return judgeEcho(answer, arrivals, { method, targets: [target], body });
  },
}));
