import type * as web from '../src/index.ts';
import * as node from '../src/node.ts';
import type { Lab } from './lab.ts';
import { clientId, privateKeyPem } from './keys.ts';

export interface TestRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

export interface TestResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends a request through an HTTP client as its users would, to the lab. */
export type Send = (request: TestRequest) => Promise<TestResponse>;

export interface AdapterUnderTest {
  readonly name: string;
  /** Of this client's requests, all connections end in the lab. */
  readonly open: (signer: node.RequestSigner, lab: Lab) => Send;
}

/** Every HTTP client, with its adapter. */
export const adapters: readonly AdapterUnderTest[] = [
  { name: 'fetch', open: (signer, lab) => throughFetch(node.signingFetch(signer), lab) },
];

export type TestOptions = Partial<Omit<web.SignerOptions, 'privateKey'>>;

/** A signer of the lab's client. */
export function signerOnNode(options: TestOptions = {}): node.RequestSigner {
  return node.createRequestSigner({ clientId, privateKey: privateKeyPem, ...options });
}

export function throughFetch(fetch: node.SigningFetch, lab: Lab): Send {
  return async ({ method, url, headers, body }) => {
    const init = { method, headers, body, dispatcher: lab.dispatcher } as RequestInit;
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  };
}
