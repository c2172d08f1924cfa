import type { Client, NetworkWhitelistContent } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Entity } from '../../../api/api.ts';
import { isApiError } from '../../../api/api-error.ts';
import { emptyKeyInputState, type KeyInputState } from '../../../components/key-input/read-key-text.ts';
import { notify } from '../../../components/notify.ts';
import { navigateSaved, useUnsavedGuard } from '../../../components/unsaved-guard.ts';
import { useMessages } from '../../../messages/messages.ts';
import { useAccountId } from '../../../api/current-account.ts';
import { clientPath } from '../../../clients/client-path.ts';
import {
  checkForm,
  type ClientForm,
  clientFormChanges,
  type ClientFormErrors,
  clientFormOf,
  clientRequestOf,
  isFaultless,
} from './client-form.ts';
import { useFormErrors } from './use-form-errors.ts';

/** What the form for changes shows and does. */
export interface UpdateClientModel {
  readonly form: ClientForm;
  readonly setForm: (form: ClientForm) => void;
  readonly draft: string;
  readonly setDraft: (draft: string) => void;
  readonly key: KeyInputState;
  readonly setKey: (key: KeyInputState) => void;
  readonly errors: ClientFormErrors;
  readonly attempt: number;
  readonly refusal: unknown;
  /** One of the requests was done before another was refused. */
  readonly isPartlySaved: boolean;
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  /** What somebody else has saved meanwhile. */
  readonly conflict: { readonly theirs: ClientForm } | undefined;
  readonly submit: () => Promise<void>;
  readonly keepMine: () => Promise<void>;
  readonly takeTheirs: () => void;
  readonly closeConflict: () => void;
}

/** The state of the form, which begins with what the service has and is not touched by what comes later. */
export function useUpdateClient(
  client: Entity<Client>,
  whitelist: Entity<NetworkWhitelistContent>,
): UpdateClientModel {
  const t = useMessages('apiKeys').form;
  const { clientId } = client.body;
  const [saved, setSaved] = useState<SavedClient>(() => ({
    form: clientFormOf(client.body, whitelist.body),
    // The older of the two states: if they differ, somebody was between, and the service will say so.
    entityTag: client.entityTag,
  }));
  const [form, setForm] = useState(saved.form);
  const [draft, setDraft] = useState('');
  const [key, setKey] = useState(emptyKeyInputState);
  const { errors, refusal, attempt, clear, fail, refuse } = useFormErrors();
  const [isPartlySaved, setIsPartlySaved] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [theirs, setTheirs] = useState<SavedClient>();
  const end = useEnd(clientId, () => notify.success(t.updated(form.name.trim())));
  const changes = clientFormChanges(form, saved.form);
  const isChanged = changes.client || changes.network || draft.trim() !== '' || key.isDirty;
  useUnsavedGuard(isChanged);

  const send = async (from: SavedClient): Promise<void> => {
    setIsBusy(true);
    clear();
    const { saved: reached, error } = await saveClient(clientId, form, from, key.key?.publicKeyPem);
    setSaved(reached);
    setIsPartlySaved(error !== undefined && reached !== from);
    setTheirs(undefined);
    if (error === undefined) return end();
    if (isApiError(error, 'precondition_failed'))
      setTheirs(await readClient(clientId).catch(() => undefined));
    else refuse(error, form);
    setIsBusy(false);
  };
  return {
    form,
    setForm,
    draft,
    setDraft,
    key,
    setKey,
    errors,
    attempt,
    refusal,
    isPartlySaved,
    isChanged,
    isBusy,
    conflict: theirs && { theirs: theirs.form },
    async submit() {
      if (isBusy || key.blocker !== undefined || !isChanged) return;
      const found = checkForm(form, draft, t);
      await (isFaultless(found) ? send(saved) : fail(found));
    },
    keepMine: () => send(theirs ?? saved),
    takeTheirs() {
      if (theirs === undefined) return;
      setSaved(theirs);
      setForm(theirs.form);
      setTheirs(undefined);
    },
    closeConflict: () => setTheirs(undefined),
  };
}

/** Leaves for the page of the client, which is read anew. */
function useEnd(clientId: string, tell: () => void): () => void {
  const accountId = useAccountId();
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    tell();
    navigateSaved(clientPath(clientId));
  };
}

/** What the service has now. */
async function readClient(clientId: string): Promise<SavedClient> {
  const path = { clientId };
  const { body: client, entityTag } = await api.callWithEntityTag('getClient', { path });
  return { form: clientFormOf(client, await api.call('getNetworkWhitelist', { path })), entityTag };
}

/** A version of a client that the service has, and the state that changes of it have to name. */
interface SavedClient {
  readonly form: ClientForm;
  readonly entityTag: string | undefined;
}

/**
 * Saves what differs: name, roles and settings, then the network, then a key. Each request names the state that the one
 * before has left, so that nobody else's change is lost between them.
 *
 * Never rejects: answers how far it came, and what stopped it.
 */
async function saveClient(
  clientId: string,
  form: ClientForm,
  from: SavedClient,
  publicKey: string | undefined,
): Promise<{ readonly saved: SavedClient; readonly error: unknown }> {
  const path = { clientId };
  const changes = clientFormChanges(form, from.form);
  const { name, networkWhitelist, roles = [] } = clientRequestOf(form, undefined);
  const { allowExplanations, acceptWithoutDate } = form;
  let saved = from;
  try {
    if (changes.client) {
      const body = { name, roles, allowExplanations, acceptWithoutDate };
      const { entityTag } = await api.callWithEntityTag('updateClient', {
        path,
        body,
        ifMatch: tagOf(saved),
      });
      saved = { form: { ...form, network: saved.form.network }, entityTag };
    }
    if (changes.network) {
      const body = { entries: networkWhitelist };
      const { entityTag } = await api.callWithEntityTag('replaceNetworkWhitelist', {
        path,
        body,
        ifMatch: tagOf(saved),
      });
      saved = { form, entityTag };
    }
    if (publicKey !== undefined) {
      const { entityTag } = await api.callWithEntityTag('addKey', { path, body: { publicKey } });
      saved = { form, entityTag };
    }
    return { saved, error: undefined };
  } catch (error) {
    return { saved, error };
  }
}

/** Without a known state the service refuses, which is right: the person decided on nothing that is known. */
function tagOf({ entityTag }: SavedClient): string {
  return entityTag ?? '""';
}
