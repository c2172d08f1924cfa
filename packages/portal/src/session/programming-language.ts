import { useSyncExternalStore } from 'react';
import { keepOnDevice, readFromDevice } from './device-storage.ts';

/** The languages in which the documents have guides and programs, by the last part of their paths. */
export const programmingLanguages = {
  shell: 'curl and shell',
  javascript: 'JavaScript',
  python: 'Python',
  java: 'Java',
  go: 'Go',
  php: 'PHP',
  csharp: 'C#',
  ruby: 'Ruby',
  rust: 'Rust',
} as const;

export type ProgrammingLanguage = keyof typeof programmingLanguages;

const storageName = 'countersign-programming-language';
const listeners = new Set<() => void>();
let chosen: ProgrammingLanguage | undefined;

/** Returns the language that the reader chose, on any page and on an earlier visit with this browser; else the first one. */
export function useProgrammingLanguage(): ProgrammingLanguage {
  return useSyncExternalStore(listen, current);
}

export function chooseProgrammingLanguage(language: string): void {
  if (!isProgrammingLanguage(language)) return;
  chosen = language;
  keepOnDevice(storageName, language);
  for (const tell of listeners) tell();
}

export function isProgrammingLanguage(text: string): text is ProgrammingLanguage {
  return Object.hasOwn(programmingLanguages, text);
}

function listen(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function current(): ProgrammingLanguage {
  if (chosen === undefined) {
    const kept = readFromDevice(storageName) ?? '';
    chosen = isProgrammingLanguage(kept) ? kept : 'shell';
  }
  return chosen;
}
