import { isProblemCode, problems } from '@countersign/contract';
import type { RequestMetrics } from './metrics.ts';
import type { PartTimes } from './part-times.ts';

/** Records how long requests and upstreams take, and passes it on to the metrics, if they are enabled. */
export function measuredRequests(times: PartTimes, metrics: RequestMetrics | undefined): RequestMetrics {
  return {
    answered(outcome, durationMs, isObserved) {
      const isFailed = isProblemCode(outcome) && problems[outcome].status >= 500;
      if (durationMs !== undefined && outcome !== 'page') times.requests.note(durationMs, isFailed);
      metrics?.answered(outcome, durationMs, isObserved);
    },
    handled(durationMs, upstream) {
      if (upstream !== undefined) times.upstream(upstream).note(durationMs);
      metrics?.handled(durationMs, upstream);
    },
  };
}
