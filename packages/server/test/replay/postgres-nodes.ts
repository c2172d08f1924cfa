import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { UsedSignature } from '@countersign/signature/node';
import {
  openPostgresGuard,
  type PostgresReplayGuard,
  type PostgresReplayGuardOptions,
} from '../../src/replay/postgres-guard.ts';

/** Guards of several nodes on one database; closed when the test ends. */
export async function openNodes(
  t: Pick<TestContext, 'after'>,
  url: string,
  count: number,
  options: Partial<PostgresReplayGuardOptions> = {},
): Promise<readonly PostgresReplayGuard[]> {
  const guards = await Promise.all(
    Array.from({ length: count }, () =>
      openPostgresGuard({ url, nodes: count, timeoutMs: 5000, ...options }),
    ),
  );
  t.after(async () => {
    await Promise.all(guards.map((guard) => guard.close()));
  });
  return guards;
}

/** The time by the wall clock, in Unix seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** A signature that nobody has used, created now unless said otherwise. */
export function newSignature(more: Partial<UsedSignature> = {}): UsedSignature {
  return {
    id: randomBytes(16).toString('latin1'),
    keyid: 'client',
    created: nowSeconds(),
    isSafe: false,
    ...more,
  };
}

/** The code of the rejection, or `accepted`. */
export async function outcome(guard: PostgresReplayGuard, signature: UsedSignature): Promise<string> {
  return (await guard.use(signature, nowSeconds()))?.code ?? 'accepted';
}

/** How often each outcome came. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Map.groupBy(outcomes, (each) => each)
      .entries()
      .map(([each, all]) => [each, all.length]),
  );
}
