import type { StepUpProblem } from '@countersign/contract';

/** Where the identity provider takes over, in a window of its own: what is open here stays as it is. */
const stepUpUrl = '/portal/auth/oidc/step-up';
const channelName = 'countersign-step-up';

/** How a proof by the identity provider ended; without a problem it counts. */
export interface ProviderProofEnd {
  readonly problem?: StepUpProblem;
}

/** Opens the window in which the identity provider asks who the person is; false when the browser allows none. */
export function openProviderWindow(): boolean {
  return window.open(stepUpUrl, '_blank', 'popup,width=560,height=720') !== null;
}

/**
 * Calls back when such a window has come back. Whatever is told, the service decides: it is asked again after it.
 *
 * @returns what stops it
 */
export function onProviderProof(listener: (end: ProviderProofEnd) => void): () => void {
  // The provider's page was in that window, so it knows nothing of this one: they speak by a channel of their origin.
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<ProviderProofEnd>) => listener(data));
  return () => channel.close();
}

/** Tells the other windows of this browser how it ended. */
export function tellProviderProof(end: ProviderProofEnd): void {
  const channel = new BroadcastChannel(channelName);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
  channel.postMessage(end);
  channel.close();
}
