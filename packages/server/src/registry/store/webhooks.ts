import { newId, permissionsForEvents, webhookLimits, type WebhookStatus } from '@countersign/contract';
import type { Selectable, Transaction, Updateable } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import type { WebhooksTable } from '../webhook-tables.ts';
import { readAccount } from './accounts.ts';
import { difference, recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { changeRegistry } from './changes.ts';
import { checkVersion } from './client-change.ts';
import type { ChangeContext } from './context.ts';
import { permissionsToRead } from './event-permissions.ts';
import { readEventTypes, storedEventTypes } from './event-types.ts';
import { checkGrant } from './roles.ts';
import {
  changedHeaders,
  type HeaderChange,
  readHeaders,
  type SealedHeaders,
  shownHeaders,
  storedHeaders,
} from './webhook-headers.ts';

/** What an owner decides about a webhook. */
export interface WebhookContent {
  /** Checked by the caller: where it may lead is the operator's decision. */
  readonly url: string;
  readonly description: string;
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null;
  readonly isOrdered: boolean;
  readonly isForAllAccounts: boolean;
  /** Null for no limit. */
  readonly attemptsPerMinuteMax: number | null;
}

/** A URL that an account is told its events at. */
export interface WebhookRecord extends WebhookContent {
  readonly webhookId: string;
  readonly accountId: string;
  /** The names of its custom headers, in lower case and in order. */
  readonly headerNames: readonly string[];
  readonly status: WebhookStatus;
  readonly disabledReason: string | undefined;
  readonly failingSinceMs: number | undefined;
  /** Until when the secret from before a rotation also signs; undefined if there is none. */
  readonly previousSecretEndsAtMs: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** A webhook to add. */
export interface NewWebhook extends WebhookContent {
  readonly isPaused: boolean;
  /** Returns the secret as it is stored. */
  readonly sealSecret: (webhookId: string) => string;
  /** Returns its custom headers as they are stored. Default: it has none. */
  readonly sealHeaders?: (webhookId: string) => HeaderChange;
}

/** What changes of a webhook. */
export type WebhookUpdate = {
  readonly [Member in keyof WebhookContent]?: WebhookContent[Member] | undefined;
} & {
  /** Custom headers to set or remove, with the values as they are stored. */
  readonly headers?: HeaderChange | undefined;
};

/** Lists an account's webhooks, oldest first. */
export async function listWebhooks(
  database: Database,
  page: { readonly accountId: string; readonly afterId?: string | undefined; readonly limit: number },
): Promise<readonly WebhookRecord[]> {
  let query = database.selectFrom('webhooks').selectAll().where('account_id', '=', page.accountId);
  if (page.afterId !== undefined) query = query.where('webhook_id', '>', page.afterId);
  const rows = await query.orderBy('webhook_id').limit(page.limit).execute();
  return rows.map(webhookOf);
}

/**
 * Reads one webhook.
 *
 * @param accountId the only account whose webhooks are visible; undefined for every account
 * @throws RegistryError `webhook_unknown`
 */
export async function readWebhook(
  database: Database,
  webhookId: string,
  accountId: string | undefined,
): Promise<WebhookRecord> {
  const row = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  if (row === undefined || (accountId !== undefined && row.account_id !== accountId))
    throw new RegistryError('webhook_unknown', 'There is no such webhook: check the webhookId.');
  return webhookOf(row);
}

/**
 * Adds a webhook to an account. The caller needs the permission of each type that it wants, because it shows others what
 * these permissions let people read.
 *
 * @throws RegistryError `account_unknown`, `webhooks_too_many`, `permission_not_held`, `webhook_invalid`
 */
export async function addWebhook(
  database: Database,
  accountId: string,
  webhook: NewWebhook,
  initialContext: ChangeContext,
): Promise<WebhookRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    await checkWanted(transaction, accountId, webhook, context);
    await checkRoom(transaction, accountId);
    const { isPaused, sealSecret, sealHeaders, ...content } = webhook;
    const webhookId = newId('webhook', context.nowMs);
    const headers = changedHeaders({}, sealHeaders?.(webhookId) ?? {});
    // Recorded first, so that a webhook is not told of itself.
    const version = await record(
      transaction,
      'webhook.added',
      { webhookId, accountId },
      { after: { ...shownContent(content), headers: shownHeaders(Object.keys(headers)) } },
      context,
    );
    await transaction
      .insertInto('webhooks')
      .values({
        webhook_id: webhookId,
        account_id: accountId,
        ...columnsOf(content),
        headers: storedHeaders(headers),
        status: isPaused ? 'paused' : 'active',
        disabled_reason: null,
        secret: sealSecret(webhookId),
        failing_since_ms: null,
        created_at_ms: context.nowMs,
        updated_at_ms: context.nowMs,
        version,
      })
      .execute();
    return readWebhook(transaction, webhookId, undefined);
  });
}

/**
 * Changes a webhook. What already waits is sent to the new URL, so the caller must be allowed to read it too. At another origin, only the custom headers of this change
 * are sent: otherwise, someone who may change webhooks could have the others sent to a server of their own, and read them.
 *
 * @throws RegistryError `webhook_unknown`, `version_changed`, `permission_not_held`, `webhook_invalid`
 */
export async function updateWebhook(
  database: Database,
  webhookId: string,
  change: WebhookUpdate,
  initialContext: ChangeContext,
): Promise<WebhookRecord> {
  return changeWebhook(database, webhookId, initialContext, async (transaction, webhook, context) => {
    const next = contentAfter(webhook, change);
    const given = change.headers ?? {};
    const isElsewhere = new URL(next.url).origin !== new URL(webhook.url).origin;
    const present = isElsewhere ? {} : await presentHeaders(transaction, webhookId);
    const headers = changedHeaders(present, given);
    const isReplaced = (name: string): boolean =>
      Object.hasOwn(given, name) && webhook.headerNames.includes(name);
    const differs = difference(shownWebhook(webhook), {
      ...shownContent(next),
      headers: shownHeaders(Object.keys(headers), isReplaced),
    });
    if (differs === undefined) return undefined;
    // Another URL shows the same events to someone else.
    await checkWanted(transaction, webhook.accountId, next, context);
    if (next.url !== webhook.url) await checkWaiting(transaction, webhook, context);
    const version = await record(transaction, 'webhook.updated', webhook, differs, context);
    // Another receiver has not failed.
    const columns = { ...columnsOf(next), headers: storedHeaders(headers) };
    return { ...columns, ...(next.url !== webhook.url && { held_until_ms: 0 }), version };
  });
}

/**
 * Removes a webhook with its deliveries. Returns it as it was.
 *
 * @throws RegistryError `webhook_unknown`, `version_changed`
 */
export async function removeWebhook(
  database: Database,
  webhookId: string,
  initialContext: ChangeContext,
): Promise<WebhookRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const webhook = await readWebhook(transaction, webhookId, context.accountId);
    checkVersion(webhook.version, context);
    await transaction.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute();
    await record(transaction, 'webhook.removed', webhook, { before: shownWebhook(webhook) }, context);
    return webhook;
  });
}

/**
 * Pauses or resumes a webhook. Resuming also enables a disabled one. Does nothing if it already is in that state, and
 * leaves a disabled one disabled when it is paused.
 *
 * @throws RegistryError `webhook_unknown`, `version_changed`
 */
export async function moveWebhook(
  database: Database,
  webhookId: string,
  to: 'active' | 'paused',
  initialContext: ChangeContext,
): Promise<WebhookRecord> {
  return changeWebhook(database, webhookId, initialContext, async (transaction, webhook, context) => {
    const { status } = webhook;
    if (status === to || (to === 'paused' && status === 'disabled')) return undefined;
    const action = to === 'active' ? 'webhook.resumed' : 'webhook.paused';
    const differs = { before: { status }, after: { status: to } };
    const version = await record(transaction, action, webhook, differs, context);
    const fresh = {
      disabled_reason: null,
      failing_since_ms: null,
      blocked_until_ms: 0,
      failure_count: 0,
      held_until_ms: 0,
      probe_delivery_id: null,
    };
    return { status: to, ...(to === 'active' && fresh), version };
  });
}

/**
 * Gives a webhook a new secret. The present one also signs for a while, and one from before an earlier rotation no longer.
 *
 * @param rotation the new secret as it is stored, and how long the present one signs
 * @throws RegistryError `webhook_unknown`
 */
export async function rotateWebhookSecret(
  database: Database,
  webhookId: string,
  { sealed, overlapSeconds }: { readonly sealed: string; readonly overlapSeconds: number },
  initialContext: ChangeContext,
): Promise<WebhookRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const webhook = await readWebhook(transaction, webhookId, context.accountId);
    const { secret } = await transaction
      .selectFrom('webhooks')
      .select('secret')
      .where('webhook_id', '=', webhookId)
      .executeTakeFirstOrThrow();
    const differs = { after: { overlapSeconds } };
    const version = await record(transaction, 'webhook.secret_rotated', webhook, differs, context);
    const previous =
      overlapSeconds === 0
        ? { previous_secret: null, previous_secret_until_ms: null }
        : { previous_secret: secret, previous_secret_until_ms: context.nowMs + overlapSeconds * 1000 };
    await write(transaction, webhookId, { secret: sealed, ...previous, version }, context);
    return readWebhook(transaction, webhookId, undefined);
  });
}

/** Disables a webhook because its receiver failed for too long, or is gone. Does nothing if it is not active. */
export async function disableWebhook(
  database: Database,
  webhookId: string,
  reason: string,
  context: ChangeContext,
): Promise<boolean> {
  return changeRegistry(database, async (transaction) => {
    const row = await transaction
      .selectFrom('webhooks')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where('status', '=', 'active')
      .executeTakeFirst();
    if (row === undefined) return false;
    const differs = { before: { status: 'active' }, after: { status: 'disabled', reason } };
    const version = await record(transaction, 'webhook.disabled', webhookOf(row), differs, context);
    await write(transaction, webhookId, { status: 'disabled', disabled_reason: reason, version }, context);
    return true;
  });
}

type Columns = Omit<Updateable<WebhooksTable>, 'updated_at_ms'> & { readonly version: number };

async function changeWebhook(
  database: Database,
  webhookId: string,
  initialContext: ChangeContext,
  change: (
    transaction: Transaction<Schema>,
    webhook: WebhookRecord,
    context: ChangeContext,
  ) => Promise<Columns | undefined>,
): Promise<WebhookRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const webhook = await readWebhook(transaction, webhookId, context.accountId);
    checkVersion(webhook.version, context);
    const columns = await change(transaction, webhook, context);
    if (columns === undefined) return webhook;
    await write(transaction, webhookId, columns, context);
    return readWebhook(transaction, webhookId, undefined);
  });
}

async function write(
  transaction: Transaction<Schema>,
  webhookId: string,
  columns: Columns,
  { nowMs }: ChangeContext,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ ...columns, updated_at_ms: nowMs })
    .where('webhook_id', '=', webhookId)
    .execute();
}

/**
 * Checks that the caller may read what a webhook wants.
 *
 * @throws RegistryError `permission_not_held`, `webhook_invalid`
 */
async function checkWanted(
  transaction: Transaction<Schema>,
  accountId: string,
  { eventTypes, isForAllAccounts }: WebhookContent,
  { grantable }: ChangeContext,
): Promise<void> {
  const { isOperator } = await readAccount(transaction, accountId);
  if (isForAllAccounts && !isOperator)
    throw new RegistryError(
      'webhook_invalid',
      "Only the operator's webhooks can get the events of all accounts.",
      {
        member: ['isForAllAccounts'],
      },
    );
  if (grantable === undefined) return;
  checkGrant(
    [...permissionsForEvents(eventTypes), ...(isForAllAccounts ? (['accounts:read'] as const) : [])],
    grantable,
  );
}

/**
 * Checks that the caller may read what waits to be sent to a webhook.
 *
 * @throws RegistryError `permission_not_held`
 */
async function checkWaiting(
  transaction: Transaction<Schema>,
  { webhookId, accountId }: WebhookRecord,
  { grantable }: ChangeContext,
): Promise<void> {
  if (grantable === undefined) return;
  const events = await transaction
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.event_id', 'webhook_deliveries.event_id')
    .select(['webhook_events.type as type', 'webhook_events.account_id as accountId'])
    .distinct()
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at_ms', 'is not', null)
    .execute();
  checkGrant(permissionsToRead(events, accountId), grantable);
}

async function checkRoom(transaction: Transaction<Schema>, accountId: string): Promise<void> {
  const rows = await transaction
    .selectFrom('webhooks')
    .select('webhook_id')
    .where('account_id', '=', accountId)
    .execute();
  if (rows.length < webhookLimits.perAccountMax) return;
  throw new RegistryError(
    'webhooks_too_many',
    `An account has at most ${webhookLimits.perAccountMax} webhooks.`,
  );
}

async function record(
  transaction: Transaction<Schema>,
  action: `webhook.${'added' | 'updated' | 'removed' | 'paused' | 'resumed' | 'disabled' | 'secret_rotated'}`,
  { webhookId, accountId }: Pick<WebhookRecord, 'webhookId' | 'accountId'>,
  differs: {
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
  },
  context: ChangeContext,
): Promise<number> {
  const targets = [{ type: 'webhook', id: webhookId } as const];
  const change = { subject: 'member', subjectId: webhookId, accountId, action, targets, ...differs } as const;
  return recordAudited(transaction, change, context);
}

function contentAfter(webhook: WebhookRecord, change: WebhookUpdate): WebhookContent {
  const { attemptsPerMinuteMax } = change;
  return {
    url: change.url ?? webhook.url,
    description: change.description ?? webhook.description,
    eventTypes: change.eventTypes === undefined ? webhook.eventTypes : change.eventTypes,
    isOrdered: change.isOrdered ?? webhook.isOrdered,
    isForAllAccounts: change.isForAllAccounts ?? webhook.isForAllAccounts,
    attemptsPerMinuteMax:
      attemptsPerMinuteMax === undefined ? webhook.attemptsPerMinuteMax : attemptsPerMinuteMax,
  };
}

async function presentHeaders(transaction: Transaction<Schema>, webhookId: string): Promise<SealedHeaders> {
  const { headers } = await transaction
    .selectFrom('webhooks')
    .select('headers')
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow();
  return readHeaders(headers);
}

/** The members that the audit log shows. */
function shownWebhook(webhook: WebhookRecord): Record<string, unknown> {
  return { ...shownContent(webhook), headers: shownHeaders(webhook.headerNames) };
}

function shownContent({
  url,
  description,
  eventTypes,
  isOrdered,
  isForAllAccounts,
  attemptsPerMinuteMax,
}: WebhookContent): Record<string, unknown> & Pick<WebhookContent, 'eventTypes'> {
  const types = eventTypes === null ? null : [...new Set(eventTypes)].toSorted();
  return { url, description, eventTypes: types, isOrdered, isForAllAccounts, attemptsPerMinuteMax };
}

function columnsOf(
  content: WebhookContent,
): Pick<
  Selectable<WebhooksTable>,
  'url' | 'description' | 'event_types' | 'is_ordered' | 'is_for_all_accounts' | 'attempts_per_minute_max'
> {
  const { eventTypes } = shownContent(content);
  return {
    url: content.url,
    description: content.description,
    event_types: storedEventTypes(eventTypes),
    is_ordered: content.isOrdered ? 1 : 0,
    is_for_all_accounts: content.isForAllAccounts ? 1 : 0,
    attempts_per_minute_max: content.attemptsPerMinuteMax,
  };
}

function webhookOf(row: Selectable<WebhooksTable>): WebhookRecord {
  return {
    webhookId: row.webhook_id,
    accountId: row.account_id,
    url: row.url,
    description: row.description,
    eventTypes: readEventTypes(row.event_types),
    isOrdered: row.is_ordered === 1,
    isForAllAccounts: row.is_for_all_accounts === 1,
    headerNames: Object.keys(readHeaders(row.headers)),
    attemptsPerMinuteMax: row.attempts_per_minute_max,
    status: row.status,
    disabledReason: row.disabled_reason ?? undefined,
    failingSinceMs: row.failing_since_ms ?? undefined,
    previousSecretEndsAtMs: row.previous_secret_until_ms ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    version: row.version,
  };
}
