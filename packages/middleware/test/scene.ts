import type { ClientRecord } from '@countersign/middleware';
import { createSigner, type Signer } from '@countersign/signature/node';
import { type KeyPair, makeKeyPair } from '@countersign/testing/key-pair';
import type { WireAnswer, WireRequest } from '@countersign/testing/wire';
import { exchange } from './wire.ts';

export const baseUrl = 'https://api.example.test';
export const clientId = 'shop';
export const keyPair: KeyPair = makeKeyPair();
export const otherKeyPair: KeyPair = makeKeyPair();

/** A client that may call from everywhere, with the first key pair. */
export const shop: ClientRecord = {
  accountId: 'account_1',
  keys: [keyPair.publicKey],
  network: ['0.0.0.0'],
  roles: ['buyer'],
  permissions: ['orders:write'],
};

export const signer: Signer = createSigner({ keyid: clientId, privateKey: keyPair.privateKey });

/** A request to sign and to send, and its changes in transit. */
export interface Sending {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly signer?: Signer;
  /** Changes the target that was signed into the one on the wire. */
  readonly target?: (signed: string) => string;
  /** Further lines, after Host. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Sends the body in these chunks instead of announcing its length. */
  readonly chunks?: readonly string[];
}

/** Signs a request. No two have the same URL, so equal ones get no later `created`. */
export function signedRequest(sending: Sending = {}): WireRequest {
  const { method = 'POST', path = '/things', body, chunks, headers = [] } = sending;
  const unique = `${path}${path.includes('?') ? '&' : '?'}n=${requestCount++}`;
  const signed = (sending.signer ?? signer).sign({ method, url: baseUrl + unique, body });
  const chunked = chunks?.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`);
  const length = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const];
  return {
    method,
    target: (sending.target ?? ((target) => target))(unique),
    headers: [
      ['Host', 'api.example.test'],
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
      ...(chunked ? [['Transfer-Encoding', 'chunked'] as const] : length),
      ...headers,
      ...Object.entries(signed.headers),
    ],
    body: chunked ? `${chunked.join('')}0\r\n\r\n` : body,
  };
}

let requestCount = 0;

/** Signs and sends a request on a connection of its own. */
export function sendSigned(port: number, sending: Sending = {}): Promise<WireAnswer> {
  return exchange(port, signedRequest(sending));
}

/** A request as bytes, for connections that carry several. */
export function bytesOf({ method, target, headers, body = '' }: WireRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ]);
}
