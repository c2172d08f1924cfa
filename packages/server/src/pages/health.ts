import type { Answer, ReceivedHead } from '@countersign/gate';
import { type FindPage, isReading } from './page-route.ts';

/** Whether the node can do its work now, and if not, why. */
export interface Health {
  readonly ready: boolean;
  readonly reason?: string;
}

/** `/live` (the process runs) and `/ready` (it can decide; 503 if not, so that a balancer looks elsewhere). */
export function healthPages(health: () => Health): FindPage {
  return (head) => {
    const answer = isReading(head) ? healthAnswer(head.target, health) : undefined;
    return answer && { kind: 'health', admit: () => ({ ok: true, sender: {}, answer: () => answer }) };
  };
}

/** The same for a request that names no base URL: balancers ask by address. */
export function foreignHealth({ method, url = '' }: ReceivedHead, health: () => Health): Answer | undefined {
  return method === 'GET' || method === 'HEAD' ? healthAnswer(url, health) : undefined;
}

function healthAnswer(target: string, health: () => Health): Answer | undefined {
  if (target === '/live') return { status: 200, body: { status: 'ok' } };
  if (target !== '/ready') return undefined;
  const { ready, reason } = health();
  return { status: ready ? 200 : 503, body: { status: ready ? 'ok' : 'unavailable', reason } };
}
