import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';

/** Returns true for a `keyid` that may be a key's thumbprint (RFC 7638) or URL. */
export function isKeyName(keyid: string): boolean {
  return /^[\w-]{43}$|^https?:\/\//.test(keyid);
}

interface NamedKeyProps {
  readonly keyName: string;
  readonly onFound: (clientId: string) => void;
}

/**
 * Offers to find the client that has the key that the request names. The name comes from the request, so it is sent only on
 * request.
 */
export function NamedKey({ keyName, onFound }: NamedKeyProps): ReactElement {
  const [state, setState] = useState<'idle' | 'busy' | 'none' | { readonly error: unknown }>('idle');
  const find = async (): Promise<void> => {
    setState('busy');
    try {
      const { data } = await api.call('listClients', { query: { search: keyName, limit: 1 } });
      const clientId = data[0]?.clientId;
      setState(clientId === undefined ? 'none' : 'idle');
      if (clientId !== undefined) onFound(clientId);
    } catch (error) {
      setState({ error });
    }
  };
  if (state === 'none')
    return (
      <Notice tone="neutral" role="status">
        {t.noClientOfKey}
      </Notice>
    );
  return (
    <>
      {typeof state === 'object' && <ErrorNotice error={state.error} />}
      <Notice
        tone="info"
        title={t.findClientText}
        action={
          <Button size="xs" loading={state === 'busy'} onClick={() => void find()}>
            {t.findClient}
          </Button>
        }
      >
        {t.findClientHint}
      </Notice>
    </>
  );
}
