import { profileTimeWindow } from '@countersign/signature';
import { defaultProfile } from '@countersign/signature/profile';
import { algorithms } from '@countersign/signature/rfc9421';
import { type BaseDraft, writeBase } from '../drafts/base-draft.ts';
import { declaredDraft, profileStructure } from '../drafts/declared-base.ts';
import { type Certainty, evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding, type Note } from '../findings/finding.ts';
import { type FindingCode, findings as findingTexts } from '../findings/findings.ts';
import { plainSignature } from '../reading/der-signature.ts';
import { type MeantSignature, readMeantSignature } from '../reading/lenient-signature.ts';
import type { MeantRequest } from '../reading/meant-request.ts';
import { fieldTitle } from '../reading/received-fields.ts';
import { splitUrl } from '../reading/url-parts.ts';
import { baseDimensions } from '../search/base-dimensions.ts';
import {
  type BaseMatch,
  claimedTarget,
  encodeBase,
  readingOfMatch,
  searchBase,
  type SearchTarget,
  targetOf,
  targetOfReadings,
  targetOfTest,
} from '../search/base-search.ts';
import type { EncodedMessage, SigningKey } from '../keys/signing-key.ts';
import { isUsable, readCandidates } from '../keys/candidates.ts';
import { findSigner, type FoundSigner, mayBeChance } from '../search/signer-search.ts';
import { finishes } from '../variations/form-variations.ts';
import type { HashName } from '../explanation.ts';
import type { Investigation } from './investigation.ts';
import { matchFindings } from './match-findings.ts';
import { proxyHeaders } from './proxy-headers.ts';
import { dateCodes, replacedDate } from './replaced-date.ts';
import { lossFinding, restoredSigner, unknownInBase32 } from './mangled-findings.ts';
import { keyFindings, keyidFindings, schemeFindings, unknownKeyFinding } from './signer-findings.ts';

/** The result of examining the signature. */
export interface SignatureDiagnosis {
  readonly findings: readonly Finding[];
  /** Undefined if no known key signed. */
  readonly signer: FoundSigner | undefined;
}

/** Check 8: finds the key that signed, then the text that it signed. */
export function diagnoseSignature(investigation: Investigation): SignatureDiagnosis {
  const { candidates, hashes, budget, meant } = investigation;
  const { keyid } = meant;
  const keys = readCandidates(candidates, keyid);
  const signature = meantSignature(meant, keys);
  const findings: Finding[] = [];
  if (signature) findings.push(...signature.findings);
  else if (meant.received.fields.signature.value !== undefined && !meant.cavage)
    findings.push(finding('signature_form', 'observed', { detail: 'it holds no Base64' }));
  const sent = signature && findSigner(signature.bytes, keys, hashes, budget);
  const restored = signature && !sent ? restoredSigner(signature, keys, hashes, budget) : undefined;
  const revealed = sent ?? restored?.signer;
  const signed = revealed
    ? signerRevealed(investigation, revealed)
    : signature && signerByTest(investigation, signature.bytes, keys);
  const signer = signed?.signer;
  const inBase32 = signer ? undefined : unknownInBase32(signature);
  const ofBytes =
    inBase32 === undefined
      ? ((signer && restored?.finding) ?? lossFinding(signature, signer) ?? signature?.ofSize)
      : undefined;
  const ofForm = inBase32?.finding ?? ofBytes;
  if (ofForm) findings.push(ofForm);
  findings.push(...keyidFindings(keyid, candidates, signer));
  if (signed) findings.push(...signedTextFindings(investigation, signed));
  else if (signature && signature.bytes.length > 0) {
    const hashOnly = hashOnlyFindings(investigation, signature);
    if (hashOnly.length > 0)
      return {
        findings: [...findings.filter(({ code }) => code !== 'signature_other_kind'), ...hashOnly],
        signer,
      };
    findings.push(...claimFindings(investigation));
    const byteCount = inBase32?.byteCount ?? signature.bytes.length;
    const isBaseKnown = meant.structure === undefined || meant.received.missing.length === 0;
    if (!ofBytes && keys.length > 0 && isBaseKnown) findings.push(unknownKeyFinding(byteCount, keyid, keys));
  }
  return { findings, signer };
}

/** Finds the base whose hash was sent without padding. */
function hashOnlyFindings(investigation: Investigation, { bytes }: MeantSignature): readonly Finding[] {
  const { request, options, hashes, meant } = investigation;
  const text = String.fromCharCode(...bytes.subarray(0, 129));
  const payload = /^(?:[0-9a-f]{2}){16,64}$/i.test(text)
    ? Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16))
    : bytes;
  if (payload.length > 64) return [];
  const target = targetOf({ scheme: 'bare', payload }, hashes);
  const declared = declaredDraft(request, meant, options);
  const match = target && search(investigation, declared, target);
  if (!match) return [];
  return [
    finding('signature_hash_only', 'proven'),
    ...deviations(match, investigation, declared, 'proven', proxyHeaders(request)),
  ];
}

function meantSignature(
  { received, cavage, keyid }: MeantRequest,
  keys: readonly SigningKey[],
): MeantSignature | undefined {
  const text =
    cavage?.signature === undefined ? received.fields.signature.value : `sig=:${cavage.signature}:`;
  if (text === undefined) return undefined;
  const read = readMeantSignature(
    text,
    sizesOf(keys),
    sizesOf(keys.filter(({ candidate }) => isUsable(candidate, keyid))),
  );
  const plain = read?.ofSize && plainOfDer(read.bytes, keys);
  return plain
    ? {
        ...read,
        bytes: plain,
        findings: [...read.findings, finding('signature_der', 'observed')],
        ofSize: undefined,
      }
    : read;
}

/** Returns what a signature in DER means, if some key makes ECDSA signatures of its numbers' size. */
function plainOfDer(bytes: Uint8Array, keys: readonly SigningKey[]): Uint8Array | undefined {
  const sizes = sizesOf(keys.filter(({ algorithm }) => algorithms[algorithm].webCrypto.name === 'ECDSA'));
  for (const size of [...sizes].toSorted((a, b) => a - b)) {
    const plain = plainSignature(bytes, size / 2);
    if (plain) return plain;
  }
  return undefined;
}

function sizesOf(keys: readonly SigningKey[]): ReadonlySet<number> {
  return new Set(keys.map(({ signatureBytes }) => signatureBytes));
}

/** A key that signed, and what the search for the text that it signed found. */
interface SignedText {
  readonly signer: FoundSigner;
  readonly declared: BaseDraft;
  /** Undefined if nothing recognizes the text. */
  readonly target: SearchTarget | undefined;
  readonly match: BaseMatch | undefined;
}

/**
 * Searches for the text that a known key signed, from what its signature reveals. Undefined if that may be chance: then
 * the text proves the key, or that it is the client's own makes it likely.
 */
function signerRevealed(investigation: Investigation, signer: FoundSigner): SignedText | undefined {
  const { request, options, hashes, meant } = investigation;
  const readings = readingsOf(signer.encoded);
  const target = targetOfReadings(readings, hashes);
  const declared = declaredDraft(request, meant, options, signer.key.candidate.clientId);
  const match = target && search(investigation, declared, target);
  const isLikely = !signer.isReversed && isUsable(signer.key.candidate, meant.keyid);
  if (!match)
    return isLikely || !mayBeChance(signer.encoded) ? { signer, declared, target, match } : undefined;
  const encoded = readingOfMatch(readings, match, hashes);
  return { signer: { ...signer, encoded }, declared, target, match };
}

/** Returns everything that a signature may mean. */
function readingsOf(encoded: EncodedMessage | undefined): readonly EncodedMessage[] {
  if (encoded === undefined) return [];
  return encoded.scheme === 'pss' ? [encoded, ...encoded.others] : [encoded];
}

/**
 * Finds the key and the text that it signed together, for keys whose signatures reveal neither: a text that verifies
 * proves both. The client's own keys are tried with many texts, others with the most likely one.
 */
function signerByTest(
  investigation: Investigation,
  signature: Uint8Array,
  keys: readonly SigningKey[],
): SignedText | undefined {
  const { request, options, hashes, budget, meant } = investigation;
  const isOwn = ({ candidate }: SigningKey): boolean => isUsable(candidate, meant.keyid);
  // A client that nobody knows has no keys of its own.
  const own = keys.some(isOwn) ? keys.filter(isOwn) : keys.slice(0, 1);
  const others = keys.filter((key) => !own.includes(key)).slice(0, otherKeysMax);
  const testsMax = (key: SigningKey): number =>
    Math.floor(
      budget.hypothesesLeft / (key.algorithm === 'ecdsa-p384-sha384' ? 2 * hashesOfTest : hashesOfTest),
    );
  const tries: readonly SignerTry[] = [
    ...own.flatMap(likelyTries),
    ...own.map((key) => ({ key, texts: testsMax(key), extent: 'all' }) as const),
    ...others.map((key) => ({ key, texts: 1, extent: 'one' }) as const),
  ];
  for (const { key, otherHash, texts, extent } of tries) {
    const isSigned = budget.look() ? key.testOf(signature, hashes, otherHash) : undefined;
    if (!isSigned) continue;
    const signer: FoundSigner = { key, encoded: undefined, isReversed: false, otherHash };
    const target = targetOfTest(isSigned, hashes);
    const declared = declaredDraft(request, meant, options, key.candidate.clientId);
    const part = budget.fewer(texts);
    const match = search({ ...investigation, budget: part }, declared, target);
    budget.absorb(part);
    if (extent === 'all' && part.isCutShort) budget.cutShort();
    const { claimedBase } = options;
    // A text that a full search finds says more about the mistake than the claimed one.
    const isClaimed =
      extent !== 'likely' && claimedBase !== undefined && readClaim(claimedBase, declared, target);
    if (match || isClaimed) return { signer, declared, target, match };
  }
  return undefined;
}

/** A key, perhaps with another hash function, and the number of texts to try with it. */
interface SignerTry {
  readonly key: SigningKey;
  readonly otherHash?: HashName;
  readonly texts: number;
  readonly extent: 'likely' | 'all' | 'one';
}

/**
 * The likely texts, with each hash function that a key may have been used with. They go before the full search, which
 * takes all the time that there is.
 */
function likelyTries(key: SigningKey): readonly SignerTry[] {
  if (key.otherHashes.length === 0) return [];
  return [undefined, ...key.otherHashes].map((otherHash) => ({
    key,
    ...(otherHash && { otherHash }),
    texts: likelyTexts,
    extent: 'likely',
  }));
}

const likelyTexts = 16;

/** A test takes as long as some hundred hashes, but most texts that are tried are likely, because cheap ones come first. */
const hashesOfTest = 32;
/** Each of them costs some milliseconds. */
const otherKeysMax = 16;

/** Explains the text that a known key signed. */
function signedTextFindings(
  investigation: Investigation,
  { signer, declared, target, match }: SignedText,
): readonly Finding[] {
  const { request, candidates, options, meant } = investigation;
  const { claimedBase } = options;
  const certainty: Certainty = match ? 'proven' : 'observed';
  const findings = withBareText([
    ...schemeFindings(signer, certainty),
    ...keyFindings(meant.keyid, candidates, signer, certainty),
    ...(match ? deviations(match, investigation, declared, 'proven', proxyHeaders(request)) : []),
  ]);
  const claim =
    target && claimedBase !== undefined && readClaim(claimedBase, match?.draft ?? declared, target);
  if (claimedBase !== undefined && !claim) findings.push(finding('base_claimed_not_signed', 'observed'));
  if (match) return findings;
  if (claim) {
    for (const { code, detail } of claim.notes) findings.push(finding(code, 'proven', { detail }));
    findings.push(differingBase(writeBase(declared, meant.others), claimedBase, 'proven'));
  } else if (target && isWholeDeclared(meant)) findings.push(unrecognizedFinding(investigation, signer));
  return findings;
}

/** Code that pads the text of a hash also omits the DigestInfo: one cause. */
function withBareText(findings: readonly Finding[]): Finding[] {
  const bare = findings.find(({ code }) => code === 'signature_no_digest_info');
  const ofText = findings.find(({ code }) => bareTexts.has(code));
  if (!bare || !ofText) return [...findings];
  const joined = finding(bare.code, bare.certainty, {
    alsoCodes: [ofText.code],
    what: `You signed the ${ofText.code === 'signature_of_hex_hash' ? 'hexadecimal' : 'Base64'} text of the hash without a valid DigestInfo, but RFC 8017 requires one with the raw hash.`,
    mend: `Give the base itself to a function that signs with ${defaultProfile.algorithm.scheme}; do not hash it yourself, and do not encrypt with the private key.`,
  });
  return findings.flatMap((one) => (one === bare ? [joined] : one === ofText ? [] : [one]));
}

const bareTexts: ReadonlySet<FindingCode> = new Set(['signature_of_hex_hash', 'signature_of_base64_hash']);

function unrecognizedFinding({ request, meant }: Investigation, { key }: FoundSigner): Finding {
  const proxies = proxyHeaders(request);
  const { cause, mend } = findingTexts.base_unrecognised;
  const isRightKey = isUsable(key.candidate, meant.keyid);
  const what = isRightKey ? 'Your key is right, but we could not work out what it signed' : cause;
  if (proxies.length === 0) return finding('base_unrecognised', 'likely', { what: `${what}.` });
  const { path } = splitUrl(request.targetUri);
  // Proxies lower-case paths, and the original cannot be recovered from the result.
  const lower = /[A-Z]/.test(path.replace(/%../g, ''))
    ? ''
    : ` ${path} arrived in lower case. If you signed capital letters, a proxy lowered them, as std.tolower of Varnish does.`;
  return finding('base_unrecognised', 'likely', {
    what: `${what}. The request came through a proxy (${proxies.join(', ')}), which may have changed it.`,
    mend: `${mend}. Start with the URL. Compare the path and query that you signed with those that arrived.${lower}`,
  });
}

function search(
  investigation: Investigation,
  declared: BaseDraft,
  target: SearchTarget,
): BaseMatch | undefined {
  const { budget, meant } = investigation;
  // A caller that uses the old drafts' header may still have built the profile's base.
  const drafts = [declared];
  if (declared.structure.isCavage)
    drafts.unshift({ ...declared, structure: profileStructure(meant.hasBody ?? false) });
  let isCutShort = false;
  for (const draft of drafts) {
    const isLast = draft === declared;
    const share = isLast ? budget : budget.part(0.05);
    const dimensions = baseDimensions(investigation, share, draft);
    const match = searchBase({ ...draft }, dimensions, meant.others, target, share);
    if (!isLast) budget.absorb(share);
    if (match) return match;
    isCutShort ||= share.isCutShort;
  }
  if (isCutShort) budget.cutShort();
  return undefined;
}

/** Without a matching key, compares the base that the caller claims to have built. */
function claimFindings(investigation: Investigation): readonly Finding[] {
  const { request, options, meant } = investigation;
  const { claimedBase } = options;
  if (claimedBase === undefined) return [];
  const declared = declaredDraft(request, meant, options);
  const usual = writeBase(declared, meant.others);
  if (usual === claimedBase) return [];
  const match = search(investigation, declared, claimedTarget(claimedBase));
  return match
    ? deviations(match, investigation, declared, 'likely', proxyHeaders(request))
    : [differingBase(usual, claimedBase, 'likely')];
}

function deviations(
  match: BaseMatch,
  { meant, options }: Investigation,
  declared: BaseDraft,
  certainty: Certainty,
  proxies: readonly string[],
): readonly Finding[] {
  const isShown = !(options.omitBodyText && match.draft.otherText?.holdsBody);
  const { maxDateDifferenceSeconds } = options.window ?? profileTimeWindow;
  const replaced =
    certainty === 'proven' && match.draft.date !== declared.date
      ? replacedDate(
          match.draft.date,
          declared.date,
          meant.created?.seconds,
          maxDateDifferenceSeconds,
          proxies,
        )
      : undefined;
  const found = matchFindings(match, declared, meant.others, certainty, proxies).map((one) =>
    replaced && dateCodes.has(one.code) ? { ...one, ...replaced } : one,
  );
  const findings = isShown ? [...found] : found.map(({ evidence: _body, ...one }): Finding => one);
  // A field that was signed and did not arrive was lost after signing.
  for (const name of ['date', 'content-digest'] as const) {
    if (certainty !== 'proven' || meant.received.fields[name].value !== undefined) continue;
    if (
      !match.draft.structure.lines.includes(name) ||
      match.draft[name === 'date' ? 'date' : 'contentDigest'] === ''
    )
      continue;
    const title = fieldTitle(name);
    findings.push(
      finding('header_stripped', 'proven', {
        alsoCodes: ['header_missing'],
        what: `${title} was signed, but did not arrive.`,
        action: title,
        facts: { fields: [name] },
      }),
    );
  }
  return findings;
}

/** Returns true if the request contains every line of the base to verify it with. */
function isWholeDeclared({ input, cavage, received: { missing } }: MeantRequest): boolean {
  return input !== undefined && !cavage && missing.length === 0;
}

/** Returns what the signer did with a claimed base, if that base was signed. `draft` says how text becomes bytes. */
function readClaim(
  claimedBase: string,
  draft: BaseDraft,
  target: SearchTarget,
): { readonly notes: readonly Note[] } | undefined {
  const fits = (finish: BaseDraft['finish']): boolean =>
    target.fits(encodeBase(claimedBase, draft.charset), { ...draft, finish });
  if (fits(undefined)) return { notes: target.notes };
  const { notes } = finishes.find(({ value }) => fits(value)) ?? {};
  return notes && { notes: [...notes, ...target.notes] };
}

function differingBase(expected: string, claimed: string, certainty: Certainty): Finding {
  const evidence = evidenceOf(expected, claimed);
  const line = expected.slice(0, evidence.firstDifference).split('\n').length;
  const text = (base: string): string => JSON.stringify(base.split('\n')[line - 1] ?? 'nothing');
  const detail = `line ${line} is ${text(claimed)}, and should be ${text(expected)}`;
  return finding('base_differs', certainty, { detail, evidence });
}
