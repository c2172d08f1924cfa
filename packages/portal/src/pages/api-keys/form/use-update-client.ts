import { type Client, type NetworkWhitelistContent, readNetworkEntry } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isApiError } from '../../../api/api-error.ts';
import { api, type Entity } from '../../../api/api.ts';
import { useAccountId } from '../../../api/current-account.ts';
import { useApiQuery } from '../../../api/queries.ts';
import type { ConflictSaving } from '../../../api/use-conflict-saving.ts';
import { clientPath } from '../../../clients/client-path.ts';
import { type Form, useForm } from '../../../components/form.tsx';
import { notify } from '../../../components/notify.ts';
import { navigateSaved, useUnsavedGuard } from '../../../components/unsaved-guard.ts';
import { apiKeys } from '#messages/api-keys.ts';
import { isAllowed } from '../../../network/network-item.ts';
import {
  checkForm,
  clientChangeOf,
  type ClientContent,
  clientContentOf,
  type ClientForm,
  emptyClientForm,
  entriesOf,
  mistakesOfRefusal,
} from './client-form.ts';
import { clientFormWords } from './client-form-words.ts';
import { changedMembers, type ClientMember, type MergedContent, mergeContents } from './client-merge.ts';

/** A version on the service, and the state that a change of it must name. */
interface SavedClient {
  readonly content: ClientContent;
  readonly entityTag: string | undefined;
}

/** Someone else's version, and mine with their changes. */
interface Conflict extends MergedContent {
  readonly theirs: SavedClient;
}

interface UpdateClient {
  readonly form: Form<ClientForm>;
  readonly submit: (event: FormEvent) => void;
  readonly saving: Omit<ConflictSaving<ClientContent, ClientContent>, 'save' | 'error'>;
  /** The members that someone else changed too. */
  readonly conflicts: readonly ClientMember[];
  readonly takeTheirs: () => void;
  readonly isChanged: boolean;
  /** True if one of the requests succeeded before another was rejected. */
  readonly isPartlySaved: boolean;
}

/**
 * Saves a client by up to three requests. The form keeps the version it started with: if someone else has saved another one, their
 * changes are kept, and only what both changed is asked about.
 *
 * @param allowed an address to add to the whitelist that the form starts with
 */
export function useUpdateClient(
  client: Entity<Client>,
  whitelist: Entity<NetworkWhitelistContent>,
  allowed: string | undefined,
): UpdateClient {
  const t = apiKeys.form;
  const { clientId } = client.body;
  const limits = useApiQuery('getRequestLimits', { path: { clientId } }).data;
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  const [saved, setSaved] = useState<SavedClient>(() => ({
    content: clientContentOf(client.body, whitelist.body),
    // The older of the two states: the service reports a change in between.
    entityTag: client.entityTag,
  }));
  const [conflict, setConflict] = useState<Conflict>();
  const [isPartlySaved, setIsPartlySaved] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const form = useForm<ClientForm>({
    id: 'client',
    initialValues: { ...emptyClientForm, ...withAddress(saved.content, allowed) },
    validate: (values) => checkForm(values, clientFormWords, limits),
    place: mistakesOfRefusal,
  });
  const { publicKey, draft } = form.values;
  const isChanged =
    changedMembers(form.values, saved.content).length > 0 || draft.trim() !== '' || publicKey.isDirty;
  useUnsavedGuard(isChanged);

  const save = async (content: ClientContent, from: SavedClient): Promise<void> => {
    setIsBusy(true);
    setConflict(undefined);
    const outcome = await saveMerging(clientId, content, from, publicKey.key?.publicKeyPem);
    const { reached, error } = outcome;
    setSaved(reached);
    // What is sent next differs from what was reached by my changes alone: nothing that others saved is taken back.
    if (error !== undefined && outcome.content !== form.values) form.fill(outcome.content);
    setIsPartlySaved(
      error !== undefined && reached !== from && !isApiError(error, 'waits_for_second_person'),
    );
    if (error === undefined) {
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
      const name = content.name.trim();
      notify.success(outcome.isMerged ? t.updatedWithOthers(name) : t.updated(name));
      return navigateSaved(clientPath(clientId));
    }
    if (outcome.conflict !== undefined) setConflict(outcome.conflict);
    else form.refuse(error);
    setIsBusy(false);
  };
  return {
    form,
    submit: form.submit((values) =>
      isBusy || !isChanged || publicKey.blocker !== undefined ? undefined : save(values, saved),
    ),
    saving: {
      theirs: conflict?.theirs.content,
      isBusy,
      saveOverTheirs: () =>
        conflict === undefined ? Promise.resolve() : save(conflict.content, conflict.theirs),
      dismissConflict: () => setConflict(undefined),
    },
    conflicts: conflict?.conflicts ?? [],
    takeTheirs() {
      if (conflict === undefined) return;
      setSaved(conflict.theirs);
      form.fill(conflict.theirs.content);
      setConflict(undefined);
    },
    isChanged,
    isPartlySaved,
  };
}

/** Adds an address that the whitelist does not allow, as if it had been typed. */
function withAddress(content: ClientContent, address: string | undefined): ClientContent {
  const reading = address === undefined ? undefined : readNetworkEntry(address);
  if (reading?.ok !== true || isAllowed(content.network, reading.entry.text)) return content;
  return { ...content, network: [...content.network, { entry: reading.entry.text, label: '' }] };
}

async function readClient(clientId: string): Promise<SavedClient> {
  const path = { clientId };
  const { body: client, entityTag } = await api.callWithEntityTag('getClient', { path });
  return { content: clientContentOf(client, await api.call('getNetworkWhitelist', { path })), entityTag };
}

interface SaveOutcome {
  readonly reached: SavedClient;
  /** What was last tried: mine, with what others saved meanwhile. */
  readonly content: ClientContent;
  /** What stopped it; undefined if everything is saved. */
  readonly error: unknown;
  /** Set if someone else changed the same meanwhile. */
  readonly conflict?: Conflict | undefined;
  /** Whether changes of someone else were kept. */
  readonly isMerged: boolean;
}

/** How often a save that others overtake is tried again before someone has to look at it. */
const mergesMax = 3;

/** Saves a version; where others saved another one meanwhile, with their changes, unless they changed the same. Never rejects. */
async function saveMerging(
  clientId: string,
  content: ClientContent,
  from: SavedClient,
  publicKey: string | undefined,
): Promise<SaveOutcome> {
  let [mine, base] = [content, from];
  let waiting: unknown;
  for (let merges = 0; ; merges++) {
    const { reached, error, ...rest } = await saveClient(clientId, mine, base, publicKey);
    waiting ??= rest.waiting;
    const outcome = { reached, error: error ?? waiting, content: mine, isMerged: merges > 0 };
    if (!isApiError(error, 'precondition_failed')) return outcome;
    const theirs = await readClient(clientId).catch(() => undefined);
    if (theirs === undefined) return outcome;
    const merged = mergeContents(reached.content, mine, theirs.content);
    if (merged.conflicts.length > 0 || merges === mergesMax)
      return { ...outcome, conflict: { ...merged, theirs } };
    [mine, base] = [merged.content, theirs];
  }
}

/**
 * Saves what differs: name, roles and settings, then the network, then a key. Each request names the state
 * that the previous one left, so that no other person's change is lost in between. What waits for a second person does not
 * hold up the rest.
 *
 * Never rejects: returns how far it got, and what stopped it.
 */
async function saveClient(
  clientId: string,
  content: ClientContent,
  from: SavedClient,
  publicKey: string | undefined,
): Promise<Pick<SaveOutcome, 'reached' | 'error'> & { readonly waiting: unknown }> {
  const path = { clientId };
  const changed = changedMembers(from.content, content);
  let reached = from;
  let waiting: unknown;
  // Without a known state, the service rejects the request: the decision was not based on any version.
  const ifMatch = (): string => reached.entityTag ?? '""';
  const reach = async (next: ClientContent, change: () => Promise<Entity<unknown>>): Promise<void> => {
    try {
      reached = { content: next, entityTag: (await change()).entityTag };
    } catch (error) {
      if (!isApiError(error, 'waits_for_second_person')) throw error;
      reached = { ...reached, content: next };
      waiting = error;
    }
  };
  try {
    if (changed.some((member) => member !== 'network')) {
      const body = clientChangeOf(from.content, content);
      await reach({ ...content, network: from.content.network }, () =>
        api.callWithEntityTag('updateClient', { path, body, ifMatch: ifMatch() }),
      );
    }
    if (changed.includes('network')) {
      const body = { entries: entriesOf(content.network) };
      await reach(content, () =>
        api.callWithEntityTag('replaceNetworkWhitelist', { path, body, ifMatch: ifMatch() }),
      );
    }
    if (publicKey !== undefined)
      await reach(content, () => api.callWithEntityTag('addKey', { path, body: { publicKey } }));
    return { reached, error: undefined, waiting };
  } catch (error) {
    return { reached, error, waiting };
  }
}
