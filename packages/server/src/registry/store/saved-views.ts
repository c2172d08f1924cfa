import { newId, savedViewLimits, searchNameOf } from '@countersign/contract';
import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { type AuditedChange, difference, recordAudited } from './audit.ts';
import { changeFor, notPermitted } from './caller.ts';
import type { ChangeContext } from './context.ts';

/** What an author decides about a view. */
export interface SavedViewContent {
  readonly name: string;
  /** In the form of `readSavedQuery`. */
  readonly query: string;
  readonly isShared: boolean;
}

/** Filters of the request log under a name. */
export interface SavedViewRecord extends SavedViewContent {
  readonly savedViewId: string;
  readonly accountId: string;
  readonly userId: string;
  /** The author's name; undefined once the person is gone. */
  readonly authorName: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A person in an account. */
export interface ViewReader {
  readonly accountId: string;
  readonly userId: string;
}

/** Lists what a person sees: their own views, and those that are shared with the account, by name. */
export async function listSavedViews(
  database: Database,
  { accountId, userId }: ViewReader,
): Promise<readonly SavedViewRecord[]> {
  const rows = await selectViews(database, accountId)
    .where((view) => view.or([view('saved_views.user_id', '=', userId), view('is_shared', '=', 1)]))
    .orderBy('search_name')
    .orderBy('saved_view_id')
    .execute();
  return rows.map(recordOf);
}

/**
 * Saves a view of a member. Nobody saves one in an account that they only act for: it would be left there.
 *
 * @throws RegistryError `caller_not_permitted`, `saved_view_name_taken`, `saved_views_full`
 */
export async function addSavedView(
  database: Database,
  content: SavedViewContent,
  initialContext: ChangeContext,
): Promise<SavedViewRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const reader = readerOf(context);
    if (context.actor.actingReason !== undefined)
      throw notPermitted('You cannot save views in an account that you are acting for.');
    await checkRoom(transaction, reader);
    if (content.isShared) await checkSharedRoom(transaction, reader.accountId);
    await checkNameIsFree(transaction, reader, content.name, undefined);
    const savedViewId = newId('view', context.nowMs);
    await transaction
      .insertInto('saved_views')
      .values({
        saved_view_id: savedViewId,
        account_id: reader.accountId,
        user_id: reader.userId,
        ...columnsOf(content),
        created_at_ms: context.nowMs,
        updated_at_ms: context.nowMs,
      })
      .execute();
    const view = await readSavedView(transaction, savedViewId, reader);
    if (view.isShared) await record(transaction, 'saved_view.shared', view, { after: shown(view) }, context);
    return view;
  });
}

/**
 * Changes a view. Only its author shares it, or ends that.
 *
 * @throws RegistryError `saved_view_unknown`, `caller_not_permitted`, `saved_view_name_taken`, `saved_views_full`
 */
export async function updateSavedView(
  database: Database,
  savedViewId: string,
  change: { readonly [Member in keyof SavedViewContent]?: SavedViewContent[Member] | undefined },
  initialContext: ChangeContext,
): Promise<SavedViewRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const reader = readerOf(context);
    const view = await readChangeable(transaction, savedViewId, context);
    const next: SavedViewContent = {
      name: change.name ?? view.name,
      query: change.query ?? view.query,
      isShared: change.isShared ?? view.isShared,
    };
    if (next.isShared !== view.isShared && view.userId !== reader.userId)
      throw notPermitted('Only the author of a view can stop sharing it. You can remove it.');
    const differs = difference(decided(view), decided(next));
    if (differs === undefined) return view;
    if (next.isShared && !view.isShared) await checkSharedRoom(transaction, view.accountId);
    if (next.name !== view.name) await checkNameIsFree(transaction, view, next.name, savedViewId);
    await transaction
      .updateTable('saved_views')
      .set({ ...columnsOf(next), updated_at_ms: context.nowMs })
      .where('saved_view_id', '=', savedViewId)
      .execute();
    await recordUpdate(transaction, view, next, context);
    return readSavedView(transaction, savedViewId, reader);
  });
}

/**
 * Removes a view. Returns it as it was.
 *
 * @throws RegistryError `saved_view_unknown`, `caller_not_permitted`
 */
export async function removeSavedView(
  database: Database,
  savedViewId: string,
  initialContext: ChangeContext,
): Promise<SavedViewRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const view = await readChangeable(transaction, savedViewId, context);
    await transaction.deleteFrom('saved_views').where('saved_view_id', '=', savedViewId).execute();
    if (view.isShared)
      await record(transaction, 'saved_view.unshared', view, { before: shown(view) }, context);
    return view;
  });
}

/** Removes the views that only a former member of an account sees. Those that are shared stay. */
export async function removeUnsharedViews(
  transaction: Transaction<Schema>,
  { accountId, userId }: ViewReader,
): Promise<void> {
  await transaction
    .deleteFrom('saved_views')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('is_shared', '=', 0)
    .execute();
}

function readerOf({ accountId, actor, memberRole }: ChangeContext): ViewReader {
  if (accountId === undefined || memberRole === undefined) throw notPermitted();
  return { accountId, userId: actor.id };
}

async function readSavedView(
  transaction: Transaction<Schema>,
  savedViewId: string,
  { accountId, userId }: ViewReader,
): Promise<SavedViewRecord> {
  const row = await selectViews(transaction, accountId)
    .where('saved_view_id', '=', savedViewId)
    .executeTakeFirst();
  // What others have not shared does not exist.
  if (row === undefined || (row.user_id !== userId && row.is_shared === 0))
    throw new RegistryError('saved_view_unknown', 'There is no such view.');
  return recordOf(row);
}

async function readChangeable(
  transaction: Transaction<Schema>,
  savedViewId: string,
  context: ChangeContext,
): Promise<SavedViewRecord> {
  const reader = readerOf(context);
  const view = await readSavedView(transaction, savedViewId, reader);
  if (view.userId !== reader.userId && context.grantable?.has('members:write') !== true)
    throw notPermitted('Only its author, and people who manage members, can change or remove a shared view.');
  return view;
}

async function checkRoom(transaction: Transaction<Schema>, { accountId, userId }: ViewReader): Promise<void> {
  const { perPersonMax } = savedViewLimits;
  const count = await countViews(transaction, accountId, userId);
  if (count < perPersonMax) return;
  throw new RegistryError('saved_views_full', `You have ${perPersonMax} views here: remove one first.`);
}

async function checkSharedRoom(transaction: Transaction<Schema>, accountId: string): Promise<void> {
  const { sharedPerAccountMax } = savedViewLimits;
  const count = await countViews(transaction, accountId, undefined);
  if (count < sharedPerAccountMax) return;
  throw new RegistryError(
    'saved_views_full',
    `The account has ${sharedPerAccountMax} shared views: remove one, or save this one for yourself.`,
    { member: ['isShared'] },
  );
}

/** Counts a person's views, or those that are shared. */
async function countViews(
  transaction: Transaction<Schema>,
  accountId: string,
  userId: string | undefined,
): Promise<number> {
  const views = transaction
    .selectFrom('saved_views')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId);
  const counted =
    userId === undefined ? views.where('is_shared', '=', 1) : views.where('user_id', '=', userId);
  const { count } = await counted.executeTakeFirstOrThrow();
  return count;
}

async function checkNameIsFree(
  transaction: Transaction<Schema>,
  { accountId, userId }: ViewReader,
  name: string,
  exceptId: string | undefined,
): Promise<void> {
  const same = await transaction
    .selectFrom('saved_views')
    .select('saved_view_id')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('search_name', '=', searchNameOf(name))
    .executeTakeFirst();
  if (same === undefined || same.saved_view_id === exceptId) return;
  throw new RegistryError(
    'saved_view_name_taken',
    'There is already a view with this name: choose another.',
    {
      member: ['name'],
    },
  );
}

/** Only what others see is in the audit log. */
async function recordUpdate(
  transaction: Transaction<Schema>,
  view: SavedViewRecord,
  next: SavedViewContent,
  context: ChangeContext,
): Promise<void> {
  if (!view.isShared && !next.isShared) return undefined;
  if (!view.isShared) return record(transaction, 'saved_view.shared', view, { after: shown(next) }, context);
  if (!next.isShared)
    return record(transaction, 'saved_view.unshared', view, { before: shown(view) }, context);
  return record(transaction, 'saved_view.updated', view, difference(shown(view), shown(next)) ?? {}, context);
}

async function record(
  transaction: Transaction<Schema>,
  action: 'saved_view.shared' | 'saved_view.updated' | 'saved_view.unshared',
  { savedViewId, accountId, userId }: SavedViewRecord,
  states: Pick<AuditedChange, 'before' | 'after'>,
  context: ChangeContext,
): Promise<void> {
  await recordAudited(
    transaction,
    {
      // No node keeps views.
      subject: 'member',
      subjectId: userId,
      accountId,
      action,
      targets: [
        { type: 'saved_view', id: savedViewId },
        { type: 'account', id: accountId },
      ],
      ...states,
    },
    context,
  );
}

function shown({ name, query }: SavedViewContent): Record<string, unknown> {
  return { name, query };
}

function decided({ name, query, isShared }: SavedViewContent): Record<string, unknown> {
  return { name, query, isShared };
}

function columnsOf({ name, query, isShared }: SavedViewContent): {
  readonly name: string;
  readonly search_name: string;
  readonly query: string;
  readonly is_shared: 0 | 1;
} {
  return { name, search_name: searchNameOf(name), query, is_shared: isShared ? 1 : 0 };
}

interface SavedViewRow {
  readonly saved_view_id: string;
  readonly account_id: string;
  readonly user_id: string;
  readonly author_name: string | null;
  readonly name: string;
  readonly query: string;
  readonly is_shared: 0 | 1;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

function selectViews(
  database: Database,
  accountId: string,
): SelectQueryBuilder<Schema, 'saved_views', SavedViewRow> {
  return database
    .selectFrom('saved_views')
    .leftJoin('persons', 'persons.user_id', 'saved_views.user_id')
    .select([
      'saved_views.saved_view_id',
      'saved_views.account_id',
      'saved_views.user_id',
      'persons.name as author_name',
      'saved_views.name',
      'saved_views.query',
      'saved_views.is_shared',
      'saved_views.created_at_ms',
      'saved_views.updated_at_ms',
    ])
    .where('saved_views.account_id', '=', accountId);
}

function recordOf(row: SavedViewRow): SavedViewRecord {
  return {
    savedViewId: row.saved_view_id,
    accountId: row.account_id,
    userId: row.user_id,
    authorName: row.author_name ?? undefined,
    name: row.name,
    query: row.query,
    isShared: row.is_shared === 1,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
