import type { CandidateKey } from '@countersign/explain';
import type { AccountKey } from '../registry/store/account-keys.ts';

/** Keys as the explainer takes them. The names of their clients are left out unless the reader may see clients. */
export function candidatesOf(keys: readonly AccountKey[], withNames: boolean): CandidateKey[] {
  return keys.map(({ spkiPem, fingerprint, clientId, clientName, status }) => ({
    spkiPem,
    fingerprint,
    clientId,
    keyState: status,
    ...(withNames && { clientName }),
  }));
}
