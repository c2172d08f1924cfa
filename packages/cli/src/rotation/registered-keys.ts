import type { Key } from '@countersign/contract';
import { CommandError } from '../exits.ts';
import { type ManagementApi, managementApi } from '../sending/call-api.ts';
import type { OpenSigner } from '../signing/key-source.ts';
import type { Io } from '../terminal/io.ts';

/** A client's own keys, as the service has them. Requests are signed with one of these keys. */
export interface RegisteredKeys {
  /** Oldest first, including ended ones. */
  readonly list: () => Promise<readonly Key[]>;
  /** Like `list`. Undefined if the service does not accept the signature of this key. */
  readonly listIfAccepted: () => Promise<readonly Key[] | undefined>;
  /** Registers a public key. Does nothing if it is registered already. */
  readonly add: (publicKeyPem: string, overlapSeconds: number) => Promise<void>;
  readonly retire: (keyId: string, endsAtMs: number) => Promise<Key>;
  readonly revoke: (keyId: string, reason: 'superseded' | 'compromised') => Promise<Key>;
}

export function registeredKeys(baseUrl: string, signer: OpenSigner, io: Io): RegisteredKeys {
  const api = managementApi(baseUrl, signer, io);
  const path = `/v1/clients/${encodeURIComponent(api.clientId)}/keys`;
  const list = (): Promise<readonly Key[]> => readAll(api, path).catch(adviseRole);
  return {
    list,
    listIfAccepted: () =>
      list().catch((error: unknown) => {
        if (error instanceof CommandError && error.code === 'signature_invalid') return undefined;
        throw error;
      }),
    async add(publicKey, overlapSeconds) {
      try {
        await api.change('POST', path, { publicKey, overlapSeconds });
      } catch (error) {
        // Registered by an earlier run that did not see the response.
        if (error instanceof CommandError && error.code === 'key_registered') return;
        throw error;
      }
    },
    retire: (keyId, endsAtMs) =>
      api.change('POST', `${path}/${keyId}/retire`, { endsAt: new Date(endsAtMs).toISOString() }),
    revoke: (keyId, reason) => api.change('POST', `${path}/${keyId}/revoke`, { reason }),
  };
}

/** Returns true if a key verifies signatures, or will. */
export function isUsable({ status }: Key): boolean {
  return status === 'pending' || status === 'active' || status === 'retiring';
}

async function readAll(api: ManagementApi, path: string): Promise<readonly Key[]> {
  const keys: Key[] = [];
  for (let cursor: string | undefined; ;) {
    const { data, nextCursor } = await api.readPage<Key>(path, { limit: '100', cursor });
    keys.push(...data);
    if (nextCursor === null) return keys;
    cursor = nextCursor;
  }
}

function adviseRole(error: unknown): never {
  if (!(error instanceof CommandError) || error.code !== 'permission_denied') throw error;
  const advice =
    'To rotate its own key, the client needs the permission self:rotate: assign it the role key-rotator.';
  throw new CommandError(error.exit, error.code, `${error.message}\n${advice}`);
}
