import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { keyInput as t } from '#messages/key-input.ts';
import type { GeneratedKeyPair } from './generate-key-pair.ts';
import type { KeyInputState } from './key-input-state.ts';
import { privateKeyReading } from './private-key-reading.ts';
import { type KeyPurpose, keyPurpose, toldAlgorithm } from './key-purpose.ts';
import { type KeyReading, readKeyText } from './read-key-text.ts';
import { useProfileAlgorithms } from './use-profile-algorithms.ts';

export type KeyWay = 'paste' | 'upload' | 'generate' | 'commandLine';

export interface KeyInputModel {
  readonly reader: KeyTextReader;
  readonly way: KeyWay;
  readonly changeWay: (way: KeyWay) => void;
  readonly pair: GeneratedKeyPair | undefined;
  readonly setPair: (pair: GeneratedKeyPair) => void;
  readonly isSaved: boolean;
  readonly setIsSaved: (isSaved: boolean) => void;
  readonly isAskingToDiscard: boolean;
  readonly askToDiscard: () => void;
  readonly keepPair: () => void;
  readonly discardPair: () => void;
  /** The algorithms of the client's profile; undefined until they are known. */
  readonly allowed: readonly string[] | undefined;
  /** What the key can be for; undefined without a key. */
  readonly purpose: KeyPurpose | undefined;
  readonly chooseAlgorithm: (algorithm: string) => void;
}

/** The state of `KeyInput`. Reports every change to the form. */
export function useKeyInput(profile: string, onChange: (state: KeyInputState) => void): KeyInputModel {
  const { allowed, rejectsPss } = useProfileAlgorithms(profile);
  const reader = useKeyReading(rejectsPss);
  const [chosen, chooseAlgorithm] = useState<string>();
  const [way, setWay] = useState<KeyWay>('paste');
  const [wayAfterDiscard, setWayAfterDiscard] = useState<KeyWay>();
  const [pair, setPair] = useState<GeneratedKeyPair>();
  const [isSaved, setIsSaved] = useState(false);
  const latest = useRef(onChange);
  // Before the browser's next event. After drawing, a press right after a paste would find the form of before.
  useLayoutEffect(() => {
    latest.current = onChange;
  });
  useLayoutEffect(
    () => latest.current(withPurpose(stateOf(pair, isSaved, reader.reading), allowed, chosen)),
    [pair, isSaved, reader.reading, allowed, chosen],
  );
  const key = pair?.key ?? (reader.reading.kind === 'accepted' ? reader.reading.key : undefined);
  return {
    allowed,
    purpose: key && keyPurpose(key, allowed, chosen),
    chooseAlgorithm,
    reader,
    way,
    changeWay(next) {
      if (pair !== undefined && next !== 'generate') return setWayAfterDiscard(next);
      // A generated pair takes precedence over a pasted key.
      if (next === 'generate') reader.clear();
      setWay(next);
    },
    pair,
    setPair,
    isSaved,
    setIsSaved,
    isAskingToDiscard: wayAfterDiscard !== undefined,
    askToDiscard: () => setWayAfterDiscard('generate'),
    keepPair: () => setWayAfterDiscard(undefined),
    discardPair() {
      setPair(undefined);
      setIsSaved(false);
      setWay(wayAfterDiscard ?? 'generate');
      setWayAfterDiscard(undefined);
    },
  };
}

function stateOf(pair: GeneratedKeyPair | undefined, isSaved: boolean, reading: KeyReading): KeyInputState {
  if (pair !== undefined)
    return isSaved
      ? { key: pair.key, blocker: undefined, isDirty: true }
      : { key: undefined, blocker: 'private-key-not-saved', isDirty: true };
  switch (reading.kind) {
    case 'none':
    case 'private-key':
      return { key: undefined, blocker: undefined, isDirty: false };
    case 'reading':
      return { key: undefined, blocker: 'reading', isDirty: true };
    case 'refused':
      return { key: undefined, blocker: 'key-not-accepted', isDirty: true };
    case 'accepted':
      return { key: reading.key, blocker: undefined, isDirty: true };
  }
}

/** Adds what the key is for. */
function withPurpose(
  state: KeyInputState,
  allowed: readonly string[] | undefined,
  chosen: string | undefined,
): KeyInputState {
  const { key } = state;
  if (key === undefined) return state;
  const { algorithm } = keyPurpose(key, allowed, chosen);
  if (algorithm === undefined) return { ...state, key: undefined, blocker: 'key-not-in-profile' };
  return { ...state, algorithm: toldAlgorithm(key, algorithm) };
}

export interface KeyTextReader {
  readonly text: string;
  readonly reading: KeyReading;
  /** Reads a new text. A private key is rejected at once and leaves the text empty. */
  readonly take: (text: string) => void;
  readonly refuse: (problem: 'file_unreadable' | 'file_too_large') => void;
  readonly clear: () => void;
}

/** Reads texts as they change. Only the latest counts, however long an earlier one takes. */
function useKeyReading(rejectsPss: boolean): KeyTextReader {
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
      void readKeyText(next, rejectsPss).then(async (result) => {
        showIfLatest(result);
        if (result.kind === 'accepted') showIfLatest(await askService(result, t.registeredFor));
      });
    },
    [show, rejectsPss],
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
 * Asks the service about a key that this page accepts. The service gets the re-encoded key, never the text.
 * If it cannot respond, adding the key will show the result.
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
