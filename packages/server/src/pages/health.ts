import type { Answer, ReceivedHead } from '@countersign/gate';
import { type FindPage, isReading } from './page-route.ts';

/** A node is ready if it can do its work now; otherwise `reason` says why not. */
export interface Health {
  readonly ready: boolean;
  readonly reason?: string;
}

/**
 * Serves `/live` (the process runs) and `/ready` (it can decide; 503 if not, so that a load balancer uses another
 * node).
 */
export function healthPages(health: () => Health): FindPage {
  return (head) => {
    const answer = isReading(head) ? healthAnswer(head.target, health) : undefined;
    return answer && { kind: 'health', admit: () => ({ ok: true, sender: {}, answer: () => answer }) };
  };
}

/** Answers the same for a request that names none of our base URLs, because load balancers call nodes by address. */
export function foreignHealth({ method, url = '' }: ReceivedHead, health: () => Health): Answer | undefined {
  return method === 'GET' || method === 'HEAD' ? healthAnswer(url, health) : undefined;
}

function healthAnswer(target: string, health: () => Health): Answer | undefined {
  if (target === '/live') return { status: 200, body: { status: 'ok' } };
  if (target !== '/ready') return undefined;
  const { ready, reason } = health();
  return { status: ready ? 200 : 503, body: { status: ready ? 'ok' : 'unavailable', reason } };
}
