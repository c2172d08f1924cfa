import { api } from '../../../api/api.ts';
import { type ClientForm, clientFormChanges, clientRequestOf } from './client-form.ts';

/** A version of a client that the service has, and the state that changes of it have to name. */
export interface SavedClient {
  readonly form: ClientForm;
  readonly entityTag: string | undefined;
}

/**
 * Saves what differs: name, roles and settings, then the network, then a key. Each request names the state that the one
 * before has left, so that nobody else's change is lost between them.
 *
 * Never rejects: answers how far it came, and what stopped it.
 */
export async function saveClient(
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
