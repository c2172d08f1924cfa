import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { signatureBase } from '../rfc9421/signature-base.ts';
import { compile, type CompiledProfile, type ComponentList } from './compile.ts';
import type { ProfileLimits } from './profile.ts';
import { countersign } from './profiles/countersign.ts';
import { countersignWithoutDate } from './profiles/countersign-without-date.ts';
import type { TimeWindow } from './time-window.ts';

/** The name of a profile that a client can have. */
export type ProfileId = 'countersign' | 'countersign-without-date';

/** The profiles that a client can have. They differ only in the components that must be covered. */
export const profiles: Readonly<Record<ProfileId, CompiledProfile>> = {
  countersign: compile(countersign),
  'countersign-without-date': compile(countersignWithoutDate),
};

/** Returns true for the name of a profile. Records come from JSON and JavaScript, where a list of one name would pass for it. */
export function isProfileId(value: unknown): value is ProfileId {
  return typeof value === 'string' && Object.hasOwn(profiles, value);
}

/** Returns the profile of a client's record, which may say it the earlier way, with a switch. */
export function profileOf({
  profile,
  acceptWithoutDate,
}: {
  readonly profile?: ProfileId | undefined;
  readonly acceptWithoutDate?: boolean | undefined;
}): ProfileId {
  return profile ?? (acceptWithoutDate === true ? 'countersign-without-date' : 'countersign');
}

/** The profile of a client whose record names no other. */
export const defaultProfile: CompiledProfile = profiles.countersign;

/** The only label of signatures, in both fields (RFC 9421 section 4). */
export const signatureLabel: string = defaultProfile.profile.select.label;

/** The algorithm that signers are asked for, by its name in the registry of RFC 9421 section 6.2. */
export const signatureAlgorithm: AlgorithmName = defaultProfile.algorithm.name;

/** The default window. */
export const profileTimeWindow: TimeWindow = defaultProfile.profile.time;

/** Maximum sizes; nothing larger is read. */
export const profileLimits: ProfileLimits = defaultProfile.profile.limits;

const listsByText: ReadonlyMap<string, ComponentList> = new Map(
  Object.values(profiles).flatMap(({ lists }) => [...lists]),
);

/** All lists that some client may cover. The client's own profile decides once the client is proven. */
export const componentLists: readonly ComponentList[] = [...listsByText.values()];

/** Returns the list with this text, if some client may cover it. */
export function componentListOf(text: string): ComponentList | undefined {
  return listsByText.get(text);
}

/** Returns the list for a request with or without a body, and with or without a covered Date. */
export function componentListFor(coversContentDigest: boolean, coversDate: boolean): ComponentList {
  return componentLists.find(
    (list) => list.coversContentDigest === coversContentDigest && list.coversDate === coversDate,
  )!;
}

/** Builds a request's signature base: it covers the components that have a value. */
export function profileSignatureBase(request: {
  readonly method: string;
  readonly targetUri: string;
  readonly contentDigest: string | undefined;
  readonly date: string | undefined;
  /** The value of `@signature-params`. */
  readonly signatureParams: string;
}): string {
  const { method, targetUri, contentDigest, date, signatureParams } = request;
  const { components } = componentListFor(contentDigest !== undefined, date !== undefined);
  const field = (name: string): string | undefined => (name === 'date' ? date : contentDigest);
  return signatureBase(components, { method, targetUri, field }, signatureParams);
}
