import { keyTextLengthMax } from '@countersign/signature';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { useIdempotencyKey } from '../../clients/idempotency-key.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { tryIt as t } from '#messages/try-it.ts';
import { generateMomentaryKeyPair, importPageKey, PrivateKeyError } from './page-key.ts';

/** How long a temporary key verifies. */
export const temporaryMinutes = 15;

/** The key that the page signs with. */
export interface PageKey {
  readonly privateKey: CryptoKey;
  /** Set for a temporary key, which is registered. */
  readonly keyId?: string;
}

export interface PageKeyState {
  readonly key: PageKey | undefined;
  readonly isBusy: boolean;
  /** The reason why the text cannot be used as a key. */
  readonly mistake: string | undefined;
  readonly error: unknown;
  readonly generate: () => Promise<void>;
  /** Reads a private key; the caller drops the text. */
  readonly read: (text: string, passphrase: string) => Promise<void>;
  /** Forgets the key, and revokes it if it is temporary. */
  readonly drop: () => Promise<void>;
}

/**
 * Keeps the key for one client, only in this page. Another client needs another key.
 *
 * @param initialKey one that this page has already
 */
export function usePageKey(clientId: string, initialKey: CryptoKey | undefined): PageKeyState {
  const [key, setKey] = useState<PageKey | undefined>(initialKey && { privateKey: initialKey });
  const [state, setState] = useState<Pick<PageKeyState, 'isBusy' | 'mistake' | 'error'>>(idle);
  const change = useClientChange();
  const idempotencyKeyFor = useIdempotencyKey();
  const run = async (act: () => Promise<void>): Promise<void> => {
    setState({ ...idle, isBusy: true });
    try {
      await act();
      setState(idle);
    } catch (error) {
      if (error instanceof PrivateKeyError) setState({ ...idle, mistake: error.message });
      else setState(isApiError(error, 'cancelled') ? idle : { ...idle, error });
    }
  };
  return {
    ...state,
    key,
    generate: () =>
      run(async () => {
        const { privateKey, publicKey } = await generateMomentaryKeyPair();
        const endsAt = new Date(Date.now() + temporaryMinutes * 60_000).toISOString();
        const idempotencyKey = idempotencyKeyFor([publicKey]);
        await change(async () => {
          const body = { publicKey, endsAt };
          const { keyId } = await api.call('addKey', { path: { clientId }, idempotencyKey, body });
          setKey({ privateKey, keyId });
        }, t.generated);
      }),
    read: (text, passphrase) =>
      run(async () => {
        if (text.trim() === '') throw new PrivateKeyError(t.keyEmpty);
        if (text.length > keyTextLengthMax) throw new PrivateKeyError(t.keyTooLong);
        setKey({ privateKey: await importPageKey(text, passphrase) });
      }),
    drop: () =>
      run(async () => {
        const keyId = key?.keyId;
        if (keyId !== undefined) {
          const input = { path: { clientId, keyId }, body: { reason: 'superseded' } } as const;
          await change(() => api.call('revokeKey', input), t.revoked);
        }
        setKey(undefined);
      }),
  };
}

const idle = { isBusy: false, mistake: undefined, error: undefined } as const;
