import { encodeBase64 } from '@countersign/signature';
import { defaultProfile } from '@countersign/signature/profile';
import type { BaseStructure } from '../drafts/base-draft.ts';
import type { CandidateKey, RequestToExplain } from '../explanation.ts';
import { readUsable } from '../keys/candidates.ts';
import { type CavageSignature, readCavageSignature } from './cavage.ts';
import { type MeantCreated, readMeantCreated } from './lenient-created.ts';
import { type MeantDate, readMeantDate } from './lenient-date.ts';
import {
  type MeantSignatureInput,
  parameterValue,
  readMeantSignatureInput,
} from './lenient-signature-input.ts';
import { type MeantDigest, readMeantDigest } from './meant-digest.ts';
import { type ReceivedFields, receiveFields } from './received-fields.ts';
import { splitUrl } from './url-parts.ts';

/** A request as its sender meant it, as far as it can be read. */
export interface MeantRequest {
  readonly received: ReceivedFields;
  readonly input: MeantSignatureInput | undefined;
  readonly cavage: CavageSignature | undefined;
  readonly keyid: string | undefined;
  /** The algorithm that the signature should name: that of the client's keys, if they have only one. */
  readonly algorithm: string;
  readonly created: MeantCreated | undefined;
  readonly date: MeantDate | undefined;
  readonly digest: MeantDigest | undefined;
  readonly hasBody: boolean | undefined;
  /** The lines of the base, if the profile lets them be any. */
  readonly structure?: BaseStructure;
  /** Header values by lower-case name, and other values that can occur in a base's line. */
  readonly others: ReadonlyMap<string, string>;
}

export function readMeantRequest(
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
): MeantRequest {
  const hasBody = request.body && request.body.length > 0;
  const received = receiveFields(request.headers, { hasBody });
  const { fields } = received;
  const inputText = fields['signature-input'].value;
  const input = inputText === undefined ? undefined : readMeantSignatureInput(inputText);
  const cavage = readCavageSignature(request.headers);
  const createdRaw =
    input?.parameters.find(({ name }) => name.toLowerCase() === 'created')?.raw ?? cavage?.created;
  const digestText = fields['content-digest'].value;
  const digest = digestText === undefined ? undefined : readMeantDigest(digestText);
  const created = createdRaw === undefined ? undefined : readMeantCreated(createdRaw);
  const keyid = parameterValue(input, 'keyid') ?? cavage?.keyid;
  return {
    received,
    input,
    cavage,
    keyid,
    algorithm: algorithmFor(keyid, parameterValue(input, 'alg'), candidates),
    created,
    date: fields.date.value === undefined ? undefined : readMeantDate(fields.date.value),
    digest,
    hasBody,
    others: otherValues(request, digest, createdRaw),
  };
}

function algorithmFor(
  keyid: string | undefined,
  declared: string | undefined,
  candidates: readonly CandidateKey[],
): string {
  const [ofKeys, ...others] = new Set(readUsable(candidates, keyid).map(({ algorithm }) => algorithm));
  if (ofKeys !== undefined && others.length === 0) return ofKeys;
  return declared !== undefined && defaultProfile.hasAlgorithm(declared)
    ? declared
    : defaultProfile.algorithm.name;
}

const otherLinesMax = 100;
const otherValueLengthMax = 1024;

function otherValues(
  request: RequestToExplain,
  digest: MeantDigest | undefined,
  created: string | undefined,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of request.headers.slice(0, otherLinesMax)) {
    const lower = name.toLowerCase();
    const before = values.get(lower);
    values.set(
      lower,
      (before === undefined ? '' : `${before}, `) + value.trim().slice(0, otherValueLengthMax),
    );
  }
  if (digest && !values.has('digest')) values.set('digest', `SHA-256=${encodeBase64(digest.bytes)}`);
  if (!values.has('host')) values.set('host', splitUrl(request.targetUri).authority);
  // Signers add these lines without checking whether the header is sent.
  if (!values.has('content-type')) values.set('content-type', 'application/json');
  if (created !== undefined) values.set('(created)', created);
  return values;
}
