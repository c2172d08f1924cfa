import { type Arrival, echoOf, paths } from '../api.ts';
import type { Case } from '../case.ts';
import { bodyOf, type Cell, textOf, wrong } from '../cell.ts';
import type { TableAnswer } from '../program.ts';

/** A redirect is either returned or followed: with its own signature to the same host, without one to another. */
export const redirects: readonly Case[] = [
  redirect('302 of a GET to the same host', { status: 302, method: 'GET', isSameHost: true }),
  redirect('307 of a POST to the same host', { status: 307, method: 'POST', isSameHost: true }),
  redirect('302 of a GET to another host', { status: 302, method: 'GET', isSameHost: false }),
  redirect('307 of a POST to another host', { status: 307, method: 'POST', isSameHost: false }),
];

interface Redirect {
  readonly status: number;
  readonly method: 'GET' | 'POST';
  readonly isSameHost: boolean;
}

const signatureHeaders = ['signature', 'signature-input', 'content-digest'];

function redirect(name: string, { status, method, isSameHost }: Redirect): Case {
  return {
    name: `redirect: ${name}`,
    program: 'one',
    async run({ scene, sendAndSee }) {
      const place = isSameHost ? scene.api : scene.stranger;
      const target = `/moved/${crypto.randomUUID()}`;
      const to = (isSameHost ? scene.baseUrl : scene.stranger.address) + target;
      const from = `${paths.redirect}${status}/${crypto.randomUUID()}`;
      const body = method === 'POST' ? Buffer.from(`{"id":"${crypto.randomUUID()}"}`) : undefined;
      const { answer } = await sendAndSee({
        method,
        url: `${scene.baseUrl}${from}?${encodeURIComponent(to)}`,
        body,
      });
      const first = scene.api.arrivals.filter((one) => one.target.startsWith(from));
      if (first.length !== 1) return wrong(`the request arrived ${first.length} times: ${textOf(answer)}`);
      const followed = place.arrivals.filter((one) => one.target === target);
      if (followed.length === 0 && answer.status === status) return { kind: 'right', note: 'handed back' };
      return judgeFollowed(answer, followed, { method, body, isSameHost });
    },
  };
}

function judgeFollowed(
  answer: TableAnswer,
  followed: readonly Arrival[],
  {
    method,
    body = new Uint8Array(),
    isSameHost,
  }: Omit<Redirect, 'status'> & { body?: Uint8Array | undefined },
): Cell {
  const [arrival, ...others] = followed;
  if (arrival === undefined) return wrong(textOf(answer));
  if (others.length > 0) return wrong(`the redirected request arrived ${followed.length} times`);
  if (arrival.method !== method || !arrival.body.equals(body))
    return wrong(`the redirected request arrived as ${arrival.method} with ${arrival.body.length} bytes`);
  const sent = signatureHeaders.filter((name) => arrival.values(name).length > 0);
  if (!isSameHost && sent.length > 0) return wrong(`the other host received ${sent.join(', ')}`);
  if (answer.status !== 200 || bodyOf(answer) !== echoOf(arrival)) return wrong(textOf(answer));
  return { kind: 'right', note: isSameHost ? 'followed' : 'followed unsigned' };
}
