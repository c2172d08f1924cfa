import type { DefinedProfile } from '@countersign/signature/messages/request';
import type { Judge } from '../judge.ts';
import { digestFindings } from './digest-findings.ts';
import { checkBodyBy, checkBy } from './profile-checks.ts';
import { profileFindings } from './profile-findings.ts';
import { keysBy, readBy } from './read-by-profile.ts';
import { toSignBy } from './to-sign.ts';

/**
 * Judges by a profile, for the option `judge` of `explain`.
 *
 * @example
 * const judge = judgeBy(defineProfile(messageProfiles.webBotAuth01));
 * const { findings, wanted } = explain(request, keys, { nowSeconds, sha256, judge });
 */
export function judgeBy(defined: DefinedProfile): Judge {
  return {
    keys: (request, candidates) => keysBy(defined, request, candidates),
    check: (request, candidates, options) => checkBy(defined, request, candidates, options),
    checkBody: (request, options) => checkBodyBy(defined, request, options),
    read: (request, candidates, options) => readBy(defined, request, candidates, options),
    visible: (investigation, refusal) => profileFindings(defined, investigation, refusal),
    ofBody: digestFindings,
    // Each failed check has a finding.
    otherRefusals: () => [],
    toSign: (investigation, findings, signer) => toSignBy(defined, investigation, findings, signer),
  };
}
