import { hash, verify } from 'node:crypto';
import { createSigner } from '@countersign/signature/node';
import { baseUrl } from '../signed-payment.ts';
import { acceptedOnce } from './accepted-once.ts';

export * from '../../packages/gate/src/decision/decide.ts';

const { base, signature } = sampleSignature(process.env['BENCH_PRIVATE_KEY']!);

/**
 * Replaces `decide` with the unavoidable part of the checks, with everything prepared: one RSA verification, one
 * digest of the body.
 */
export const decide = acceptedOnce((body, key) => {
  hash('sha256', body, 'buffer');
  if (!verify('sha256', base, key.keyObject, signature)) throw new Error('must verify');
});

function sampleSignature(privateKey: string): { base: Buffer; signature: Buffer } {
  const { signatureBase, headers } = createSigner({ keyid: 'bench', privateKey }).sign({
    method: 'POST',
    url: `${baseUrl}/v1/payments`,
    body: 'x'.repeat(300),
  });
  return {
    base: Buffer.from(signatureBase),
    signature: Buffer.from(headers.Signature.slice('sig=:'.length, -1), 'base64'),
  };
}
