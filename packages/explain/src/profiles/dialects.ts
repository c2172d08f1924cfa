import { type DefinedProfile, defineProfile, messageProfiles } from '@countersign/signature/messages/request';
import type { ExplainOptions, RequestToExplain } from '../explanation.ts';
import { otherProfile } from '../reading/other-profile.ts';
import type { MeantSignatureInput } from '../reading/lenient-signature-input.ts';
import { examineRequest } from './examine-request.ts';

/** Names the profile that a request follows in place of its client's; undefined if it is none that is known. */
export function dialectOf(
  { profile: own }: DefinedProfile,
  request: RequestToExplain,
  input: MeantSignatureInput | undefined,
  options: ExplainOptions,
): string | undefined {
  known ??= readKnown();
  const found = known.find(
    ({ profile, defined }) => profile.id !== own.id && isFollowed(defined, request, options),
  );
  if (found) return `${found.profile.title} (${found.profile.id})`;
  const named = input && otherProfile(input);
  // The tag of its own profile says nothing.
  return input === undefined || isOfSameTag(own, input) ? undefined : named;
}

interface KnownProfile {
  readonly profile: DefinedProfile['profile'];
  readonly defined: DefinedProfile;
}

let known: readonly KnownProfile[] | undefined;

/** Those whose tag or label says that they are meant; a request follows others by chance. */
function readKnown(): readonly KnownProfile[] {
  return Object.values(messageProfiles)
    .filter(
      ({ message, select }) => message === 'request' && select !== undefined && select.untagged !== true,
    )
    .map((profile) => ({ profile, defined: defineProfile(profile) }));
}

/** A request that came too late still follows a profile. */
function isFollowed(defined: DefinedProfile, request: RequestToExplain, options: ExplainOptions): boolean {
  const { failures, signature } = examineRequest(defined, request, options);
  return signature !== undefined && failures.every(({ check }) => check === 'time');
}

function isOfSameTag({ select }: DefinedProfile['profile'], input: MeantSignatureInput): boolean {
  const tag = input.parameters.find(({ name }) => name === 'tag')?.value;
  return tag !== undefined && [select?.tag].flat().includes(tag);
}
