import {
  type Member,
  parseDictionary,
  serializeDictionary,
  serializeMember,
} from '@countersign/signature/rfc9421';
import { identityNames } from './identity-headers.ts';
import type { ReceivedRequest } from './received-request.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The gateway's signature, well-formed but not yet verified. */
export interface ForwardedSignature {
  /** The identifiers of the covered components, in order. */
  readonly components: readonly string[];
  readonly coversBody: boolean;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds. */
  readonly expires: number;
  readonly keyid: string;
  /** The value of `@signature-params` (RFC 9421 section 2.3). */
  readonly signatureParams: string;
  readonly signature: Uint8Array;
}

/** Reads the member `countersign`. Rejects everything that the gateway does not write. */
export function readForwardedSignature(request: ReceivedRequest): ForwardedSignature | Refusal {
  const input = readMember(request, 'signature-input');
  if (input === undefined) return refuse('signature_missing', 'the gateway did not sign the request');
  const signature = readMember(request, 'signature');
  if (input === 'malformed' || signature === 'malformed' || signature === undefined)
    return malformed('Signature-Input and Signature do not hold one member "countersign" each');
  if (input.type !== 'inner-list' || signature.type !== 'item' || signature.value.type !== 'bytes')
    return malformed('the member "countersign" has another type');
  if (signature.parameters.size > 0 || signature.value.value.length !== signatureBytes)
    return malformed(`an Ed25519 signature has ${signatureBytes} bytes`);
  const components = input.items.map(({ value, parameters }) =>
    value.type === 'string' && parameters.size === 0 ? value.value : '',
  );
  const coversBody = components.includes('content-digest');
  const expected = coversBody ? coveredWithBody : covered;
  if (components.length !== expected.length || components.some((one, index) => one !== expected[index]))
    return malformed('it does not cover what the gateway signs');
  const parameters = readParameters(input);
  if (parameters === undefined) return malformed('its parameters are not those of the gateway');
  return {
    ...parameters,
    components,
    coversBody,
    signatureParams: serializeMember(input),
    signature: signature.value.value,
  };
}

const signatureBytes = 64;
const fieldLengthMax = 16_384;
const covered: readonly string[] = ['@method', '@target-uri', ...identityNames];
const coveredWithBody: readonly string[] = ['@method', '@target-uri', 'content-digest', ...identityNames];

/**
 * Returns the member `countersign` of a signature field, all lines of which are one dictionary (RFC 9421
 * section 4.2). A text with any repetition is malformed: a parser would keep only one of two members with the
 * same label.
 */
function readMember({ fields }: ReceivedRequest, name: string): Member | 'malformed' | undefined {
  const text = (fields.get(name) ?? []).join(', ');
  if (!text.includes('countersign')) return undefined;
  const members = text.length > fieldLengthMax ? undefined : parseDictionary(text);
  if (members === undefined || evenCommas(serializeDictionary(members)) !== evenCommas(text))
    return 'malformed';
  return members.get('countersign');
}

/** Servers and proxies join lines with a comma, but differ in the space after it. */
function evenCommas(text: string): string {
  return text.trim().replace(/[ \t]*,[ \t]*/g, ',');
}

function readParameters({
  parameters,
}: Extract<Member, { readonly type: 'inner-list' }>):
  | Pick<ForwardedSignature, 'created' | 'expires' | 'keyid'>
  | undefined {
  const [created, expires, keyid, algorithm, tag] = ['created', 'expires', 'keyid', 'alg', 'tag'].map(
    (name) => parameters.get(name),
  );
  if (parameters.size !== 5 || created?.type !== 'integer' || expires?.type !== 'integer') return undefined;
  if (keyid?.type !== 'string' || algorithm?.type !== 'string' || tag?.type !== 'string') return undefined;
  if (algorithm.value !== 'ed25519' || tag.value !== 'countersign-forwarded') return undefined;
  return { created: created.value, expires: expires.value, keyid: keyid.value };
}

function malformed(reason: string): Refusal {
  return refuse('signature_malformed', reason);
}
