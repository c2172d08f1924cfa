import type { StepUpProblem } from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import type { VouchedPerson } from '../identity-provider.ts';
import { linkedPerson } from './joining-vouched.ts';

/** A fresh proof that is awaited from the identity provider. */
export interface AwaitedProof {
  readonly sessionId: string;
  readonly userId: string;
  readonly begunAtMs: number;
}

/**
 * Notes in its session that the identity provider has just asked a person who it is; what it knew from before does not
 * count. Gives why it is no proof, undefined when it is one.
 */
export async function noteVouchedProof(
  database: Database,
  { subject, authenticatedAtMs }: VouchedPerson,
  { sessionId, userId, begunAtMs }: AwaitedProof,
  nowMs: number,
): Promise<StepUpProblem | undefined> {
  if ((await linkedPerson(database, subject))?.userId !== userId) return 'other-person';
  if (authenticatedAtMs === undefined) return 'proof-not-dated';
  const provedAtMs = pastTime(authenticatedAtMs, nowMs);
  if (provedAtMs === undefined || provedAtMs < begunAtMs - clockDifferenceMs) return 'proof-not-fresh';
  const { numUpdatedRows } = await database
    .updateTable('person_sessions')
    .set({ password_proved_at_ms: provedAtMs })
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? undefined : 'sign-in-expired';
}

/** A time that the provider says, by our clock: never later than now, and undefined when it is none of the past. */
export function pastTime(timeMs: number | undefined, nowMs: number): number | undefined {
  if (timeMs === undefined || timeMs > nowMs + clockDifferenceMs) return undefined;
  return Math.min(timeMs, nowMs);
}

/** The clock of the provider may differ by so much, and it counts whole seconds. */
const clockDifferenceMs = 60_000;
