import type { Answer, ReceivedHead } from '@countersign/gate';
import { type FindPage, isReading } from '../pages/page-route.ts';

/** The state of a node. */
export interface Health {
  /** False if a balancer should use another node. */
  readonly ready: boolean;
  /** False while every request is rejected. */
  readonly decides: boolean;
  /** Says what is wrong. */
  readonly reason?: string;
}

/** Serves `/live` (the process runs) and `/ready` (503 if a load balancer should use another node). */
export function healthPages(health: () => Health): FindPage {
  return (head) => {
    const answer = isReading(head) ? healthAnswer(head.target, health) : undefined;
    return answer && { kind: 'health', admit: () => ({ ok: true, sender: {}, answer: () => answer }) };
  };
}

/** Responds in the same way to a request for a foreign host, because load balancers call nodes by IP address. */
export function foreignHealth({ method, url = '' }: ReceivedHead, health: () => Health): Answer | undefined {
  return method === 'GET' || method === 'HEAD' ? healthAnswer(url, health) : undefined;
}

function healthAnswer(target: string, health: () => Health): Answer | undefined {
  if (target === '/live') return { status: 200, body: { status: 'ok' } };
  if (target !== '/ready') return undefined;
  const { ready, decides, reason } = health();
  const status = ready ? (decides ? 'ok' : 'degraded') : 'unavailable';
  return { status: ready ? 200 : 503, body: { status, reason } };
}
