import { useEffect, useRef, useState } from 'react';
import type { GeneratedKeyPair } from './generate-key-pair.ts';
import type { KeyInputState, KeyReading } from './key-input-state.ts';
import { type KeyTextReader, useKeyReading } from './use-key-reading.ts';

/** The ways to give a key. */
export type KeyWay = 'paste' | 'upload' | 'generate' | 'commandLine';

/** The state of a key box, and what changes it. */
export interface KeyInputModel {
  readonly reader: KeyTextReader;
  readonly way: KeyWay;
  readonly changeWay: (way: KeyWay) => void;
  /** The pair that was made here: it lives in the box, and goes with it. */
  readonly pair: GeneratedKeyPair | undefined;
  readonly setPair: (pair: GeneratedKeyPair) => void;
  readonly isSaved: boolean;
  readonly setIsSaved: (isSaved: boolean) => void;
  /** Whether the person is asked before the pair is forgotten. */
  readonly isAskingToDiscard: boolean;
  readonly askToDiscard: () => void;
  readonly keepPair: () => void;
  readonly discardPair: () => void;
}

/** Holds what is in a key box, and tells the form around it. */
export function useKeyInput(onChange: (state: KeyInputState) => void): KeyInputModel {
  const reader = useKeyReading();
  const [way, setWay] = useState<KeyWay>('paste');
  const [wayAfterDiscard, setWayAfterDiscard] = useState<KeyWay>();
  const [pair, setPair] = useState<GeneratedKeyPair>();
  const [isSaved, setIsSaved] = useState(false);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => latest.current(stateOf(pair, isSaved, reader.reading)), [pair, isSaved, reader.reading]);
  return {
    reader,
    way,
    changeWay(next) {
      if (pair !== undefined && next !== 'generate') return setWayAfterDiscard(next);
      // What was pasted before does not count beside a pair that is made now.
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
