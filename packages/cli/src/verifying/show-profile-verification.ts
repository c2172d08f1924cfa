import type { DefinedProfile, VerifiedMessage } from '@countersign/signature/messages';
import type { Io } from '../terminal/io.ts';
import { fieldLines, wrapped } from '../terminal/layout.ts';
import { coloursFor } from '../terminal/report.ts';
import type { ProfileVerification } from './verify-by-profile.ts';

/** Writes what a profile says about a request, for scripts. */
export function profileVerificationAsJson(
  { result, request, targetUri, hint }: ProfileVerification,
  { profile, leavesOpen }: DefinedProfile,
): object {
  const seen = { profile: profile.id, method: request?.method, targetUri, bodyBytes: request?.body.length };
  if (!result.ok) return { ok: false, code: result.code, reason: result.reason, advice: hint, ...seen };
  const { keyid, label, tag, alg, nonce, created, expires, coversBody, key } = result;
  return {
    ok: true,
    keyid,
    fingerprint: key.id,
    algorithm: key.algorithm,
    label,
    tag,
    alg,
    nonce,
    created,
    expires,
    covered: coveredOf(result),
    coversBody,
    leavesOpen,
    ...seen,
  };
}

/** Writes the same for people. */
export function profileVerificationText(
  { result, request, targetUri, hint }: ProfileVerification,
  { profile, leavesOpen }: DefinedProfile,
  io: Io,
): string {
  const { good, bad } = coloursFor(io, io.output);
  const called = [
    ['method', request?.method],
    ['URL', targetUri],
  ] as const;
  if (!result.ok)
    return `${bad(`Refused: ${result.code}`)}\n${fieldLines([
      ['reason', result.reason],
      ['profile', profile.id],
      ...called,
      ['what to do', hint],
    ])}`;
  const bodyBytes = request?.body.length ?? 0;
  const open =
    leavesOpen.length === 0
      ? ''
      : ` ${profile.id} leaves open: ${leavesOpen.join(', ')}. Rely only on what this signature covers.`;
  const covered = coveredOf(result);
  return `${good('The signature is valid.')}\n${fieldLines([
    ['profile', profile.id],
    ['keyid', result.keyid],
    ['key', `${result.key.id} (${result.key.algorithm})`],
    ...called,
    ['covers', covered.join(' ')],
    ['body', bodyText(bodyBytes, result.coversBody)],
    ['created', timeText(result.created)],
    ['expires', timeText(result.expires)],
    ['tag', result.tag],
  ])}${wrapped(`Not checked: whether this request is a replay.${open}`, '  ')}`;
}

function coveredOf({ covered }: VerifiedMessage): readonly string[] {
  return covered.map(({ identifier }) => identifier.text);
}

function bodyText(bytes: number, isCovered: boolean): string {
  if (bytes === 0) return 'none';
  return isCovered
    ? `${bytes} bytes, as Content-Digest says`
    : `${bytes} bytes, which the signature does not cover: anyone on the way could change them`;
}

function timeText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}
