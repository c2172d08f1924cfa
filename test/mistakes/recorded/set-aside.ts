import { seedOf } from './plan.ts';

/** Chosen once, before the first request was recorded. */
const seed = 'countersign-2026-11-22';

/** Recorded after the explainer had been built with the others, and set aside as a whole. */
const recordedLater = /^(?:rust\/.*|proxy\/(?:squid|trafficserver|envoy|traefik|nghttpx|h2o))$/;

/**
 * Returns true if a program belongs to the third that is never looked at while the explainer is built:
 * clients, JSON and form libraries, and proxies, each as a whole.
 */
export function isSetAside(program: string): boolean {
  return recordedLater.test(program) || seedOf(`${seed}:${program}`) % 4 === 0;
}
