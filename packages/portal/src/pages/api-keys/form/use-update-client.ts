import type { Client, NetworkWhitelistContent } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isApiError } from '../../../api/api-error.ts';
import { api, type Entity } from '../../../api/api.ts';
import { useAccountId } from '../../../api/current-account.ts';
import type { ConflictSaving } from '../../../api/use-conflict-saving.ts';
import { clientPath } from '../../../clients/client-path.ts';
import { type Form, useForm } from '../../../components/form.tsx';
import { notify } from '../../../components/notify.ts';
import { navigateSaved, useUnsavedGuard } from '../../../components/unsaved-guard.ts';
import { apiKeys } from '#messages/api-keys.ts';
import {
  checkForm,
  clientChanges,
  type ClientContent,
  clientContentOf,
  type ClientForm,
  clientRequestOf,
  emptyClientForm,
  mistakesOfRefusal,
} from './client-form.ts';

/** A version on the service, and the state that a change of it must name. */
interface SavedClient {
  readonly content: ClientContent;
  readonly entityTag: string | undefined;
}

interface UpdateClient {
  readonly form: Form<ClientForm>;
  readonly submit: (event: FormEvent) => void;
  readonly saving: Omit<ConflictSaving<ClientContent, ClientContent>, 'save' | 'error'>;
  readonly takeTheirs: () => void;
  readonly isChanged: boolean;
  /** True if one of the requests succeeded before another was rejected. */
  readonly isPartlySaved: boolean;
}

/** Saves a client by up to three requests. The form keeps the version it started with. */
export function useUpdateClient(
  client: Entity<Client>,
  whitelist: Entity<NetworkWhitelistContent>,
): UpdateClient {
  const t = apiKeys.form;
  const { clientId } = client.body;
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  const [saved, setSaved] = useState<SavedClient>(() => ({
    content: clientContentOf(client.body, whitelist.body),
    // The older of the two states: the service reports a change in between.
    entityTag: client.entityTag,
  }));
  const [theirs, setTheirs] = useState<SavedClient>();
  const [isPartlySaved, setIsPartlySaved] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const form = useForm<ClientForm>({
    id: 'client',
    initialValues: { ...emptyClientForm, ...saved.content },
    validate: (values) => checkForm(values, t),
    place: mistakesOfRefusal,
  });
  const { publicKey, draft } = form.values;
  const changes = clientChanges(form.values, saved.content);
  const isChanged = changes.client || changes.network || draft.trim() !== '' || publicKey.isDirty;
  useUnsavedGuard(isChanged);

  const save = async (from: SavedClient): Promise<void> => {
    setIsBusy(true);
    const { reached, error } = await saveClient(clientId, form.values, from, publicKey.key?.publicKeyPem);
    setSaved(reached);
    setIsPartlySaved(error !== undefined && reached !== from);
    setTheirs(undefined);
    if (error === undefined) {
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
      notify.success(t.updated(form.values.name.trim()));
      return navigateSaved(clientPath(clientId));
    }
    if (isApiError(error, 'precondition_failed'))
      setTheirs(await readClient(clientId).catch(() => undefined));
    else form.refuse(error);
    setIsBusy(false);
  };
  return {
    form,
    submit: form.submit(() =>
      isBusy || !isChanged || publicKey.blocker !== undefined ? undefined : save(saved),
    ),
    saving: {
      theirs: theirs?.content,
      isBusy,
      saveOverTheirs: () => save(theirs ?? saved),
      dismissConflict: () => setTheirs(undefined),
    },
    takeTheirs() {
      if (theirs === undefined) return;
      setSaved(theirs);
      form.fill(theirs.content);
      setTheirs(undefined);
    },
    isChanged,
    isPartlySaved,
  };
}

async function readClient(clientId: string): Promise<SavedClient> {
  const path = { clientId };
  const { body: client, entityTag } = await api.callWithEntityTag('getClient', { path });
  return { content: clientContentOf(client, await api.call('getNetworkWhitelist', { path })), entityTag };
}

/**
 * Saves what differs: name, roles and settings, then the network, then a key. Each request names the state
 * that the previous one left, so that no other person's change is lost in between.
 *
 * Never rejects: returns how far it got, and what stopped it.
 */
async function saveClient(
  clientId: string,
  content: ClientContent,
  from: SavedClient,
  publicKey: string | undefined,
): Promise<{ readonly reached: SavedClient; readonly error: unknown }> {
  const path = { clientId };
  const changes = clientChanges(content, from.content);
  const { name, networkWhitelist, roles = [] } = clientRequestOf(content);
  const { allowExplanations, profile } = content;
  let reached = from;
  // Without a known state, the service rejects the request: the decision was not based on any version.
  const ifMatch = (): string => reached.entityTag ?? '""';
  try {
    if (changes.client) {
      // The service rejects a profile that it no longer accepts, even one that stays as it was.
      const isOtherProfile = profile !== from.content.profile;
      const body = { name, roles, allowExplanations, ...(isOtherProfile && { profile }) };
      const { entityTag } = await api.callWithEntityTag('updateClient', { path, body, ifMatch: ifMatch() });
      reached = { content: { ...content, network: from.content.network }, entityTag };
    }
    if (changes.network) {
      const body = { entries: networkWhitelist };
      const input = { path, body, ifMatch: ifMatch() };
      const { entityTag } = await api.callWithEntityTag('replaceNetworkWhitelist', input);
      reached = { content, entityTag };
    }
    if (publicKey !== undefined) {
      const { entityTag } = await api.callWithEntityTag('addKey', { path, body: { publicKey } });
      reached = { content, entityTag };
    }
    return { reached, error: undefined };
  } catch (error) {
    return { reached, error };
  }
}
