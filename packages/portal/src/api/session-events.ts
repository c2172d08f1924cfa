import type { StepUpMethod } from '@countersign/contract';

/** Asks the person for a fresh proof of identity; resolves with true if they gave it. */
export type StepUpPrompt = (methods: readonly StepUpMethod[]) => Promise<boolean>;

let prompt: StepUpPrompt | undefined;
let current: Promise<boolean> | undefined;
let isIgnored = false;
const doubtListeners = new Set<() => void>();

/** Registers the prompt; returns a function that removes it. */
export function provideStepUp(next: StepUpPrompt): () => void {
  prompt = next;
  return () => {
    if (prompt === next) prompt = undefined;
  };
}

/** Prompts for a fresh proof, once for all calls that wait at the same time. */
export function requestStepUp(methods: readonly StepUpMethod[]): Promise<boolean> {
  if (prompt === undefined) return Promise.resolve(false);
  current ??= prompt(methods).finally(() => {
    current = undefined;
  });
  return current;
}

/** Calls back whenever the session may be gone; returns a function that unsubscribes. */
export function onSessionDoubt(listener: () => void): () => void {
  doubtListeners.add(listener);
  return () => doubtListeners.delete(listener);
}

/** Makes the page check whether the session still exists. */
export function reportSessionDoubt(): void {
  if (isIgnored) return;
  for (const listener of doubtListeners) listener();
}

/** Ignores doubts during sign-out, when any call may find the session gone. */
export function ignoreSessionDoubts(areIgnored: boolean): void {
  isIgnored = areIgnored;
}
