import {
  compileFormat,
  forwarded,
  forwardedProfiled,
  type IdentityField,
  type ProfiledField,
} from '@countersign/signature/profile';
import { signatureBase } from '@countersign/signature/rfc9421';
import type { ForwardedIdentity } from './forwarded-headers.ts';

/** The key that currently signs forwarded requests and responses. */
export interface ForwardingKey {
  /** Its JWK thumbprint (RFC 7638), under which it is published. */
  readonly keyid: string;
  /** Signs with Ed25519. */
  readonly sign: (signatureBase: Uint8Array) => Buffer;
}

/** Signs forwarded requests for upstreams that require it, and responses on routes that ask for it. */
export interface ForwardingSigner {
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
  /** Returns the current signing key; undefined if none is published, because nobody could verify its signatures. */
  readonly key: () => ForwardingKey | undefined;
}

/** Everything that the signature of a forwarded request covers. */
export interface SignedForward {
  readonly method: string;
  /** The URL that the client called. */
  readonly targetUri: string;
  readonly identity: ForwardedIdentity;
  readonly requestId: string;
}

/** Two header lines: the member `countersign` of `Signature-Input` and of `Signature`. */
export interface ForwardedSignature {
  readonly input: string;
  readonly signature: string;
}

const closed = compileFormat(forwarded);
const profiled = compileFormat(forwardedProfiled);
const { label } = forwarded.select;

/** Signs a forwarded request: adds a member to the client's signature, as an intermediary does (RFC 9421 section 4.3). */
export function signForwarded(
  { method, targetUri, identity, requestId }: SignedForward,
  { keyid, sign }: ForwardingKey,
  nowMs: number,
): ForwardedSignature {
  const created = Math.floor(nowMs / 1000);
  const { contentDigest } = identity;
  const { listFor, signatureParams } = identity.profiled === undefined ? closed : profiled;
  const list = listFor(contentDigest !== undefined);
  const params = signatureParams(list, {
    created: String(created),
    expires: String(created + forwarded.time.lifeSeconds),
    keyid: `"${keyid}"`,
  });
  const fields: Readonly<Record<IdentityField | ProfiledField | 'content-digest', string | undefined>> = {
    'content-digest': contentDigest,
    'countersign-client-id': identity.clientId,
    'countersign-account': identity.accountId,
    'countersign-roles': identity.roles.join(', '),
    'countersign-key': identity.keyId,
    'countersign-request-id': requestId,
    'countersign-profile': identity.profiled?.profile,
    'countersign-covered': identity.profiled?.covered,
  };
  const field = (name: string): string | undefined => fields[name as keyof typeof fields];
  const base = signatureBase(list.components, { method, targetUri, field }, params);
  const signature = sign(Buffer.from(base, 'latin1')).toString('base64');
  return { input: `${label}=${params}`, signature: `${label}=:${signature}:` };
}
