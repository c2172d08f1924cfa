import type { StepUpMethod } from '@countersign/contract';

/** Asks the person to prove anew who they are; resolves with whether they did. */
export type StepUpPrompt = (methods: readonly StepUpMethod[]) => Promise<boolean>;

let prompt: StepUpPrompt | undefined;
let current: Promise<boolean> | undefined;
let isIgnored = false;
const doubtListeners = new Set<() => void>();

/** Sets what asks for a fresh proof; returns what takes it back. */
export function provideStepUp(next: StepUpPrompt): () => void {
  prompt = next;
  return () => {
    if (prompt === next) prompt = undefined;
  };
}

/** Asks for a fresh proof, once for all calls that wait for it at the same time. */
export function requestStepUp(methods: readonly StepUpMethod[]): Promise<boolean> {
  if (prompt === undefined) return Promise.resolve(false);
  current ??= prompt(methods).finally(() => {
    current = undefined;
  });
  return current;
}

/** Calls back whenever there may be no session any more; returns what stops it. */
export function onSessionDoubt(listener: () => void): () => void {
  doubtListeners.add(listener);
  return () => doubtListeners.delete(listener);
}

/** Has the page ask whether there still is a session. */
export function reportSessionDoubt(): void {
  if (isIgnored) return;
  for (const listener of doubtListeners) listener();
}

/** Whether doubts are ignored: while a session is being ended, every call may meet its end. */
export function ignoreSessionDoubts(areIgnored: boolean): void {
  isIgnored = areIgnored;
}
