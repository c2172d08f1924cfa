import { useCallback, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { useMessages } from '../../messages/messages.ts';
import type { KeyReading } from './key-input-state.ts';
import { privateKeyReading, readKeyText } from './read-key-text.ts';

/** A text that may be a key, what it is, and what changes it. */
export interface KeyTextReader {
  readonly text: string;
  readonly reading: KeyReading;
  /** Takes a new text. A private key is refused at once and not kept: the text is empty then. */
  readonly take: (text: string) => void;
  /** Shows why there is no text. */
  readonly refuse: (problem: 'file_unreadable' | 'file_too_large') => void;
  readonly clear: () => void;
}

/** Reads what is pasted or chosen while it changes; the last text counts, however long an earlier one takes. */
export function useKeyReading(): KeyTextReader {
  const t = useMessages('keyInput');
  const [text, setText] = useState('');
  const [reading, setReading] = useState<KeyReading>({ kind: 'none' });
  const latest = useRef(0);

  const show = useCallback((nextText: string, next: KeyReading): number => {
    setText(nextText);
    setReading(next);
    return ++latest.current;
  }, []);

  const take = useCallback(
    (next: string): void => {
      const privateKey = privateKeyReading(next);
      if (privateKey !== undefined) {
        show('', privateKey);
        return;
      }
      const turn = show(next, next.trim() === '' ? { kind: 'none' } : { kind: 'reading' });
      const showIfLatest = (result: KeyReading): void => {
        if (turn !== latest.current) return;
        if (result.kind === 'private-key') setText('');
        setReading(result);
      };
      void readKeyText(next).then(async (result) => {
        showIfLatest(result);
        if (result.kind === 'accepted') showIfLatest(await askService(result, t.registeredFor));
      });
    },
    [show, t],
  );

  const refuse = useCallback(
    (problem: 'file_unreadable' | 'file_too_large') => {
      show('', { kind: 'refused', problem, advice: '' });
    },
    [show],
  );
  const clear = useCallback(() => void show('', { kind: 'none' }), [show]);
  return { text, reading, take, refuse, clear };
}

/**
 * Asks the service what it says of a key that this page accepts. It gets the public key written anew, never the text; and
 * when it cannot be asked, adding the key will tell.
 */
async function askService(
  accepted: Extract<KeyReading, { kind: 'accepted' }>,
  registeredFor: (clientId: string) => string,
): Promise<KeyReading> {
  const inspection = await api
    .call('inspectKey', { body: { publicKey: accepted.key.publicKeyPem } })
    .catch(() => undefined);
  if (inspection === undefined) return accepted;
  if (!inspection.isAcceptable)
    return { kind: 'refused', problem: 'refused_by_service', advice: inspection.advice };
  const { registeredForClientId } = inspection;
  if (registeredForClientId === undefined) return accepted;
  return { kind: 'refused', problem: 'registered_already', advice: registeredFor(registeredForClientId) };
}
