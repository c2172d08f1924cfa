import type { AccountStatus, AuditAction } from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { type AccountRecord, readAccount } from './accounts.ts';
import { recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { checkVersion } from './client-change.ts';
import { endClients } from './client-states.ts';
import type { ChangeContext } from './context.ts';

export type AccountTransition = 'suspend' | 'resume' | 'close';

interface Transition {
  readonly from: readonly AccountStatus[];
  readonly to: AccountStatus;
  readonly action: AuditAction;
}

/** Every allowed transition. A closed account stays closed. */
const transitions: Readonly<Record<AccountTransition, Transition>> = {
  suspend: { from: ['active'], to: 'suspended', action: 'account.suspended' },
  resume: { from: ['suspended'], to: 'active', action: 'account.resumed' },
  close: { from: ['active', 'suspended'], to: 'closed', action: 'account.closed' },
};

export interface AccountStateChange {
  readonly accountId: string;
  readonly transition: AccountTransition;
  /** The reason, as shown to the customer. */
  readonly reason: string;
  /** The account of the caller, which gets an audit event too. */
  readonly operatorAccountId: string;
}

/**
 * Suspends, resumes or closes a customer's account. Closing ends its clients and keys and withdraws its open
 * invitations; its requests and audit events are kept for as long as those of any other account.
 *
 * @throws RegistryError `account_unknown`, `version_changed`, `account_state_conflict`
 */
export async function moveAccount(
  database: Database,
  { accountId, transition, reason, operatorAccountId }: AccountStateChange,
  initialContext: ChangeContext,
): Promise<AccountRecord> {
  const { from, to, action } = transitions[transition];
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await readAccount(transaction, accountId);
    checkVersion(account.version, context);
    if (account.isOperator) throw conflict("The operator's own account can be neither suspended nor closed.");
    if (!from.includes(account.status)) throw conflict(`The account is ${account.status}.`);
    const { nowMs, actor } = context;
    if (to === 'closed') {
      await endClients(transaction, accountId, { nowMs, actor, needsNoSecondPerson: true });
      await transaction
        .deleteFrom('invitations')
        .where('account_id', '=', accountId)
        .where('accepted_at_ms', 'is', null)
        .execute();
    }
    const change = {
      subject: 'account',
      subjectId: accountId,
      action,
      targets: [{ type: 'account', id: accountId }],
      before: { status: account.status },
      after: { status: to, reason },
    } as const;
    await recordAudited(transaction, { ...change, accountId: operatorAccountId }, context);
    const version = await recordAudited(transaction, { ...change, accountId }, context);
    await transaction
      .updateTable('accounts')
      .set({
        status: to,
        status_reason: to === 'active' ? null : reason,
        status_changed_at_ms: nowMs,
        updated_at_ms: nowMs,
        version,
      })
      .where('account_id', '=', accountId)
      .execute();
    return readAccount(transaction, accountId);
  });
}

function conflict(message: string): RegistryError {
  return new RegistryError('account_state_conflict', message);
}
