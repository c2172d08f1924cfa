import { decodeBase64, type RefusalCode } from '@countersign/signature';
import { hashesOf } from '../checks.ts';
import type { CandidateKey, ExplainOptions, RequestToExplain } from '../explanation.ts';
import type { Judge } from '../judge.ts';
import { readCandidates } from '../keys/candidates.ts';
import type { ReadView } from './request-view.ts';
import type { CheckedView } from './view-state.ts';

/** Checks a view at one URL by another profile than the service's own, whenever it was signed. */
export function checkViewBy(
  judge: Judge,
  { view }: ReadView,
  targetUri: string,
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): CheckedView {
  const { method, headers, body } = view;
  const request: RequestToExplain = { method, targetUri, headers, body };
  // Whoever's key it is, and whatever became of it: what counts is whether it signed.
  const nameless = candidates.map((key): CandidateKey => ({
    ...withoutEnvironment(key),
    clientId: '',
    keyState: 'active',
  }));
  const keys = judge.keys(request, nameless);
  const { checks } = judge.check(request, keys, options);
  const failed = checks.filter(({ name, state }) => state === 'failed' && name !== 'time');
  const wrong = failed.find(({ name }) => name !== 'signature') ?? failed[0];
  if (wrong === undefined) return { state: 'valid', targetUri };
  if (wrong.name === 'signature' && !isMadeByAny(judge, request, keys, options))
    return { state: 'unproven', targetUri };
  const { code, reason } = wrong.facts;
  return {
    state: 'invalid',
    refusal: { ok: false, code: code as RefusalCode, reason: String(reason) },
    targetUri,
  };
}

function withoutEnvironment({ environment: _environment, ...key }: CandidateKey): CandidateKey {
  return key;
}

/** Returns true if a key made the signature, over whatever text, as signatures of RSA reveal. */
function isMadeByAny(
  judge: Judge,
  request: RequestToExplain,
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): boolean {
  const { received, keyid } = judge.read(request, candidates, options);
  const [, text] = /:([A-Za-z0-9+/=]*):\s*$/.exec(received.fields.signature.value ?? '') ?? [];
  const bytes = text === undefined ? undefined : decodeBase64(text);
  const hashes = hashesOf(options);
  return (
    bytes !== undefined &&
    readCandidates(candidates, keyid).some((key) => key.recover(bytes, hashes) !== undefined)
  );
}
