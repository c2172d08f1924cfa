import type { CandidateKey } from '../explanation.ts';
import { readSigningKey, type SigningKey } from './signing-key.ts';

/** Reads the candidates, the likeliest for this keyid first. */
export function readCandidates(
  candidates: readonly CandidateKey[],
  keyid: string | undefined,
): readonly SigningKey[] {
  return candidates
    .toSorted((a, b) => distance(a, keyid) - distance(b, keyid))
    .slice(0, candidatesMax)
    .flatMap((candidate) => readSigningKey(candidate) ?? []);
}

/** Reads the keys with which the service accepts requests for this keyid. */
export function readUsable(
  candidates: readonly CandidateKey[],
  keyid: string | undefined,
): readonly SigningKey[] {
  return readCandidates(
    candidates.filter((candidate) => isUsable(candidate, keyid)),
    keyid,
  );
}

/** True if the service accepts requests signed with this key for this keyid. */
export function isUsable(
  { clientId, keyState, environment }: CandidateKey,
  keyid: string | undefined,
): boolean {
  return clientId === keyid && environment === undefined && usableStates.has(keyState);
}

const usableStates: ReadonlySet<CandidateKey['keyState']> = new Set(['pending', 'active', 'retiring']);
const candidatesMax = 256;

function distance(candidate: CandidateKey, keyid: string | undefined): number {
  if (isUsable(candidate, keyid)) return 0;
  return (candidate.environment === undefined ? 1 : 3) + (candidate.clientId === keyid ? 0 : 1);
}
