import { useState } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { useIdempotencyKey } from '../../clients/idempotency-key.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { notify } from '../../components/notify.ts';
import { navigateSaved } from '../../components/unsaved-guard.ts';
import { isUsable, rotationState } from '../../keys/rotation-state.ts';
import { rotate } from '#messages/rotate.ts';
import { rotatePath } from './rotation-plan.ts';

/** The key that the service is told. */
export interface NewPublicKey {
  readonly publicKey: string;
  /** Undefined for the usual algorithm of its kind. */
  readonly algorithm: string | undefined;
  /** When it expires; undefined for never. */
  readonly endsAt: string | undefined;
}

export interface AddingKey {
  readonly add: (key: NewPublicKey, entityTag: string | undefined) => Promise<void>;
  readonly isAdding: boolean;
  readonly isDone: boolean;
  readonly error: unknown;
  /** The state that the person saw and the current one, after another person's relevant change. */
  readonly conflict: { readonly seen: ClientView; readonly now: ClientView } | undefined;
  readonly forgetConflict: () => void;
}

/** Adds a key, then follows its rollover in the address. A retry with the same key adds it only once. */
export function useAddKey(view: ClientView, overlapSeconds: number): AddingKey {
  const t = rotate.key;
  const { clientId } = view.client;
  const change = useClientChange();
  const [state, setState] = useState<Pick<AddingKey, 'isAdding' | 'isDone' | 'error' | 'conflict'>>(idle);
  const idempotencyKeyFor = useIdempotencyKey();
  const send = (key: NewPublicKey, entityTag: string | undefined): Promise<void> => {
    // A different state or key makes a different request.
    const idempotencyKey = idempotencyKeyFor([key, overlapSeconds, entityTag]);
    const input = { path: { clientId }, ifMatch: entityTag, idempotencyKey };
    return change(async () => {
      const { keyId } = await api.call('addKey', { ...input, body: { ...key, overlapSeconds } });
      setState({ ...idle, isAdding: true, isDone: true });
      navigateSaved(rotatePath(clientId, { keyId }), { replace: true });
    }, t.added);
  };
  const meet = async (key: NewPublicKey): Promise<void> => {
    const now = await readNow(clientId);
    // A change that does not affect the decision, such as a new name.
    if (matters(now) === matters(view)) return send(key, now.entityTag);
    // The page continues with the key that another person added.
    if (rotationState(now.keys).phase !== 'start') return notify.error(t.overtaken);
    setState({ ...idle, conflict: { seen: view, now } });
  };
  const add = async (key: NewPublicKey, entityTag: string | undefined): Promise<void> => {
    setState({ ...idle, isAdding: true });
    try {
      try {
        await send(key, entityTag);
      } catch (error) {
        if (!isApiError(error, 'precondition_failed')) throw error;
        return await meet(key);
      }
      setState({ ...idle, isDone: true });
    } catch (error) {
      setState(isApiError(error, 'cancelled') ? idle : { ...idle, error });
    }
  };
  return { ...state, add, forgetConflict: () => setState(idle) };
}

async function readNow(clientId: string): Promise<ClientView> {
  const path = { clientId };
  const [client, keys] = await Promise.all([
    api.callWithEntityTag('getClient', { path }),
    api.call('listKeys', { path, query: { limit: 100 } }),
  ]);
  return { client: client.body, keys: keys.data, entityTag: client.entityTag };
}

/**
 * Returns the facts on which the decision to add a key depends: the client's status, and which keys work
 * until when.
 */
function matters({ client, keys }: ClientView): string {
  const usable = keys.filter(isUsable).map(({ keyId, status, endsAt }) => [keyId, status, endsAt]);
  return JSON.stringify([client.status, usable]);
}

const idle = { isAdding: false, isDone: false, error: undefined, conflict: undefined } as const;
