import { componentListFor, encodeBase64, formatHttpDate, signatureAlgorithm } from '@countersign/signature';
import { profileSignatureBase } from '@countersign/signature/profile';
import { type BaseDraft, type BaseStructure } from '../search/base-draft.ts';
import { type CavageSignature, readCavageSignature } from './cavage.ts';
import type { ExplainOptions, ReceivedRequest } from '../explanation.ts';
import { usualForm } from '../variations/form-variations.ts';
import { type MeantDate, readMeantDate } from './lenient-date.ts';
import {
  type MeantSignatureInput,
  parameterValue,
  readMeantSignatureInput,
} from './lenient-signature-input.ts';
import { type MeantDigest, readMeantDigest } from './meant-digest.ts';
import { receiveFields, type ReceivedFields } from './received-fields.ts';
import { type MeantCreated, readMeantCreated } from '../findings/time-findings.ts';
import { splitUrl, wholeUrl } from '../variations/url-variations.ts';

/** A request as its sender meant it, as far as that can be read. */
export interface MeantRequest {
  readonly received: ReceivedFields;
  readonly input: MeantSignatureInput | undefined;
  readonly cavage: CavageSignature | undefined;
  readonly keyid: string | undefined;
  readonly created: MeantCreated | undefined;
  readonly date: MeantDate | undefined;
  readonly digest: MeantDigest | undefined;
  readonly hasBody: boolean | undefined;
  /** Header lines by lower-case name, and what else a line of a base may be. */
  readonly others: ReadonlyMap<string, string>;
}

/** Reads a request leniently. */
export function readMeantRequest(request: ReceivedRequest): MeantRequest {
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
  return {
    received,
    input,
    cavage,
    keyid: parameterValue(input, 'keyid') ?? cavage?.keyid,
    created,
    date: fields.date.value === undefined ? undefined : readMeantDate(fields.date.value),
    digest,
    hasBody,
    others: otherValues(request, digest, createdRaw),
  };
}

/** The base that the caller should have built: that of the request as it was meant, in the form of the profile. */
export function mendedBase(
  request: ReceivedRequest,
  meant: MeantRequest,
  options: ExplainOptions,
): string | undefined {
  const { keyid, received } = meant;
  const created = meant.created?.seconds ?? meant.date?.seconds;
  if (keyid === undefined || created === undefined) return undefined;
  const coversDigest = meant.hasBody ?? received.fields['content-digest'].value !== undefined;
  const names = meant.input?.components.map((name) => name.toLowerCase()) ?? [];
  const list = componentListFor(coversDigest, names.includes('date') || options.acceptWithoutDate !== true);
  const quoted = keyid.replace(/["\\]/g, '\\$&');
  return profileSignatureBase({
    method: request.method,
    targetUri: request.targetUri,
    contentDigest: coversDigest ? digestLine(request, meant, options) : undefined,
    date: list.coversDate ? mendedDate(meant, created, options) : undefined,
    signatureParams: `${list.text};created=${created};keyid="${quoted}";alg="${signatureAlgorithm}"`,
  });
}

/**
 * The text that the caller signed, if it signed what it declares. What is not declared is guessed: the parameters from
 * Date and `clientId`, which is that of the key that signed.
 */
export function declaredDraft(
  request: ReceivedRequest,
  meant: MeantRequest,
  options: ExplainOptions,
  clientId?: string,
): BaseDraft {
  const { received, input } = meant;
  const created = meant.created?.seconds;
  const { fields } = received;
  const values = [fields.date.value, fields['content-digest'].value, input?.signatureParams];
  const hasOctets = values.some((value) => value !== undefined && /[\x80-\xff]/.test(value));
  return {
    method: request.method,
    ...splitUrl(request.targetUri),
    targetUri: wholeUrl,
    contentDigest: received.fields['content-digest'].value ?? digestLine(request, meant, options),
    date: received.fields.date.value ?? formatHttpDate(created ?? options.nowSeconds),
    oldDigest: meant.others.get('digest') ?? '',
    signatureParams: input?.signatureParams ?? guessedParams(meant, clientId),
    structure: declaredStructure(meant),
    ...usualForm,
    charset: hasOctets ? 'latin-1' : 'utf-8',
  };
}

function guessedParams(
  { keyid, created, date, hasBody }: MeantRequest,
  clientId: string | undefined,
): string {
  const seconds = created?.seconds ?? date?.seconds;
  const id = keyid ?? clientId;
  if (seconds === undefined || id === undefined) return '';
  return `${componentListFor(hasBody ?? false, true).text};created=${seconds};keyid="${id}";alg="${signatureAlgorithm}"`;
}

function declaredStructure({ input, cavage, hasBody }: MeantRequest): BaseStructure {
  if (input && input.components.length > 0) {
    const lines = [...input.components.map((name) => name.toLowerCase()), '@signature-params'];
    return { lines, isCavage: false };
  }
  if (cavage) return { lines: cavage.lines, isCavage: true };
  return profileStructure(hasBody ?? false);
}

/** The lines of a base of the profile. */
export function profileStructure(hasBody: boolean): BaseStructure {
  return { lines: [...componentListFor(hasBody, true).identifiers, '@signature-params'], isCavage: false };
}

function digestLine(request: ReceivedRequest, meant: MeantRequest, { sha256 }: ExplainOptions): string {
  if (request.body && request.body.length > 0) return `sha-256=:${encodeBase64(sha256(request.body))}:`;
  return meant.received.fields['content-digest'].value ?? '';
}

function mendedDate(meant: MeantRequest, created: number, options: ExplainOptions): string {
  const apartMax = options.window?.maxDateDifferenceSeconds ?? 60;
  const { date } = meant;
  return formatHttpDate(date && Math.abs(date.seconds - created) <= apartMax ? date.seconds : created);
}

const otherLinesMax = 100;
const otherValueLengthMax = 1024;

function otherValues(
  request: ReceivedRequest,
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
  if (created !== undefined) values.set('(created)', created);
  return values;
}
