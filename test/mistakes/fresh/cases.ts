import { createPrivateKey } from 'node:crypto';
import { randomNumbers } from '../../../packages/explain/test/unrelated-request.ts';
import { privateKeys } from '../account.ts';
import { type MistakeCase, readAccount } from '../corpus.ts';
import { baseSlips } from './base-slips.ts';
import { bodySlips } from './body-slips.ts';
import { type Program, rightProgram, run, type Run, type Wish } from './program.ts';
import type { FreshSlip } from './slip.ts';
import { urlSlips } from './url-slips.ts';
import { verifierOf } from '../verdict.ts';
import { makeWish, pick, type Random } from './wishes.ts';

/** A request with its mistakes. */
export interface FreshCase {
  readonly slips: readonly FreshSlip[];
  readonly one: MistakeCase;
  /**
   * Returns the codes of mistakes that produce the same request, byte by byte, instead of one of these: other
   * names for the same bytes. Only considers mistakes with one of the codes.
   */
  readonly codesOfSameBytes: (slip: FreshSlip, codes: ReadonlySet<string>) => readonly string[];
}

export const allSlips: readonly FreshSlip[] = [...urlSlips, ...bodySlips, ...baseSlips];

/** Creates requests with `size` mistakes each: the same for the same seed. */
export function makeCases(size: number, count: number, seed: number): readonly FreshCase[] {
  const random = randomNumbers(seed * 1000 + size);
  const cases: FreshCase[] = [];
  for (let tries = 0; cases.length < count && tries < count * triesPerCase; tries++) {
    const slips = combination(size, random);
    const found = caseOf(slips, random(2 ** 31));
    if (found) cases.push(found);
  }
  return cases;
}

const triesPerCase = 40;

/** Undefined if one of the mistakes is not possible here, or leaves no trace besides the others. */
function caseOf(slips: readonly FreshSlip[], seed: number): FreshCase | undefined {
  try {
    const whole = made(slips, seed, slips);
    const fewer = slips.length > 1 ? slips.map((slip) => slips.filter((one) => one !== slip)) : [[]];
    if (fewer.some((some) => made(some, seed, slips).mark === whole.mark)) return undefined;
    if (slips.some((slip) => looksMeant(slip, slips, seed, whole))) return undefined;
    // Two changes that cancel each other out, or one that the verifier accepts, are not mistakes.
    if (properSubsets(slips).some((some) => verdictOf(made(some, seed, slips)) === undefined))
      return undefined;
    const { request, context } = whole;
    const one: MistakeCase = {
      id: slips.map(({ name }) => name).join(' + '),
      maker: 'fresh',
      description: '',
      mistakes: slips.map(({ codes }) => codes[0]!),
      sameAs: Object.fromEntries(slips.map(({ codes }) => [codes[0]!, codes])),
      request,
      context,
    };
    const text = JSON.stringify(request);
    const codesOfSameBytes: FreshCase['codesOfSameBytes'] = (slip, codes) =>
      allSlips
        .filter((other) => other !== slip && other.codes.some((code) => codes.has(code)))
        .filter((other) => requestText(slips.with(slips.indexOf(slip), other), seed) === text)
        .flatMap((other) => other.codes);
    return { slips, one, codesOfSameBytes };
  } catch {
    return undefined;
  }
}

/** Undefined if the mistakes are not possible here. */
function requestText(slips: readonly FreshSlip[], seed: number): string | undefined {
  try {
    return JSON.stringify(made(slips, seed, slips).request);
  } catch {
    return undefined;
  }
}

interface MadeRun extends Run {
  /** The part that the service and its keys can see. */
  readonly mark: string;
}

/** Returns true if a correct program for what was sent would have made the same request without this mistake. */
function looksMeant(slip: FreshSlip, slips: readonly FreshSlip[], seed: number, whole: MadeRun): boolean {
  if (slip.stage !== 'sent url' && slip.stage !== 'sent body') return false;
  const { targetUri, bodyBase64 = '' } = whole.request;
  const meant =
    slip.stage === 'sent url' ? { url: targetUri } : { body: Buffer.from(bodyBase64, 'base64').toString() };
  const others = slips.filter((one) => one !== slip);
  return made(others, seed, slips, meant).mark === whole.mark;
}

const verdictOf = verifierOf(readAccount());

/** All but the empty one and the whole. */
function properSubsets<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  return Array.from({ length: 2 ** values.length - 2 }, (_, bits) =>
    values.filter((_value, index) => ((bits + 1) >> index) & 1),
  );
}

/** Visibility is judged by all mistakes of the case, `all`: what one of them hides is invisible. */
function made(
  slips: readonly FreshSlip[],
  seed: number,
  all: readonly FreshSlip[],
  meant: Partial<Wish> = {},
): MadeRun {
  const random = randomNumbers(seed);
  const wish = { ...makeWish(random), ...meant };
  const program = rightProgram();
  // A URL is printed in its final form.
  const inOrder = slips.toSorted((a, b) => Number(a.stage === 'whole url') - Number(b.stage === 'whole url'));
  for (const slip of inOrder) slip.change(program, wish, random);
  const result = run(program, wish);
  const { headers, bodyBase64, method, targetUri } = result.request;
  // Whatever a header is called, its signature differs with every change. The way it was made and written is
  // distinguished.
  const unsigned = headers.map(([name, value]) => [name, withoutSignature(value, result.signatureText)]);
  const shown = [bodyBase64, unsigned, signingOf(program, wish, all)];
  // Only the base distinguishes a method or URL that was changed from one that was meant.
  const base = all.some(hidesBase) ? [] : [method, targetUri, result.base];
  return { ...result, mark: JSON.stringify([shown, base]) };
}

function withoutSignature(value: string, signature: string): string {
  return signature === '' ? value : value.replaceAll(signature, '…');
}

/** How the signature was made and written, which shows in no text, as far as the signature reveals it. */
function signingOf(program: Program, wish: Wish, all: readonly FreshSlip[]): readonly string[] {
  if (all.some(({ name }) => name === 'headers: no signature')) return [];
  const { signatureHeader, signatureText, sign, bytes, key } = program;
  // Another algorithm, or another program's key, does not use the key of the wish.
  const keyLength = all.some(signsOtherwise) ? 2048 : keyBits(key(wish.key));
  const written = [signatureHeader(signatureText(sampleSignature(keyLength)))];
  if (all.some(({ name }) => hiding.test(name))) return written;
  const kind = [...written, String(sign)];
  if (all.some(hidesBase)) return kind;
  // Each client may sign with each of its own active keys.
  const owner = activeKeyOwners.get(key(wish.key));
  return [...kind, String(bytes), owner === wish.clientId ? '' : key(wish.key)];
}

/** Of a key's length: a mistake in writing a signature may need padding, or certain characters. */
function sampleSignature(bits: number): Buffer {
  const random = randomNumbers(1);
  return Buffer.from(Array.from({ length: bits / 8 }, () => random(256)));
}

function keyBits(key: string): number {
  return createPrivateKey(privateKeys().get(key)!).asymmetricKeyDetails!.modulusLength!;
}

const activeKeyOwners: ReadonlyMap<string, string> = new Map(
  readAccount()
    .keys.filter(({ keyState, environment }) => keyState === 'active' && environment === undefined)
    .map(({ name, clientId }) => [name, clientId]),
);

/** Without a signature by a known key, the signed text is unknown. */
function hidesBase(slip: FreshSlip): boolean {
  return signsOtherwise(slip) || hiding.test(slip.name);
}

function signsOtherwise({ stage }: FreshSlip): boolean {
  return stage === 'other algorithm' || stage === 'stranger';
}

const hiding =
  /^(?:headers: no signature|signature: (?:truncated|first lost|last lost|reversed|lower|undefined|None|empty|utf8.*))$/;

function combination(size: number, random: Random): readonly FreshSlip[] {
  const chosen: FreshSlip[] = [];
  while (chosen.length < size) {
    const slip = pick(allSlips, random);
    const isTaken = rare.test(slip.name) && random(rareEvery) > 0;
    if (!isTaken && !chosen.some(({ stage }) => stage === slip.stage)) chosen.push(slip);
  }
  return chosen;
}

const rareEvery = 4;

/** Seldom seen. The others occur every week. */
const rare = new RegExp(
  [
    String.raw`curly|backticks|U\+2028|<br>|utf32|utf16 be|NUL|triple|JSON|toString|html|&#|=3D|u002b|brackets|sri`,
    String.raw`SHA256\}|exponent|: L$|braces|sha3|info|%u|mojibake|lower$|upper$|indices|null for|None for|undefined for`,
    String.raw`as list|twice with|\?&|: ;|decimal|pem|data url|jws|Optional|Buffer|inspect|ruby|quotes lost|spaces lost`,
    String.raw`backslashes|without last|first 64|HTTPS|angle|slashes escaped|quotes escaped|single quotes|user$|final dot`,
    String.raw`placeholder|: \||comma newline|semicolon|: &$|in list|list repr|all doubled|double end|swapped|joined in one`,
    String.raw`base64$|utf8|percent twice|trailing space|comma at end|tab$|\[object|in quotes|quoted whole|: root|: none$`,
    String.raw`only last segment|%s|:id|HttpMethod|Method\.|b'|\[POST|:post|collapsed|no white space`,
  ].join('|'),
);
