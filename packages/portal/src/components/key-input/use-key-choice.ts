import { useState } from 'react';
import { type KeyChoice, keyChoicesFor } from './generate-key-pair.ts';

/** The kind and the size of a new key: what someone chose, as long as the client's profile signs with it. */
export function useKeyChoice(allowed: readonly string[] | undefined): {
  readonly choices: readonly KeyChoice[];
  readonly choice: KeyChoice;
  readonly setChoice: (choice: KeyChoice) => void;
} {
  const { choices, usual } = keyChoicesFor(allowed);
  const [wanted, setChoice] = useState<KeyChoice>();
  return { choices, choice: choices.find((one) => one === wanted) ?? usual, setChoice };
}
