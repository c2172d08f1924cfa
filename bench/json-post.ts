import type { SignedRequest } from '@countersign/signature';

/** The request whose verification and signing are measured: a JSON POST of 300 bytes. */
export const keyid = 'client_01k9xq2v6h4mz7c1r8t0w5n3bd';
export const url = 'https://api.example.com/v1/payments';
const payment = { amount: 4200, currency: 'EUR', reference: 'invoice-2026-000123', description: '' };
const description = 'x'.repeat(300 - JSON.stringify(payment).length);
export const body: Buffer<ArrayBuffer> = Buffer.from(JSON.stringify({ ...payment, description }));

/** The parts of a signed request that a verifier, or the bare crypto, gets. */
export interface SignedParts {
  readonly base: Buffer<ArrayBuffer>;
  readonly signature: Buffer<ArrayBuffer>;
  readonly received: {
    readonly method: string;
    readonly targetUri: string;
    readonly headers: string[];
    readonly body: Buffer<ArrayBuffer>;
  };
}

export function partsOf({ signatureBase, headers }: SignedRequest): SignedParts {
  const rawHeaders = [
    'Host',
    'api.example.com',
    'User-Agent',
    'bench/1',
    'Accept',
    '*/*',
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
    ...Object.entries(headers).flat(),
  ];
  return {
    base: Buffer.from(signatureBase),
    signature: Buffer.from(headers.Signature.slice('sig=:'.length, -1), 'base64'),
    received: { method: 'POST', targetUri: url, headers: rawHeaders, body },
  };
}

/** Makes sure that it works: a benchmark of something broken measures nothing. */
export function mustBe(ok: boolean): void {
  if (!ok) throw new Error('A verification that must succeed failed.');
}
