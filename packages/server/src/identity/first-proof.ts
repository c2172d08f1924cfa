import type { Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { forgetFor, forgetValue } from './one-time.ts';
import { endSessions } from './sessions.ts';

/**
 * Ends everything that could sign in as a person until now, and notes that its email address is proved. For the moment in
 * which somebody proves for the first time to have that address: whoever has set up what was there before never did, and may
 * be the inviter, who was shown the link. To be called while the person is held.
 *
 * Not undone: what was done in the name of the person, which stands in the audit logs.
 */
export async function endUnprovedSignIn(
  transaction: Transaction<Schema>,
  userId: string,
  nowMs: number,
): Promise<void> {
  await transaction
    .deleteFrom('person_credentials')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute();
  for (const table of ['person_passkeys', 'person_second_factors', 'person_recovery_codes'] as const)
    await transaction.deleteFrom(table).where('user_id', '=', userId).execute();
  // For whom a session acts ends with it.
  await endSessions(transaction, userId, 'all');
  // What was begun, and would be finished with one of these.
  await forgetValue(transaction, 'sign-in', userId);
  await forgetValue(transaction, 'password-reset', userId);
  await forgetFor(transaction, 'totp', userId);
  await transaction
    .updateTable('persons')
    .set({ is_email_verified: 1, updated_at_ms: nowMs })
    .where('user_id', '=', userId)
    .execute();
}
