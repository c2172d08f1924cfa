import { explainRequest } from '@countersign/explain/node';
import { EventStreams } from '../../src/live/event-streams.ts';
import { clientProfilesOf } from '../../src/configuration/accepted-profiles.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { type Api, createApi } from '../../src/api/api.ts';
import type { ApiOptions } from '../../src/api/parts.ts';
import { openWebhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { version } from '../../src/lifecycle/version.ts';

/** The API on a database, without the service around it: a node that has just begun, without a portal. */
export function apiOn(database: Database, changed: Partial<ApiOptions> = {}): Api {
  const startedAt = new Date().toISOString();
  return createApi({
    database,
    requestsKeptDays: 30,
    paymentsCompleteAfterSeconds: 30,
    keyPolicy: {},
    profiles: clientProfilesOf([]),
    requestLimit: { requestsPerMinuteMax: 6000, requestsBurstMax: 1000 },
    followChange: async () => undefined,
    explaining: {
      explain: async ({ request, candidates, options }) => ({
        explanation: explainRequest(request, candidates, options),
        durationMs: 0,
        cpuMs: 0,
      }),
      options: () => ({}),
    },
    findStrangersRequest: () => undefined,
    health: () => ({
      isReady: true,
      version: version(),
      startedAt,
      database: 'sqlite',
      guard: 'memory',
      registry: { clients: 0, ageMs: 0 },
      mail: 'folder',
      requestLog: { dropped: 0, queued: 0 },
      explanations: { explained: 0, skipped: 0 },
      parts: [],
    }),
    settings: () => [],
    webhooks: { trustedOrigins: new Set(), secrets: openWebhookSecrets(undefined) },
    eventStreams: new EventStreams({ database, nowMs: Date.now, onError: () => undefined }),
    people: undefined,
    ...changed,
  });
}
