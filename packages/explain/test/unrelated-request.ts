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

/** Numbers that are the same in every run, from a seed (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Explains requests that have nothing to do with what was signed for them, and answers those of which something is proved. */
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
    // The hash function can be told without a text that fits; it is observed then.
    const proven = findings.filter(({ certainty }) => certainty === 'proven').map(({ code }) => code);
    if (proven.length > 0 || verdict !== 'refused')
      proofs.push(`${verdict}, ${proven.join(', ')}: ${JSON.stringify(request.headers)}`);
  }
  return proofs;
}

/** A request of which neither the signature nor the digest has anything to do with the rest. */
function unrelatedRequest(next: (below: number) => number): RequestToExplain {
  const letters = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(97 + next(26))).join('');
  const body = Buffer.from(JSON.stringify({ [letters(3)]: next(1000), [letters(4)]: letters(next(20)) }));
  const isSigned = next(4) > 0;
  const change: Partial<Signed> = {
    uri: `https://${letters(5)}.test/${letters(4)}?${letters(2)}=${letters(3)}`,
    body: next(3) === 0 ? Buffer.alloc(0) : body,
    digest: contentDigest(letters(9)),
    // A signature over a text that has nothing to do with the request, or no signature at all.
    sign: () =>
      isSigned
        ? sign(next(2) === 0 ? 'sha256' : 'sha1', Buffer.from(letters(40)), ownKey.privateKey)
        : randomBytes(256),
  };
  return makeRequest(change);
}
