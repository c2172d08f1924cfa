import {
  type ComponentList,
  identityFields,
  profiledFields,
  unprovedFields,
} from '@countersign/signature/profile';
import type { ReceivedRequest } from './received-request.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The client that sent a request, authenticated by the gateway. */
export interface Identity {
  readonly clientId: string;
  readonly account: string;
  readonly roles: readonly string[];
  /** The ID of the client's key that signed the request. */
  readonly keyId: string;
  readonly requestId: string;
  /** The client's profile, such as `curl-8.22`; only there if it is another one than the closed one. */
  readonly profile?: string;
  /**
   * The components that the client's signature covers, as in `Signature-Input`: `"@method" "@authority"`. Only there with
   * `profile`: a signature by the closed one covers method, URL and body.
   */
  readonly covered?: string;
}

/**
 * Finds headers that could be mistaken for ours: repeated names, or the same name with other punctuation,
 * which CGI, WSGI, Rack and PHP cannot tell apart; and values that cannot be ours.
 */
export function findUnsoundHeader({ fields }: ReceivedRequest): Refusal | undefined {
  for (const [name, values] of fields) {
    const plain = name.replace(/[^a-z0-9]/g, '-');
    if (!signedOnce.has(plain)) continue;
    if (name !== plain) return refuse('header_ambiguous', `there is a header ${JSON.stringify(name)}`);
    if (values.length > 1) return refuse('header_ambiguous', `${name} comes ${values.length} times`);
    // A line break could imitate another line of the signature base.
    if (!/^[\x20-\x7e]*$/.test(values[0]!))
      return refuse('request_malformed', `${name} has characters that the gateway does not write`);
  }
  return undefined;
}

const signedOnce: ReadonlySet<string> = new Set([
  ...identityFields,
  ...profiledFields,
  ...unprovedFields,
  'content-digest',
]);

/** Rejects a header of ours that the gateway would have signed, or would not have sent with a client. */
export function findUnsignedHeader(
  { fields }: ReceivedRequest,
  { identifiers }: ComponentList,
): Refusal | undefined {
  const name = [...profiledFields, ...unprovedFields].find(
    (one) => fields.has(one) && !identifiers.includes(one),
  );
  return name && refuse('header_unsigned', `the signature does not cover ${name}`);
}

/** Reads the caller's identity. It is not verified yet. */
export function readIdentity(
  { fields }: ReceivedRequest,
  { identifiers }: ComponentList,
): Identity | Refusal {
  const values = identityFields.map((name) => fields.get(name)?.[0]);
  const [clientId, account, roles, keyId, requestId] = values;
  if (!clientId || !account || roles === undefined || !keyId || !requestId) {
    const missing = identityFields.filter((_, index) => values[index] === undefined || values[index] === '');
    return refuse('identity_missing', `the request has no ${missing.join(', no ')}`);
  }
  const [profile, covered] = profiledFields.map((name) => fields.get(name)?.[0]);
  const isProfiled = identifiers.includes('countersign-profile');
  if (isProfiled && (!profile || !covered))
    return refuse('identity_missing', `the request does not have ${profiledFields.join(' and ')}`);
  const names = roles.split(',').map((name) => name.trim());
  return {
    clientId,
    account,
    roles: names.filter((name) => name !== ''),
    keyId,
    requestId,
    ...(isProfiled && { profile: profile!, covered: covered! }),
  };
}
