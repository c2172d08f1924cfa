import { randomNumbers } from '../../../packages/explain/test/unrelated-request.ts';
import type { MistakeCase } from '../corpus.ts';
import { baseSlips } from './base-slips.ts';
import { bodySlips } from './body-slips.ts';
import { rightProgram, run, type Run } from './program.ts';
import type { FreshSlip } from './slip.ts';
import { urlSlips } from './url-slips.ts';
import { makeWish, pick, type Random } from './wishes.ts';

/** A request with its mistakes. */
export interface FreshCase {
  readonly slips: readonly FreshSlip[];
  readonly one: MistakeCase;
}

export const allSlips: readonly FreshSlip[] = [...urlSlips, ...bodySlips, ...baseSlips];

/** Makes requests with `size` mistakes each: the same for the same seed. */
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

/** Undefined if one of the mistakes cannot be made here, or leaves no trace beside the others. */
function caseOf(slips: readonly FreshSlip[], seed: number): FreshCase | undefined {
  try {
    const whole = made(slips, seed);
    const fewer = slips.length > 1 ? slips.map((slip) => slips.filter((one) => one !== slip)) : [[]];
    if (fewer.some((some) => made(some, seed).mark === whole.mark)) return undefined;
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
    return { slips, one };
  } catch {
    return undefined;
  }
}

interface MadeRun extends Run {
  /** What the service and its keys can see. */
  readonly mark: string;
}

function made(slips: readonly FreshSlip[], seed: number): MadeRun {
  const random = randomNumbers(seed);
  const wish = makeWish(random);
  const program = rightProgram();
  for (const slip of slips) slip.change(program, wish, random);
  const result = run(program, wish);
  const { headers, ...rest } = result.request;
  const others = headers.filter(([name]) => !/^(?:x-)?signature$/i.test(name));
  const base = slips.some(hidesBase) ? '' : result.base;
  const signing = slips.map(({ name }) => name).filter((name) => ofSignature.test(name));
  return { ...result, mark: JSON.stringify([rest, others, headers.length, base, signing]) };
}

/** What changes the signature itself, which shows in no text. */
const ofSignature = /^(?:sign|bytes|key|stranger|other algorithm|signature|signature header):/;

/** Without a signature by a known key, nothing shows what was signed. */
function hidesBase({ name, stage }: FreshSlip): boolean {
  return stage === 'other algorithm' || stage === 'stranger' || hiding.test(name);
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

/** Seldom seen. The others are seen every week. */
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
