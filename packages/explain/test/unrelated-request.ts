import { randomBytes, sign } from 'node:crypto';
import type { RequestToExplain } from '../src/index.ts';
import { explainRequest } from '../src/node.ts';
import {
  candidates,
  contentDigest,
  makeRequest,
  nowSeconds,
  ownKey,
  type Signed,
} from './mistaken-request.ts';

/** Returns seeded random numbers (mulberry32), the same in every run. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Explains requests unrelated to the texts signed for them, and returns those with something proven. */
export function proofsOfUnrelated(count: number, seed: number, hypothesesMax: number): readonly string[] {
  const next = randomNumbers(seed);
  const proofs: string[] = [];
  for (let index = 0; index < count; index++) {
    const request = unrelatedRequest(next);
    const { findings, verdict } = explainRequest(request, candidates, {
      nowSeconds,
      hypothesesMax,
      budgetMs: 60_000,
    });
    // A hash function can be recognized without a matching text; it is then observed.
    const proven = findings.filter(({ certainty }) => certainty === 'proven').map(({ code }) => code);
    if (proven.length > 0 || verdict !== 'refused')
      proofs.push(`${verdict}, ${proven.join(', ')}: ${JSON.stringify(request.headers)}`);
  }
  return proofs;
}

/** A request with a signature and a digest unrelated to the rest. */
function unrelatedRequest(next: (below: number) => number): RequestToExplain {
  const letters = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(97 + next(26))).join('');
  const body = Buffer.from(JSON.stringify({ [letters(3)]: next(1000), [letters(4)]: letters(next(20)) }));
  const isSigned = next(4) > 0;
  const change: Partial<Signed> = {
    uri: `https://${letters(5)}.test/${letters(4)}?${letters(2)}=${letters(3)}`,
    body: next(3) === 0 ? Buffer.alloc(0) : body,
    digest: contentDigest(letters(9)),
    // A signature over an unrelated text, or no signature at all.
    sign: () =>
      isSigned
        ? sign(next(2) === 0 ? 'sha256' : 'sha1', Buffer.from(letters(40)), ownKey.privateKey)
        : randomBytes(256),
  };
  return makeRequest(change);
}
