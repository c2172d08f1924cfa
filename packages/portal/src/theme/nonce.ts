import { setNonce } from 'get-nonce';

/**
 * The nonce that the service put into the page, for styles that are made at run time: the policy of the page allows no
 * others. It is handed to `get-nonce` too, which the scroll lock of dialogs asks.
 */
export function readStyleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  setNonce(nonce);
  return nonce;
}
