import { encodeBase64 } from '@countersign/signature';
import {
  type CoveredComponent,
  type DefinedProfile,
  type DigestToCompare,
  type ExaminedSignature,
  messageAlgorithms,
  readDigests,
} from '@countersign/signature/messages/request';
import { isEqual } from '../byte-text.ts';
import type { CandidateKey, ExplainOptions, RequestToExplain } from '../explanation.ts';
import { isUsable, readUsable } from '../keys/candidates.ts';
import { algorithmsOf } from '../keys/signing-key.ts';
import { type MeantSignatureInput, readMeantSignatureInput } from '../reading/lenient-signature-input.ts';
import { readMeantCreated } from '../reading/lenient-created.ts';
import { type MeantDigest, readMeantDigest } from '../reading/meant-digest.ts';
import { type MeantRequest, readMeantRequest } from '../reading/meant-request.ts';
import type { ReceivedField } from '../reading/received-fields.ts';
import { rsaAlgorithms } from '../rsa/rsa-uses.ts';
import { digestOf } from './digest-of.ts';
import { examineRequest } from './examine-request.ts';
import { thumbprintOf } from './thumbprint.ts';

/**
 * Returns the keys that a request is judged with: what an RSA key may be used with is the profile's if nothing else is said, and
 * a key without a client counts as that of the client that the request names.
 */
export function keysBy(
  defined: DefinedProfile,
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
): readonly CandidateKey[] {
  const { profile } = defined;
  const ofProfile = rsaAlgorithms.filter((name) => profile.algorithms.some((one) => one === name));
  const usual = ofProfile.length > 0 ? ofProfile : rsaAlgorithms;
  const hasNameless = candidates.some(({ clientId }) => clientId === '');
  const keyid = hasNameless ? keyidBy(defined, request) : undefined;
  return candidates.map(({ algorithms = usual, clientId, ...rest }) => ({
    ...rest,
    algorithms,
    clientId: clientId === '' ? (keyid ?? '') : clientId,
  }));
}

/** Returns the `keyid` of the signature that a profile selects; if it selects none, of any. */
export function keyidBy(defined: DefinedProfile, request: RequestToExplain): string | undefined {
  const { signature } = examineRequest(defined, request, { nowSeconds: 0 });
  return signature?.parameters.keyid ?? readMeantRequest(request, []).keyid;
}

/** Returns the client that a `keyid` names: a client ID, or the thumbprint of a client's key as a JWK, or the URL of one. */
export function keyidOf(keyid: string | undefined, candidates: readonly CandidateKey[]): string | undefined {
  if (keyid === undefined || candidates.some(({ clientId }) => clientId === keyid)) return keyid;
  // Base64url of 32 bytes.
  const isThumbprint = /^[\w-]{43}$/.test(keyid);
  const named = candidates.filter(
    (candidate) =>
      candidate.environment === undefined &&
      (candidate.publishedId === keyid || (isThumbprint && thumbprintOf(candidate) === keyid)),
  );
  const owner = named.find((candidate) => isUsable(candidate, candidate.clientId)) ?? named[0];
  return owner?.clientId ?? keyid;
}

/** Reads a request by a profile, for the search: its lines are those that the signature covers, with the values that arrived. */
export function readBy(
  defined: DefinedProfile,
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): MeantRequest {
  const meant = readMeantRequest(request, candidates);
  const unreadable = unreadableSignature(meant);
  const readable = unreadable === undefined ? request : unreadable.withAnother(request);
  const { signature } = examineRequest(defined, readable, options);
  if (signature === undefined) {
    const keyid = keyidOf(meant.keyid, candidates);
    return { ...meant, keyid, received: { ...meant.received, findings: [] } };
  }
  const { parameters, covered, text, input, base } = signature;
  const keyid = keyidOf(parameters.keyid, candidates);
  const fields = {
    ...meant.received.fields,
    'signature-input': received(`sig=${text}`),
    signature: received(unreadable?.text ?? `sig=:${encodeBase64(signature.bytes)}:`),
  };
  const created = input.parameters.get('created')?.value;
  return {
    ...meant,
    received: { fields, findings: [], missing: base === undefined ? ['signature'] : [] },
    input: meantInput(signature),
    cavage: undefined,
    keyid,
    algorithm: algorithmOf(keyid, parameters.alg, candidates, defined),
    created: created === undefined ? undefined : readMeantCreated(String(created)),
    digest: meantDigest(signature, meant, request, options),
    structure: { lines: linesOf(signature), isCavage: false },
    others: new Map([...meant.others, ...(covered ?? []).map(valueOfLine)]),
  };
}

/** A `Signature` that is no dictionary, as the lenient reader knows it, and the request with one that can be read. */
interface UnreadableSignature {
  readonly text: string;
  readonly withAnother: (request: RequestToExplain) => RequestToExplain;
}

/** Undefined for one that can be read. */
function unreadableSignature({ received: { fields }, input }: MeantRequest): UnreadableSignature | undefined {
  const { value } = fields.signature;
  const label = input?.label;
  if (value === undefined || label === undefined || isReadable(value)) return undefined;
  return {
    text: value.startsWith(`${label}=`) ? `sig=${value.slice(label.length + 1)}` : value,
    withAnother: (request) => ({
      ...request,
      headers: [
        ...request.headers.filter(([name]) => name.toLowerCase() !== 'signature'),
        ['Signature', `${label}=:AAAA:`],
      ],
    }),
  };
}

function isReadable(text: string): boolean {
  return readDigests(text) !== undefined;
}

function received(value: string): ReceivedField {
  return { value, raw: value, others: [] };
}

/** The lines of the base, without quotes around their names. */
function linesOf({ covered, input }: ExaminedSignature): readonly string[] {
  const names = covered
    ? covered.map(({ identifier }) => lineName(identifier.text))
    : input.items.map(({ value }) => String(value.value));
  return [...names, '@signature-params'];
}

function lineName(text: string): string {
  return text.replace(/^"([^"]*)"/, '$1');
}

function valueOfLine({ identifier, value }: CoveredComponent): [string, string] {
  return [lineName(identifier.text), value];
}

/** The lenient reader reads what the strict one has written, with the label that it knows. */
function meantInput({ text, covered, input }: ExaminedSignature): MeantSignatureInput | undefined {
  const read = readMeantSignatureInput(`sig=${text}`);
  if (read === undefined) return undefined;
  const texts = covered?.map(({ identifier }) => identifier.text) ?? [];
  return {
    ...read,
    components: input.items.map(({ value }) => String(value.value)),
    componentParameters: texts.map((one) => one.replace(/^"[^"]*"/, '')),
    joinedNames: undefined,
    misspeltNames: [],
    signatureParams: text,
    canonicalParams: text,
    isCut: false,
    findings: [],
  };
}

/** The algorithm that the signature should announce. */
function algorithmOf(
  keyid: string | undefined,
  announced: string | undefined,
  candidates: readonly CandidateKey[],
  { profile }: DefinedProfile,
): string {
  const ofKeys = readUsable(candidates, keyid).flatMap(algorithmsOf);
  const possible = profile.algorithms.filter((name) => ofKeys.length === 0 || ofKeys.includes(name));
  if (possible.some((name) => name === announced)) return announced!;
  return possible.find((name) => messageAlgorithms[name].isRegistered) ?? profile.algorithms[0]!;
}

/** The digest that is compared with the body: of several, the first that differs. */
function meantDigest(
  { digests }: ExaminedSignature,
  meant: MeantRequest,
  { body }: RequestToExplain,
  options: ExplainOptions,
): MeantDigest | undefined {
  if ('ok' in digests) {
    const value = meant.received.fields['content-digest'].value;
    return value === undefined ? undefined : readMeantDigest(value);
  }
  const [first] = digests;
  const differing =
    body && digests.find(({ algorithm, digest }) => !isDigest(algorithm, digest, body, options));
  const chosen = differing ?? first;
  return chosen && { bytes: chosen.digest, hash: hashNames[chosen.algorithm], notes: [] };
}

const hashNames = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;

function isDigest(
  algorithm: DigestToCompare['algorithm'],
  digest: Uint8Array,
  body: Uint8Array,
  options: ExplainOptions,
): boolean {
  const expected = digestOf(algorithm, body, options);
  return expected === undefined || isEqual(expected, digest);
}
