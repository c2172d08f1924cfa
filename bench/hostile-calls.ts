import { lonePublicKey } from '@countersign/testing/test-keys';

/** A request that causes much work. */
export interface HostileCall {
  readonly method: string;
  readonly target: string;
  readonly body?: string;
}

const entries = (count: number): readonly { readonly entry: string }[] =>
  Array.from({ length: count }, (_, index) => ({ entry: `10.9.${index >> 8}.${index & 255}` }));

/** The most expensive requests, as `npm run test:cost` finds them. */
export const hostileCalls: readonly HostileCall[] = [
  { method: 'GET', target: '/v1/requests?limit=100&search=zzzz' },
  { method: 'GET', target: '/v1/requests?limit=100&sort=durationMs&search=zzzz' },
  { method: 'GET', target: '/v1/requests?limit=10000&format=csv' },
  { method: 'GET', target: '/v1/request-totals?search=zzzz' },
  { method: 'GET', target: '/v1/clients?limit=100&search=2001%3Adb8%3A%3A7' },
  { method: 'GET', target: '/v1/audit-events?limit=10000&format=ndjson' },
  { method: 'POST', target: '/v1/keys/inspect', body: JSON.stringify({ publicKey: lonePublicKey(4096) }) },
  {
    method: 'POST',
    target: '/v1/client-imports',
    body: JSON.stringify({
      dryRun: true,
      clients: Array.from({ length: 100 }, () => ({ name: 'Imported', networkWhitelist: entries(150) })),
    }),
  },
  {
    method: 'POST',
    target: '/v1/roles',
    body: JSON.stringify(Array.from({ length: 10 }, () => 'MIIB'.repeat(11_000))),
  },
  { method: 'POST', target: '/v1/signature-test', body: 'x'.repeat(1_000_000) },
];
