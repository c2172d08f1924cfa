import type { Awaitable } from '@countersign/signature/profile';

/** Signs a request to the service. Both signers of the signature library do. */
export interface ManagementSigner {
  sign(request: { readonly method: string; readonly url: string }): Awaitable<{
    readonly url: string;
    readonly headers: object;
  }>;
}

/**
 * Reads a resource of the management API; undefined if it does not exist. Rejects if the service does not
 * respond.
 */
export type ManagementReader = (target: string) => Promise<unknown>;

/** Creates a reader that signs. It follows no redirects, because a signature is for one URL. */
export function managementReader({
  baseUrl,
  signer,
  fetch = globalThis.fetch,
}: {
  readonly baseUrl: string;
  readonly signer: ManagementSigner;
  readonly fetch?: typeof globalThis.fetch;
}): ManagementReader {
  return async (target) => {
    const { url, headers } = await signer.sign({ method: 'GET', url: `${baseUrl}${target}` });
    const response = await fetch(url, {
      headers: { ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const text = await response.text();
    if (response.status === 404) return undefined;
    // The problem document says which permission is missing, or what else to do.
    if (response.status !== 200)
      throw new Error(`The service responded with ${response.status} to GET ${target}: ${text}`);
    return JSON.parse(text) as unknown;
  };
}

const answerTimeoutMs = 2000;
