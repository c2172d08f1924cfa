import { compileFormat, signedResponse } from '@countersign/signature/profile';
import { signatureBase } from '@countersign/signature/rfc9421';
import type { RequestHead } from '../door.ts';
import { valuesOf } from '../http/framing.ts';
import type { ForwardingKey } from './forwarded-signature.ts';

/** Everything that the signature of a response covers. */
export interface SignedAnswer {
  readonly status: number;
  /** The `Content-Digest` of the body as it is sent; undefined without a body. */
  readonly contentDigest: string | undefined;
  /** The request that it answers, which was signed. */
  readonly request: Pick<RequestHead, 'method' | 'targetUri' | 'rawHeaders'>;
}

/** The names of the header fields that only the gateway writes on a signed response, in lower case. */
export const responseSignatureFields: ReadonlySet<string> = new Set([
  'content-digest',
  'signature-input',
  'signature',
]);

const { listFor, signatureParams } = compileFormat(signedResponse);
const { label } = signedResponse.select;

/** Signs a response, bound to its request (RFC 9421 section 2.4). Returns the header fields to add. */
export function signResponse(
  { status, contentDigest, request }: SignedAnswer,
  { keyid, sign }: ForwardingKey,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { method, targetUri, rawHeaders } = request;
  const fieldOfRequest = (name: string): string | undefined => combined(valuesOf(rawHeaders, name));
  const list = listFor(contentDigest !== undefined, fieldOfRequest('content-digest') !== undefined);
  const params = signatureParams(list, { created: String(Math.floor(nowMs / 1000)), keyid: `"${keyid}"` });
  const message = {
    status,
    field: () => contentDigest,
    request: { method, targetUri, field: fieldOfRequest },
  };
  const base = signatureBase(list.components, message, params);
  const signature = sign(Buffer.from(base, 'latin1')).toString('base64');
  return {
    ...(contentDigest !== undefined && { 'Content-Digest': contentDigest }),
    'Signature-Input': `${label}=${params}`,
    Signature: `${label}=:${signature}:`,
  };
}

/** Joins the lines of a field (RFC 9421 section 2.1). */
function combined(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.map((line) => line.trim()).join(', ');
}
