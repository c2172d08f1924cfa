import type { StepUpProblem } from '@countersign/contract';

const stepUpUrl = '/portal/auth/oidc/step-up';
const channelName = 'countersign-step-up';

/** The result of a step-up at the identity provider. */
export interface ProviderProofEnd {
  readonly problem?: StepUpProblem;
}

/** Opens the identity provider in a window, so that this page stays as it is. Returns false if the browser blocks it. */
export function openProviderWindow(): boolean {
  return window.open(stepUpUrl, '_blank', 'popup,width=560,height=720') !== null;
}

/** Calls back when that window is done; returns a function that unsubscribes. The service has the last word. */
export function onProviderProof(listener: (end: ProviderProofEnd) => void): () => void {
  // The provider's page cuts the link between the windows, so they use a channel of their origin.
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<ProviderProofEnd>) => listener(data));
  return () => channel.close();
}

/** Reports the result to the other windows. */
export function tellProviderProof(end: ProviderProofEnd): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  channel.postMessage(end);
  channel.close();
}
