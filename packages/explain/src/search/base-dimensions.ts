import { utf8Text } from '../byte-text.ts';
import type { Alternative, Dimension } from '../drafts/alternatives.ts';
import { type BaseDraft, type LineName, showsLine } from '../drafts/base-draft.ts';
import type { CandidateKey, ExplainOptions, RequestToExplain } from '../explanation.ts';
import type { Note } from '../findings/finding.ts';
import { readMeantSignatureInput, signedInput } from '../reading/lenient-signature-input.ts';
import type { MeantRequest } from '../reading/meant-request.ts';
import { splitUrl } from '../reading/url-parts.ts';
import { formDimensions } from '../variations/form-variations.ts';
import {
  createdAlternatives,
  otherParameters,
  paramsAlternatives,
  thousandths,
} from '../variations/params-variations.ts';
import { componentValueDimension } from '../variations/component-values.ts';
import { otherTexts } from '../variations/other-texts.ts';
import { urlDimensions } from '../variations/url-variations.ts';
import {
  dateAlternatives,
  digestAlternatives,
  distantDates,
  methodAlternatives,
  oldDigestAlternatives,
  type OtherDigest,
} from '../variations/value-variations.ts';
import type { Budget } from './budget.ts';
import { type BodyForm, otherDigests } from './digest-search.ts';

/** The possible inputs of a base. */
export interface Circumstances {
  readonly request: RequestToExplain;
  readonly meant: MeantRequest;
  readonly forms: readonly BodyForm[];
  readonly hashedText?: string | undefined;
  readonly candidates: readonly CandidateKey[];
  readonly options: ExplainOptions;
}

/** Lists every way in which a base may deviate from the request's declarations. */
export function baseDimensions(
  { request, meant, forms, hashedText, candidates, options }: Circumstances,
  budget: Budget,
  declared: BaseDraft,
): readonly Dimension<BaseDraft>[] {
  const { others, received, created, date, digest } = meant;
  const around = {
    baseUrls: options.baseUrls ?? [],
    internalHosts: options.internalHosts ?? [],
    host: others.get('host'),
    forwardedHosts: forwardedHosts(meant),
    userInfo: basicUserInfo(others.get('authorization')),
    form: queryInBody(request.body),
  };
  const override =
    others.get('x-http-method-override') ?? others.get('x-http-method') ?? others.get('x-method-override');
  const dates = {
    dateSeconds: date?.seconds,
    created: created?.seconds,
    nowSeconds: options.nowSeconds,
    raw: received.fields.date.raw,
  };
  const digests = (): readonly Alternative<string>[] => {
    const instead = digestsInstead(
      forms,
      options,
      budget,
      received.fields['content-digest'].raw !== undefined,
    );
    if (declared.contentDigest === '' && instead.length === 0) return [];
    return digestAlternatives(
      declared.contentDigest,
      received.fields['content-digest'].raw,
      digest?.bytes,
      instead,
    );
  };
  // Dimensions that are cheap to prepare come first, along with those that determine which other parts are written.
  return [
    { field: 'otherText', alternatives: () => otherTexts(request.body, hashedText, meant.others) },
    ...formDimensions(declared, others),
    ...urlDimensions(splitUrl(request.targetUri), around),
    {
      field: 'method',
      isWritten: showsMethod,
      alternatives: () => methodAlternatives(declared.method, override),
    },
    { field: 'contentDigest', isWritten: hasLine('content-digest'), alternatives: digests },
    {
      field: 'oldDigest',
      isWritten: hasLine('digest'),
      alternatives: () => (digest ? oldDigestAlternatives(declared.oldDigest, digest.bytes) : []),
    },
    {
      field: 'date',
      isWritten: hasLine('date'),
      alternatives: () => dateAlternatives(declared.date, dates),
      alone: () => distantDates(declared.date, dates),
    },
    ...(meant.structure ? [componentValueDimension(declared, others, rawValues(request))] : []),
    ...paramsDimensions(meant, candidates, declared.signatureParams),
  ];
}

/** The fields as they came, lines joined. */
function rawValues({ headers }: RequestToExplain): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const before = values.get(lower);
    values.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return values;
}

/** Lists the mistakes of signers that write the parameters a second time. */
function paramsDimensions(
  { input, algorithm, created, date }: MeantRequest,
  candidates: readonly CandidateKey[],
  guessed: string,
): readonly Dimension<BaseDraft>[] {
  const received = input ?? readMeantSignatureInput(guessed);
  if (!received) return [];
  const signed = signedInput(received);
  const isWritten = hasLine('@signature-params');
  const seconds = created?.seconds ?? date?.seconds;
  const keyids = candidates.flatMap(({ clientId, clientName }) => [clientName ?? clientId, clientId]);
  return [
    {
      field: 'signatureParams',
      isWritten,
      alternatives: () => paramsAlternatives(signed, received.signatureParams, algorithm),
      alone: () => thousandths(signed, seconds),
    },
    { field: 'created', isWritten, alternatives: () => createdAlternatives(signed, seconds) },
    { field: 'otherParameter', isWritten, alternatives: () => otherParameters(signed, [...new Set(keyids)]) },
  ];
}

function hasLine(name: LineName): (draft: BaseDraft) => boolean {
  return (draft) => showsLine(draft, name);
}

function showsMethod(draft: BaseDraft): boolean {
  return showsLine(draft, '@method') || draft.structure.lines.includes('(request-target)');
}

/** Larger bodies are not varied for digests. */
const bodyBytesMax = 64 * 1024;

function digestsInstead(
  forms: readonly BodyForm[],
  { sha256 }: ExplainOptions,
  budget: Budget,
  isReceived: boolean,
): readonly OtherDigest[] {
  const small = forms.filter(({ bytes }) => bytes.length > 0 && bytes.length <= bodyBytesMax);
  const plain = small.map(({ bytes, notes }, index): OtherDigest => ({
    digest: sha256(bytes),
    cost: 1,
    detail: index === 0 ? 'the digest of the body that arrived was signed' : signedDigestOf(notes),
    notes,
  }));
  const empty: OtherDigest = {
    digest: sha256(new Uint8Array(0)),
    cost: 2,
    detail: 'the digest of an empty body was signed',
    notes: [{ code: 'body_empty', subject: 'no bytes at all' }],
  };
  const varied = otherDigests(small, sha256, budget, isReceived ? 2 : 3).map(
    ({ digest, cost, notes }): OtherDigest => ({
      digest,
      // A received digest was most probably the signed one.
      cost: isReceived ? 4 : cost,
      detail: signedDigestOf(notes),
      notes,
    }),
  );
  return small.length === 0 ? [] : [...plain, empty, ...varied];
}

function signedDigestOf(notes: readonly Note[]): string {
  const subject = notes.find((note) => note.subject !== undefined)?.subject ?? 'the body';
  const differences = notes.flatMap(({ detail }) => detail ?? []);
  return `the digest of ${[subject, differences.join(', ')].filter(Boolean).join(' ')} was signed`;
}

function forwardedHosts({ others }: MeantRequest): readonly string[] {
  const names = ['x-forwarded-host', 'x-original-host', 'x-forwarded-server', ':authority'];
  const plain = names.flatMap(
    (name) =>
      others
        .get(name)
        ?.split(',')
        .map((host) => host.trim()) ?? [],
  );
  const forwarded = /host="?([^";,\s]+)/i.exec(others.get('forwarded') ?? '')?.[1];
  return forwarded === undefined ? plain : [...plain, forwarded];
}

/** Libraries move query parameters to the body of a request that has none. */
function queryInBody(body: Uint8Array | undefined): string | undefined {
  if (body === undefined || body.length === 0 || body.length > queryBytesMax) return undefined;
  const text = utf8Text(body);
  return text !== undefined && /^[^\s{}[\]"=]+=[^\s{}"]*$/.test(text) ? text : undefined;
}

const queryBytesMax = 4096;

/** Reads `user:password` from Basic authentication, in Latin-1 characters. */
function basicUserInfo(authorization: string | undefined): string | undefined {
  const [, base64] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? '') ?? [];
  try {
    const text = atob(base64 ?? '');
    return /^[^\s@/?#]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
