import { compileFormat, signedDirectory } from '@countersign/signature/profile';
import { signatureBase } from '@countersign/signature/rfc9421';
import type { OwnKey } from './own-key.ts';

/** A directory of keys as it is sent, and the URL at which it was requested. */
export interface SentDirectory {
  readonly contentDigest: string;
  readonly targetUri: string;
}

const { listFor, signatureParams } = compileFormat(signedDirectory);
const { select, time } = signedDirectory;

/**
 * Signs a directory with each of these keys, which proves possession of their private halves. Returns the header fields to
 * add; none without a key.
 */
export function signDirectory(
  { contentDigest, targetUri }: SentDirectory,
  keys: readonly OwnKey[],
  nowMs: number,
): Readonly<Record<string, string>> {
  if (keys.length === 0) return {};
  const created = Math.floor(nowMs / 1000);
  const list = listFor(true);
  const field = (): string => contentDigest;
  const message = { field, request: { targetUri, field } };
  const members = keys.map(({ keyid, endsAtMs, sign }, index) => {
    const label = index === 0 ? select.label : `${select.label}${index + 1}`;
    const params = signatureParams(list, {
      created: String(created),
      expires: String(Math.min(created + time.lifeSeconds, Math.floor(endsAtMs / 1000))),
      keyid: `"${keyid}"`,
    });
    const signature = sign(Buffer.from(signatureBase(list.components, message, params), 'latin1'));
    return { input: `${label}=${params}`, signature: `${label}=:${signature.toString('base64')}:` };
  });
  return {
    'Content-Digest': contentDigest,
    'Signature-Input': members.map(({ input }) => input).join(', '),
    Signature: members.map(({ signature }) => signature).join(', '),
  };
}
