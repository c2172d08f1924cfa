import type { ProfileEntry } from '@countersign/contract';
import type { OtherProfiles } from '@countersign/gate';
import { isProfileId, type ProfileId } from '@countersign/signature/profile';
import {
  type DefinedProfile,
  defineProfile,
  type MessageProfile,
  messageProfiles,
} from '@countersign/signature/messages/request';
import { isKeyAlgorithm, keyAlgorithmNames, keyAlgorithms } from '@countersign/signature/rfc9421';
import { z } from 'zod';

/** The profiles that a service can accept besides the closed one, by their names. */
const offered: ReadonlyMap<string, MessageProfile> = new Map(
  Object.values(messageProfiles)
    .filter(({ id, message }) => message === 'request' && !isProfileId(id))
    .map((profile) => [profile.id, profile]),
);

/** The names of the profiles that a service can accept without writing one. */
const offeredProfileNames: readonly string[] = [...offered.keys()].toSorted();

/** Reads a list of profiles: names of the library's, or profiles as objects. Returns them as data, each checked as a whole. */
export const profileList: z.ZodType<readonly MessageProfile[]> = z
  .preprocess(
    (value) => (typeof value === 'string' ? readText(value) : value),
    z.array(z.union([z.string(), z.record(z.string(), z.unknown())]), {
      error: 'must be a list of names, separated by commas, or a JSON list of names and profiles',
    }),
  )
  .transform((entries, context) => {
    const accepted = new Map<string, MessageProfile>();
    for (const entry of entries) {
      const read = readEntry(entry);
      if (typeof read === 'string') context.addIssue({ code: 'custom', message: read });
      else if (accepted.has(read.id))
        context.addIssue({ code: 'custom', message: `names the profile ${read.id} twice` });
      else accepted.set(read.id, read);
    }
    const disputed = disputedField(accepted.values());
    if (disputed !== undefined) {
      const message = `gives the field ${disputed} different types in "fieldTypes" of two profiles`;
      context.addIssue({ code: 'custom', message });
    }
    return [...accepted.values()];
  });

function readText(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) return trimmed === '' ? [] : trimmed.split(',').map((name) => name.trim());
  try {
    return JSON.parse(trimmed);
  } catch {
    return undefined;
  }
}

/** Returns the profile, or a sentence about what is wrong with it. */
function readEntry(entry: string | Readonly<Record<string, unknown>>): MessageProfile | string {
  if (typeof entry === 'string') {
    const known = offered.get(entry);
    if (known !== undefined) return known;
    if (isProfileId(entry)) return `names ${entry}, which every service accepts: leave it out`;
    return `has no profile ${JSON.stringify(entry)}: the names are ${offeredProfileNames.join(', ')}`;
  }
  try {
    const defined = defineProfile(entry as unknown as MessageProfile);
    const { profile } = defined;
    if (profile.message !== 'request') return `has the profile ${profile.id}, which is not one of requests`;
    if (offered.has(profile.id) || isProfileId(profile.id))
      return `has a profile of its own with the name ${profile.id}, which another profile has`;
    const problem = problemHere(defined);
    return problem === undefined ? profile : `has the profile ${profile.id}, ${problem}`;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return `has ${JSON.stringify(entry['id'] ?? 'a profile')}: ${error.message}`;
  }
}

/** Returns why this service would reject every signature by a profile; undefined if it would not. */
function problemHere({ profile, rules }: DefinedProfile): string | undefined {
  const { parameters, algorithms } = profile;
  const missing = (['created', 'keyid'] as const).find((name) => parameters[name] === undefined);
  if (missing !== undefined)
    return `whose signatures have no parameter "${missing}": this service needs it, so allow it`;
  if (!algorithms.some(isKeyAlgorithm))
    return `none of whose algorithms a key can be registered for: ${keyAlgorithmNames.join(', ')}`;
  const ofTrailer = rules.find(
    ({ identifiers, when }) => when !== 'present' && identifiers.every(({ tr }) => tr),
  );
  return ofTrailer && `which requires ${ofTrailer.identifiers[0]!.text}: this service does not read trailers`;
}

/** Returns the field to which two profiles give different types; undefined if there is none. */
function disputedField(profiles: Iterable<MessageProfile>): string | undefined {
  const types = new Map<string, string>();
  for (const { fieldTypes = {} } of profiles)
    for (const [name, type] of Object.entries(fieldTypes)) {
      if ((types.get(name) ?? type) !== type) return name;
      types.set(name, type);
    }
  return undefined;
}

/** Returns the profiles as the decision uses them; undefined for none. */
export function otherProfilesOf(accepted: readonly MessageProfile[]): OtherProfiles | undefined {
  if (accepted.length === 0) return undefined;
  return new Map(accepted.map((profile) => [profile.id, defineProfile(profile)]));
}

const closedProfiles: readonly (Pick<ProfileEntry, 'title' | 'notes'> & { readonly name: ProfileId })[] = [
  {
    name: 'countersign',
    title: "Countersign's closed profile",
    notes: ['Signed by the signers of Countersign, in nine languages.'],
  },
  {
    name: 'countersign-without-date',
    title: "Countersign's closed profile, without Date",
    notes: ['Signed by older clients, whose signatures may omit `date`.'],
  },
];

/** Returns true if one of the profiles signs with RSASSA-PSS. */
export function signsWithPss(accepted: readonly MessageProfile[]): boolean {
  return accepted.some(({ algorithms }) =>
    algorithms.some((name) => isKeyAlgorithm(name) && keyAlgorithms[name].saltBytes !== undefined),
  );
}

/** Returns all profiles that clients can have, the closed ones first. */
export function clientProfilesOf(accepted: readonly MessageProfile[]): readonly ProfileEntry[] {
  const closed = defineProfile(messageProfiles.countersign);
  return [...closedProfiles.map((texts) => ({ ...described(closed), ...texts })), ...entriesOf(accepted)];
}

/** Returns these profiles, what they bind, and what not. */
export function entriesOf(accepted: readonly MessageProfile[]): readonly ProfileEntry[] {
  return accepted.map((profile) => ({ ...described(defineProfile(profile)), definition: { ...profile } }));
}

function described({ profile, binds, leavesOpen }: DefinedProfile): ProfileEntry {
  const { id, title, algorithms, parameters, notes = [] } = profile;
  // Here, each needs these two, also by a profile that leaves them open.
  const required = new Set(['created', 'keyid']);
  for (const [name, rule] of Object.entries(parameters)) if (rule === 'required') required.add(name);
  return {
    name: id,
    title,
    binds: [...binds],
    leavesOpen: [...leavesOpen],
    algorithms: algorithms.filter(isKeyAlgorithm),
    parameters: [...required],
    notes: [...notes],
  };
}
