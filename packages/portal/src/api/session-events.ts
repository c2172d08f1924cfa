import type { StepUpMethod } from '@countersign/contract';

/** Asks the person to prove anew who they are; resolves with whether they did. */
export type StepUpPrompt = (methods: readonly StepUpMethod[]) => Promise<boolean>;

let prompt: StepUpPrompt | undefined;
let current: Promise<boolean> | undefined;
const endListeners = new Set<() => void>();

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

/** Calls back whenever the service says that there is no session; returns what stops it. */
export function onSessionEnd(listener: () => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** Tells the page that there is no session any more. */
export function reportSessionEnd(): void {
  for (const listener of endListeners) listener();
}
