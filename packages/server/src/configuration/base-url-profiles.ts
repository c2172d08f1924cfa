import { nameOf, problemOfBaseUrls } from '@countersign/gate';
import { profiles as closedProfiles } from '@countersign/signature/profile';
import { z } from 'zod';

/** The names of the profiles that base URLs accept. One that is not listed accepts each that the service accepts. */
export type BaseUrlProfiles = Readonly<Record<string, readonly string[]>>;

const advice =
  'must be base URLs with profiles, such as https://agents.example.com=web-bot-auth-01; https://api.example.com=countersign';

/** Reads base URLs with profiles: a text, or an object of lists by base URL. */
export const baseUrlProfilesSchema: z.ZodType<BaseUrlProfiles> = z
  .union(
    [
      z
        .record(z.string(), z.union([z.array(z.string()), z.string().transform((name) => [name])]))
        .transform((table) => Object.entries(table)),
      z.string().transform((text) =>
        text
          .split(';')
          .map(readEntry)
          .filter(([url]) => url !== ''),
      ),
    ],
    { error: advice },
  )
  .check(({ value, issues }) => {
    for (const [index, [baseUrl, names]] of value.entries()) {
      const isRepeated = value.findIndex(([other]) => other === baseUrl) < index;
      // What is not a base URL may contain a password.
      const message =
        problemOfBaseUrls([baseUrl]) ??
        (isRepeated ? `${baseUrl} must occur only once` : undefined) ??
        (names.length === 0 ? `${baseUrl} must have at least one profile` : undefined);
      if (message !== undefined) issues.push({ code: 'custom', message, input: baseUrl });
    }
  })
  .transform((entries) => Object.fromEntries(entries));

/** The names of profiles contain no "=", unlike paths. */
function readEntry(text: string): [baseUrl: string, names: string[]] {
  const end = text.lastIndexOf('=');
  const [baseUrl, names] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
  return [
    baseUrl.trim(),
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ];
}

/** Returns the names of all profiles that a service accepts, the closed ones first. */
export function acceptedNames(profiles: readonly { readonly id: string }[]): readonly string[] {
  return [...Object.keys(closedProfiles), ...profiles.map(({ id }) => id)];
}

/** Returns the profiles that a route accepts at a base URL: its own, of those that the base URL accepts. */
export function narrowedProfiles(
  ofRoute: readonly string[] | undefined,
  ofBaseUrl: readonly string[] | undefined,
): readonly string[] | undefined {
  if (ofBaseUrl === undefined) return ofRoute;
  return ofRoute === undefined ? ofBaseUrl : ofRoute.filter((name) => ofBaseUrl.includes(name));
}

/** The base URLs of a service. */
export interface ServedBaseUrls {
  readonly publicBaseUrls: readonly string[];
  /** Empty if no API is protected. */
  readonly apiBaseUrls: readonly string[];
}

/**
 * Finds base URLs that the service does not have, and profiles that it does not accept.
 *
 * @param profiles undefined if that setting has a mistake of its own
 */
export function mistakesOfBaseUrlProfiles(
  table: BaseUrlProfiles,
  { publicBaseUrls, apiBaseUrls }: ServedBaseUrls,
  profiles: readonly { readonly id: string }[] | undefined,
): readonly string[] {
  const served = [...publicBaseUrls, ...apiBaseUrls];
  const accepted = profiles && acceptedNames(profiles);
  return Object.entries(table).flatMap(([baseUrl, names]) => [
    ...(served.includes(baseUrl)
      ? []
      : [`${baseUrl} must be one of the base URLs: ${served.join(', ') || 'none are set'}`]),
    ...names
      .filter((name) => accepted?.includes(name) === false)
      .map(
        (name) =>
          `${baseUrl}: there is no profile ${JSON.stringify(name)}; there is: ${accepted!.join(', ')}`,
      ),
  ]);
}

/** A route, as far as its profiles are concerned. */
interface LimitedRoute {
  readonly baseUrl: string | undefined;
  readonly rule: Parameters<typeof nameOf>[0] & { readonly profiles: readonly string[] | undefined };
}

/** Finds routes that would reject every client, because no base URL of theirs accepts one of their profiles. */
export function mistakesOfLimitedRoutes(
  routes: readonly LimitedRoute[],
  table: BaseUrlProfiles,
  apiBaseUrls: readonly string[],
): readonly string[] {
  return routes.flatMap(({ baseUrl, rule }) => {
    const applying = baseUrl === undefined ? apiBaseUrls : [baseUrl];
    const isOpen = applying.some((one) => narrowedProfiles(rule.profiles, table[one])?.length !== 0);
    if (applying.length === 0 || isOpen) return [];
    return [`${nameOf(rule)}: "profiles" has none that is accepted at ${applying.join(' or ')}`];
  });
}
