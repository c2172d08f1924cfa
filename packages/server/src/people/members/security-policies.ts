import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { limitAfter } from '../../registry/store/account-rules.ts';
import { readAccount, recordOfAccount } from '../../registry/store/accounts.ts';
import { difference, type Difference } from '../../registry/store/audit.ts';
import { changeFor } from '../../registry/store/caller.ts';
import { checkVersion } from '../../registry/store/client-change.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import { type NetworkInput, type NetworkRecord, readEntries } from '../../registry/store/networks.ts';
import {
  addressInWords,
  isAllowedFrom,
  readPortalNetworks,
  writePortalNetworks,
} from '../../registry/store/portal-networks.ts';
import { countApprovers, requireSecondPerson } from '../../registry/store/second-person.ts';
import { withdrawApprovers } from './invitations.ts';
import { type PeopleAccount, peopleAccount } from './people-rules.ts';

/** An account's requirements for its people and keys. */
export interface PolicyRecord {
  readonly isSecondFactorRequired: boolean;
  /** Undefined if the account has no limit of its own. */
  readonly sessionHoursMax: number | undefined;
  /** Undefined if keys do not end by age. */
  readonly keyAgeDaysMax: number | undefined;
  /** The networks from which members may use the account; none for everywhere. */
  readonly portalNetworks: readonly NetworkRecord[];
  /** Undefined if requests are kept as long as the service keeps them. */
  readonly requestsKeptDays: number | undefined;
  /** True if risky changes wait for a second person. */
  readonly isSecondPersonRequired: boolean;
  /** The account's version. */
  readonly version: number;
}

/** Changes to a policy; `null` removes a limit. */
export interface PolicyUpdate {
  readonly isSecondFactorRequired?: boolean | undefined;
  readonly sessionHoursMax?: number | null | undefined;
  readonly keyAgeDaysMax?: number | null | undefined;
  readonly portalNetworks?: readonly NetworkInput[] | undefined;
  readonly requestsKeptDays?: number | null | undefined;
  readonly isSecondPersonRequired?: boolean | undefined;
}

/** Reads an account's policy. An account without a row requires nothing of people. */
export async function readPolicy(database: Database, accountId: string): Promise<PolicyRecord> {
  const { keyAgeDaysMax, version } = await readAccount(database, accountId);
  const row = await database
    .selectFrom('security_policies')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return {
    isSecondFactorRequired: row?.is_second_factor_required === 1,
    sessionHoursMax: row?.session_hours_max ?? undefined,
    keyAgeDaysMax,
    portalNetworks: readPortalNetworks(row?.portal_networks),
    requestsKeptDays: row?.requests_kept_days ?? undefined,
    isSecondPersonRequired: row?.is_second_person_required === 1,
    version,
  };
}

/**
 * Changes the policy of the caller's account. Applies from the next request on.
 *
 * @throws RegistryError `version_changed`, `own_address_excluded`
 */
export async function updatePolicy(
  database: Database,
  change: PolicyUpdate,
  initialContext: ChangeContext,
): Promise<PolicyRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const { accountId } = account;
    const policy = await readPolicy(transaction, accountId);
    checkVersion(policy.version, context);
    const { version: _version, ...before } = policy;
    const next = {
      isSecondFactorRequired: change.isSecondFactorRequired ?? before.isSecondFactorRequired,
      sessionHoursMax: limitAfter(change.sessionHoursMax, before.sessionHoursMax),
      keyAgeDaysMax: limitAfter(change.keyAgeDaysMax, before.keyAgeDaysMax),
      portalNetworks:
        change.portalNetworks === undefined ? before.portalNetworks : readEntries(change.portalNetworks),
      requestsKeptDays: limitAfter(change.requestsKeptDays, before.requestsKeptDays),
      isSecondPersonRequired: change.isSecondPersonRequired ?? before.isSecondPersonRequired,
    };
    checkOwnAddress(next.portalNetworks, context);
    const differs = difference(before, next);
    if (differs === undefined) return policy;
    if (next.isSecondPersonRequired !== before.isSecondPersonRequired)
      await switchSecondPerson(transaction, account, next.isSecondPersonRequired, differs, context);
    await write(transaction, accountId, next);
    const audited = { action: 'policy.updated', ...differs } as const;
    const version = await recordOfAccount(transaction, accountId, audited, context);
    return { ...next, version };
  });
}

/**
 * Nobody locks themselves out. Someone who acts for the account is not bound by its networks, so they can also
 * save a list without their own address.
 */
function checkOwnAddress(networks: readonly NetworkRecord[], { caller, actor }: ChangeContext): void {
  if (caller?.kind !== 'person' || actor.actingReason !== undefined) return;
  if (isAllowedFrom(networks, caller.address)) return;
  const reason = `this request comes from ${addressInWords(caller.address)}, which the list does not allow`;
  throw new RegistryError('own_address_excluded', reason);
}

/**
 * Switches on that changes wait for a second person, if there is one; or off, which waits itself. If the second person has left,
 * someone of the provider who acts for the account can switch it off alone, with the reason that the audit log shows.
 */
async function switchSecondPerson(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  isOn: boolean,
  differs: Difference,
  context: ChangeContext,
): Promise<void> {
  const hasSecond = (await countApprovers(transaction, account)) > 1;
  if (isOn) {
    if (!hasSecond) {
      throw new RegistryError(
        'second_person_missing',
        'Only one member can approve every change: give a second person such a role first.',
      );
    }
    await withdrawApprovers(transaction, account, context);
    return;
  }
  if (!hasSecond && context.actor.actingReason !== undefined) return;
  const { accountId, name } = account;
  const target = { type: 'account', id: accountId, name } as const;
  await requireSecondPerson(transaction, { accountId, target, ...differs }, context);
}

async function write(
  transaction: Transaction<Schema>,
  accountId: string,
  {
    isSecondFactorRequired,
    sessionHoursMax,
    keyAgeDaysMax,
    portalNetworks,
    requestsKeptDays,
    isSecondPersonRequired,
  }: Omit<PolicyRecord, 'version'>,
): Promise<void> {
  const row = {
    is_second_factor_required: isSecondFactorRequired ? 1 : 0,
    session_hours_max: sessionHoursMax ?? null,
    portal_networks: writePortalNetworks(portalNetworks),
    requests_kept_days: requestsKeptDays ?? null,
    is_second_person_required: isSecondPersonRequired ? 1 : 0,
  } as const;
  await transaction
    .insertInto('security_policies')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
  await transaction
    .updateTable('accounts')
    .set({ key_age_days_max: keyAgeDaysMax ?? null })
    .where('account_id', '=', accountId)
    .execute();
}
