import type { Arrival } from '../api.ts';
import type { Case, Client } from '../case.ts';
import { type Cell, judgeEcho, signerCodes, textOf, wrong } from '../cell.ts';
import type { TableAnswer } from '../program.ts';

/**
 * Responses that are lost in transit, on a connection that was used before: the API has acted, but the client
 * cannot know.
 */
export const dropped: readonly Case[] = [
  {
    name: 'dropped: a POST arrives once',
    program: 'one',
    async run(client) {
      const { answer, arrivals } = await loseAnswer(client, 'POST');
      if (arrivals.length !== 1) return wrong(`it arrived ${arrivals.length} times: ${textOf(answer)}`);
      if (answer.error === undefined && !answer.code) return wrong(textOf(answer));
      return typedOr(client, answer, ['repeat_not_signed', 'signature_replayed']);
    },
  },
  {
    name: 'dropped: a POST with `Idempotency-Key` keeps it',
    program: 'one',
    async run(client) {
      const { answer, arrivals } = await loseAnswer(client, 'POST', [
        ['Idempotency-Key', crypto.randomUUID()],
      ]);
      const keys = new Set(arrivals.map((arrival) => arrival.values('idempotency-key').join(',')));
      if (arrivals.length === 0 || keys.size !== 1 || keys.has(''))
        return wrong(`keys: ${[...keys].join(' ')}`);
      return typedOr(client, answer, ['signature_replayed']);
    },
  },
  {
    name: 'dropped: a GET',
    program: 'one',
    async run(client) {
      const { answer, arrivals } = await loseAnswer(client, 'GET');
      if (arrivals.length === 0) return wrong('it did not arrive');
      return typedOr(client, answer, []);
    },
  },
];

/** Sends a request so that its first response is lost, and resolves with the requests that arrived. */
async function loseAnswer(
  client: Client,
  method: 'GET' | 'POST',
  headers: readonly (readonly [string, string])[] = [],
): Promise<{ readonly answer: TableAnswer; readonly arrivals: readonly Arrival[] }> {
  const { scene } = client;
  await client.send({ method: 'GET', url: `${scene.baseUrl}/before/${crypto.randomUUID()}` });
  scene.hop.losses = 1;
  const url = `${scene.baseUrl}/dropped/${crypto.randomUUID()}`;
  const body = method === 'POST' ? Buffer.from('{"amount":1250}') : undefined;
  const sent = await client.sendAndSee({ method, url, headers, body });
  scene.hop.losses = 0;
  return sent;
}

/** A response after a repeat, the client's own error or one of these codes; and the client still works. */
async function typedOr(
  { scene, sendAndSee }: Client,
  answer: TableAnswer,
  codes: readonly string[],
): Promise<Cell> {
  const target = `/after/${crypto.randomUUID()}`;
  const after = await sendAndSee({ method: 'GET', url: scene.baseUrl + target });
  const next = judgeEcho(after.answer, after.arrivals, { method: 'GET', targets: [target] });
  if (next.kind !== 'right') return wrong(`the request after it: ${textOf(after.answer)}`);
  const code = answer.code ?? (signerCodes.has(answer.error ?? '') ? answer.error : undefined);
  if (code !== undefined) return codes.includes(code) ? { kind: 'code', code } : wrong(textOf(answer));
  if (answer.error !== undefined) return { kind: 'right', note: "the client's error" };
  return answer.status === 200 ? { kind: 'right', note: 'repeated' } : wrong(textOf(answer));
}
