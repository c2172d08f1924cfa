import { nameOf, permissionOf, type RouteRule, RouteTable } from '@countersign/gate';
import { type BaseUrlProfiles, narrowedProfiles } from '../configuration/base-url-profiles.ts';
import { loadConfiguration } from '../configuration/load-at-once.ts';
import { type Configuration, ConfigurationError } from '../configuration/load.ts';
import {
  type ConfiguredRoute,
  type DocumentWarning,
  placed,
  rulesFor,
} from '../configuration/routing-settings.ts';

export { ConfigurationError };
export { acceptedProfileNames } from '../configuration/accepted-profile-names.ts';

/** A route in the form that people read. */
export interface ShownRoute {
  /** Undefined if the route applies to every base URL. */
  readonly baseUrl: string | undefined;
  /** Undefined if the route applies to any method. */
  readonly methods: readonly string[] | undefined;
  readonly path: string;
  /** `none` if every active client may call; `invoices:read or invoices:write` if it depends on the method. */
  readonly permission: string;
  /** Undefined if another proxy forwards the requests and only queries an authorizer. */
  readonly upstream: string | undefined;
  readonly mode: RouteRule['mode'];
  /** The profiles that a client can have here; undefined for each that the service accepts. */
  readonly profiles: readonly string[] | undefined;
  /** True if the gateway signs the responses to verified clients. */
  readonly signsResponses: boolean;
}

/** The routes of a configuration. */
export interface RouteReport {
  readonly apiBaseUrls: readonly string[];
  /** The names of the profiles that base URLs accept, also those of the service itself. One that is not listed accepts all. */
  readonly baseUrlProfiles: Readonly<Record<string, readonly string[]>>;
  readonly upstreams: readonly { readonly name: string; readonly addresses: readonly string[] }[];
  readonly routes: readonly ShownRoute[];
  /** Parts of the OpenAPI document that no route enforces. */
  readonly warnings: readonly DocumentWarning[];
}

/** The result of routing one request. */
export type RouteTest =
  | {
      readonly outcome: 'forwarded';
      readonly route: ShownRoute;
      readonly permission: string;
      readonly addresses: readonly string[];
      /** The target that the upstream receives. */
      readonly target: string;
    }
  | {
      readonly outcome: 'refused';
      readonly code: 'not_found' | 'method_not_allowed' | 'path_ambiguous' | 'request_malformed';
      readonly reason: string;
    };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the routes of a configuration, as the service does.
 *
 * @throws ConfigurationError with all mistakes at once, or if it has no routes
 */
export function readRouteReport(environment: Environment): RouteReport {
  const { routing, apiBaseUrls, baseUrlProfiles } = load(environment);
  return {
    apiBaseUrls,
    baseUrlProfiles,
    upstreams: routing.upstreams.map(({ name, addresses }) => ({ name, addresses })),
    // A path that is only reserved forwards nothing.
    routes: routing.routes
      .filter(({ rule }) => rule.methods?.length !== 0)
      .map((route) => shown(route, baseUrlProfiles)),
    warnings: routing.warnings,
  };
}

/**
 * Finds out how a configuration routes a request.
 *
 * @param url an absolute URL, or a path below the first base URL of the API
 * @throws ConfigurationError as `readRouteReport`
 */
export function testRoute(environment: Environment, method: string, url: string): RouteTest {
  const { routing, apiBaseUrls, baseUrlProfiles } = load(environment);
  const baseUrl = url.startsWith('/')
    ? apiBaseUrls[0]!
    : apiBaseUrls.find((one) => url === one || url.startsWith(`${one}/`) || url.startsWith(`${one}?`));
  if (baseUrl === undefined) {
    const reason = `the URL is not below one of the API's base URLs: ${apiBaseUrls.join(', ')}`;
    return { outcome: 'refused', code: 'request_malformed', reason };
  }
  const rest = url.startsWith('/') ? url : url.slice(baseUrl.length);
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  const table = RouteTable.from(rulesFor(routing.routes, baseUrl, baseUrlProfiles[baseUrl]));
  if (!(table instanceof RouteTable)) throw new ConfigurationError(table);
  const match = table.find(method, target.split('?', 1)[0]!);
  switch (match.kind) {
    case 'not found':
      return { outcome: 'refused', code: 'not_found', reason: 'no route has this path' };
    case 'method not allowed': {
      const reason = `the route of this path has the methods ${match.allow.join(', ')}`;
      return { outcome: 'refused', code: 'method_not_allowed', reason };
    }
    case 'ambiguous':
      return { outcome: 'refused', code: 'path_ambiguous', reason: match.reason };
    case 'route': {
      const upstream = routing.upstreams.find(({ name }) => name === match.rule.upstream);
      return {
        outcome: 'forwarded',
        route: shown({ baseUrl: undefined, rule: match.rule }, {}),
        permission: match.permission ?? 'none',
        addresses: upstream?.addresses ?? [],
        target,
      };
    }
  }
}

/** Formats a warning with its position, as compilers do. */
export function warningLine(warning: DocumentWarning): string {
  return `${placed(warning.file, warning)}: warning: ${warning.message}`;
}

/** Formats a route's methods and path. */
export function routeName({ methods, path }: Pick<ShownRoute, 'methods' | 'path'>): string {
  return nameOf({ methods, path });
}

function load(
  environment: Environment,
): Configuration & { readonly routing: NonNullable<Configuration['routing']> } {
  const configuration = loadConfiguration(environment);
  const { routing } = configuration;
  if (routing === undefined)
    throw new ConfigurationError([
      'no API is protected: pass --upstream URL, or set COUNTERSIGN_UPSTREAM or COUNTERSIGN_CONFIGURATION_FILE',
    ]);
  return { ...configuration, routing };
}

/** A route of every base URL keeps its own profiles; some of them may accept fewer. */
function shown({ baseUrl, rule }: ConfiguredRoute, baseUrlProfiles: BaseUrlProfiles): ShownRoute {
  const { methods, path, upstream, mode } = rule;
  const profiles = narrowedProfiles(rule.profiles, baseUrlProfiles[baseUrl ?? '']);
  const both = new Set(['GET', 'POST'].map((method) => permissionOf(rule, method) ?? 'none'));
  const signsResponses = rule.signedBytesMax !== undefined;
  const permission = [...both].join(' or ');
  return { baseUrl, methods, path, permission, upstream, mode, profiles, signsResponses };
}
