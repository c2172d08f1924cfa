import { actingMinutes } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { readAccount } from '../../registry/store/accounts.ts';
import { recordAudited } from '../../registry/store/audit.ts';
import { changeFor } from '../../registry/store/caller.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import { peopleAccount } from './people-rules.ts';

/** A session that acts for an account. */
export interface ActingRecord {
  readonly accountId: string;
  readonly accountName: string;
  readonly reason: string;
  readonly endsAtMs: number;
}

/**
 * Lets a session act for a customer's account for a while, and ends its acting for any other account. The
 * customer's audit log shows who acts, why and until when.
 *
 * @throws RegistryError `account_unknown`
 */
export async function startActing(
  database: Database,
  { accountId, reason }: { readonly accountId: string; readonly reason: string },
  sessionId: string,
  initialContext: ChangeContext,
): Promise<ActingRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const own = await peopleAccount(transaction, context);
    const account = await readAccount(transaction, accountId);
    // Acting is only possible from the operator's account, and only for customers.
    if (!own.isOperator || account.isOperator) {
      throw new RegistryError('account_unknown', "Specify a customer's accountId.", {
        member: ['accountId'],
      });
    }
    await end(transaction, sessionId, context);
    const { nowMs } = context;
    const endsAtMs = nowMs + actingMinutes * 60_000;
    await transaction
      .insertInto('acting_sessions')
      .values({
        session_id: sessionId,
        account_id: accountId,
        reason,
        started_at_ms: nowMs,
        ends_at_ms: endsAtMs,
      })
      .execute();
    const endsAt = new Date(endsAtMs).toISOString();
    await record(transaction, 'acting.started', accountId, { after: { reason, endsAt } }, reason, context);
    return { accountId, accountName: account.name, reason, endsAtMs };
  });
}

/**
 * Stops a session from acting for an account.
 *
 * @throws RegistryError `acting_unknown` if it acts for none
 */
export async function endActing(
  database: Database,
  sessionId: string,
  initialContext: ChangeContext,
): Promise<ActingRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const ended = await end(transaction, sessionId, context);
    if (ended === undefined)
      throw new RegistryError('acting_unknown', 'The session is not acting for an account.');
    return ended;
  });
}

/**
 * Ends acting. An expired record is only deleted, not audited, because the customer's audit log already says
 * when it ended.
 */
async function end(
  transaction: Transaction<Schema>,
  sessionId: string,
  context: ChangeContext,
): Promise<ActingRecord | undefined> {
  const row = await transaction
    .selectFrom('acting_sessions')
    .innerJoin('accounts', 'accounts.account_id', 'acting_sessions.account_id')
    .select(['acting_sessions.account_id', 'accounts.name', 'reason', 'ends_at_ms'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await transaction.deleteFrom('acting_sessions').where('session_id', '=', sessionId).execute();
  if (row.ends_at_ms <= context.nowMs) return undefined;
  const { account_id: accountId, name: accountName, reason, ends_at_ms: endsAtMs } = row;
  await record(transaction, 'acting.ended', accountId, { before: { reason } }, reason, context);
  return { accountId, accountName, reason, endsAtMs };
}

async function record(
  transaction: Transaction<Schema>,
  action: 'acting.started' | 'acting.ended',
  accountId: string,
  state: { readonly before: object } | { readonly after: object },
  reason: string,
  context: ChangeContext,
): Promise<void> {
  const actor = { ...context.actor, actingReason: reason };
  await recordAudited(
    transaction,
    {
      subject: 'member',
      subjectId: context.actor.id,
      accountId,
      action,
      targets: [{ type: 'account', id: accountId }],
      ...(state as { before?: Record<string, unknown>; after?: Record<string, unknown> }),
    },
    { ...context, actor },
  );
}
