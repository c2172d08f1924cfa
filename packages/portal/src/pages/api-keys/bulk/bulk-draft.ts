import {
  type BulkAction,
  bulkActions,
  type ClientsChange,
  type ClientsChangeRequest,
  type ClientsChangeResult,
  isTag,
  readNetworkEntry,
} from '@countersign/contract';
import type { Mistakes } from '../../../components/form-state.ts';
import { clientBulk as t } from '#messages/client-bulk.ts';

/** A person's input for a change of many clients. */
export interface BulkDraft {
  readonly tags: readonly string[];
  readonly roles: readonly string[];
  readonly entry: string;
  readonly label: string;
}

export const emptyBulkDraft: BulkDraft = { tags: [], roles: [], entry: '', label: '' };

/** The change without its clients. */
export type BulkChangeContent = Pick<ClientsChangeRequest, 'action' | 'tags' | 'roles' | 'networkEntry'>;

/** The change of known clients. */
export interface BulkRequest extends BulkChangeContent {
  readonly clients: NonNullable<ClientsChangeRequest['clients']>;
}

export function bulkChangeOf(action: BulkAction, draft: BulkDraft): BulkChangeContent {
  const member = bulkActions[action];
  if (member === 'tags') return { action, tags: draft.tags };
  if (member === 'roles') return { action, roles: draft.roles };
  if (member === undefined) return { action };
  const label = draft.label.trim();
  const isLabelled = action === 'add_network_entry' && label !== '';
  return { action, networkEntry: { entry: draft.entry.trim(), ...(isLabelled && { label }) } };
}

/** Returns the mistakes that can be found without the service. */
export function bulkMistakes(action: BulkAction, { tags, roles, entry }: BulkDraft): Mistakes {
  const member = bulkActions[action];
  if (member === 'tags' && tags.length === 0) return { tags: t.missing.tags };
  if (member === 'tags' && !tags.every(isTag)) return { tags: t.missing.tagsWrong };
  if (member === 'roles' && roles.length === 0) return { roles: t.missing.roles };
  if (member !== 'networkEntry') return {};
  if (entry.trim() === '') return { entry: t.missing.entry };
  const reading = readNetworkEntry(entry.trim());
  return reading.ok ? {} : { entry: reading.message };
}

const opposites: Readonly<Record<BulkAction, BulkAction>> = {
  enable: 'disable',
  disable: 'enable',
  add_tags: 'remove_tags',
  remove_tags: 'add_tags',
  add_roles: 'remove_roles',
  remove_roles: 'add_roles',
  add_network_entry: 'remove_network_entry',
  remove_network_entry: 'add_network_entry',
};

/**
 * Returns the change that exactly undoes another one; undefined if there is none, because the clients
 * differed before. A client that was changed since stays as it is.
 */
export function undoOf(content: BulkChangeContent, { results }: ClientsChange): BulkRequest | undefined {
  const changed = results.filter(({ outcome }) => outcome === 'changed');
  const undone = changed.map((result) => undoneContent(content, result));
  const [first] = undone;
  if (first === undefined || undone.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    return undefined;
  const clients = changed.map(({ clientId, etag }) => ({ clientId, ...(etag !== undefined && { etag }) }));
  return { ...first, clients };
}

function undoneContent(
  { action, tags, roles }: BulkChangeContent,
  { before = {}, after = {} }: ClientsChangeResult,
): BulkChangeContent {
  const opposite = opposites[action];
  if (tags) return { action: opposite, tags: differing(before['tags'], after['tags']) };
  if (roles) return { action: opposite, roles: differing(before['roles'], after['roles']) };
  const entry = before['networkEntry'] ?? after['networkEntry'];
  if (typeof entry !== 'object' || entry === null) return { action: opposite };
  return { action: opposite, networkEntry: entry as NonNullable<BulkChangeContent['networkEntry']> };
}

/** Returns the elements that are in only one of two lists. */
function differing(before: unknown, after: unknown): readonly string[] {
  const [one, other] = [before, after].map((list) =>
    Array.isArray(list) ? (list as readonly string[]) : [],
  );
  if (one === undefined || other === undefined) return [];
  return [...one.filter((text) => !other.includes(text)), ...other.filter((text) => !one.includes(text))];
}
