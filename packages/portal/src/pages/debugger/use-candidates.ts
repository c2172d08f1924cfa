import type { CandidateKey } from '@countersign/explain';
import { useEffect, useMemo, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { useClientNames } from '../../clients/use-client-names.ts';
import { type KeyReading, readKeyText } from '../../components/key-input/read-key-text.ts';
import { usePermission } from '../../session/session-context.ts';
import type { DebugForm } from './debug-form.ts';

export interface Candidates {
  readonly keys: readonly CandidateKey[];
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly reading: KeyReading;
}

/** Returns the keys of the selected client, or the pasted one. Only the client ID is sent for this. */
export function useCandidates({ keyFrom, clientId, publicKey }: DebugForm): Candidates {
  const clientName = useClientNames();
  const isAllowed = usePermission('keys:read');
  const reading = useKeyReading(keyFrom === 'pasted' ? publicKey : '');
  const query = useApiQuery(
    'listKeys',
    { path: { clientId: clientId ?? '' }, query: { limit: 100 } },
    { enabled: keyFrom === 'client' && clientId !== undefined && isAllowed },
  );
  const keys = useMemo((): readonly CandidateKey[] => {
    if (keyFrom === 'pasted') return pastedKeys(reading);
    if (keyFrom === 'none' || clientId === undefined) return [];
    const name = clientName(clientId);
    return (query.data?.data ?? []).flatMap(
      ({ publicKeyPem, publishedId, algorithm, fingerprint, status }): CandidateKey[] =>
        publicKeyPem === undefined
          ? []
          : [
              {
                spkiPem: publicKeyPem,
                fingerprint,
                clientId,
                ...(name !== undefined && { clientName: name }),
                keyState: status,
                ...(publishedId !== undefined && { publishedId }),
                ...(algorithm !== undefined && { algorithms: [algorithm] }),
              },
            ],
    );
  }, [keyFrom, clientId, clientName, query.data, reading]);
  return { keys, isLoading: query.isFetching && query.data === undefined, error: query.error, reading };
}

/** The worker fills in the client ID. */
function pastedKeys(reading: KeyReading): readonly CandidateKey[] {
  if (reading.kind !== 'accepted') return [];
  const { publicKeyPem, fingerprint = '' } = reading.key;
  return [{ spkiPem: publicKeyPem, fingerprint, clientId: '', keyState: 'active' }];
}

function useKeyReading(text: string): KeyReading {
  const [read, setRead] = useState<{ readonly text: string; readonly reading: KeyReading }>();
  useEffect(() => {
    let isCurrent = true;
    void readKeyText(text).then((reading) => {
      if (isCurrent) setRead({ text, reading });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return read?.text === text ? read.reading : { kind: text.trim() === '' ? 'none' : 'reading' };
}
