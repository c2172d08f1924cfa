import { readFileSync } from 'node:fs';
import {
  type DeploymentPermissions,
  type Permission,
  problemOfDeploymentPermission,
} from '@countersign/contract';
import {
  noPermission,
  ordinaryRoute,
  type PermissionRule,
  problemOfUpstreamAddress,
  type RouteRule,
  RouteTable,
  routesOfOpenApi,
  summaryOf,
  upstreamDefaults,
  type UpstreamSettings,
  type UpstreamTls,
} from '@countersign/gate';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { AuthorizersInput } from './authorizer-settings.ts';

/** The part of the settings that describes an API behind the gateway. */
export interface RoutingSettings {
  readonly upstream: readonly string[] | undefined;
  readonly signForwarded: boolean;
  readonly openapi: string | undefined;
  readonly upstreams: Readonly<Record<string, UpstreamInput>>;
  readonly routes: readonly RouteInput[];
  readonly apiBaseUrls: readonly string[] | undefined;
  readonly authorizers: AuthorizersInput;
}

/** A protected API, completely read. */
export interface RoutingConfiguration {
  /** None if only authorizers protect it, for proxies that forward to it themselves. */
  readonly upstreams: readonly UpstreamSettings[];
  readonly routes: readonly ConfiguredRoute[];
  /** Permissions that routes need. */
  readonly permissions: DeploymentPermissions;
  /** The files that it was read from, besides the configuration file. */
  readonly files: readonly string[];
}

/** A route, and the base URL that it belongs to; undefined for all of them. */
export interface ConfiguredRoute {
  readonly baseUrl: string | undefined;
  readonly rule: RouteRule;
}

const seconds = z
  .number({ error: 'must be a number of seconds' })
  .positive('must be more than 0')
  .max(3600, 'must be at most 3600');
const secondsOrNone = z
  .number({ error: 'must be a number of seconds' })
  .nonnegative('must be 0 or more')
  .max(3600, 'must be at most 3600');
const count = z
  .int({ error: 'must be a whole number' })
  .min(1, 'must be at least 1')
  .max(100_000, 'must be at most 100000');
const text = z.string({ error: 'must be a text' }).min(1, 'must not be empty');
/** Takes one value in the place of a list. */
function listOf<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  const asList = (value: unknown): unknown => (Array.isArray(value) ? value : [value]);
  return z.preprocess(asList, z.array(item).min(1, 'must not be empty'));
}

const address = text.check((context) => {
  const problem = problemOfUpstreamAddress(context.value);
  if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value });
});
const upstreamInput = z.strictObject({
  addresses: listOf(address),
  connectionsMax: count.optional(),
  waitingMax: count.optional(),
  connectSeconds: seconds.optional(),
  firstByteSeconds: seconds.optional(),
  idleSeconds: seconds.optional(),
  keepAliveSeconds: secondsOrNone.optional(),
  host: z.enum(['received', 'upstream'], { error: 'must be received or upstream' }).optional(),
  sign: z.boolean({ error: 'must be true or false' }).optional(),
  http2: z.boolean({ error: 'must be true or false' }).optional(),
  tls: z
    .strictObject({
      certificateAuthorityFile: text.optional(),
      certificateFile: text.optional(),
      keyFile: text.optional(),
      serverName: text.optional(),
    })
    .optional(),
});
type UpstreamInput = z.infer<typeof upstreamInput>;

const methodToken = text.regex(/^[A-Z][A-Z-]*$/, 'must be a method in upper case');
const routeInput = z.strictObject({
  baseUrl: text.optional(),
  methods: listOf(methodToken).optional(),
  path: text,
  upstream: text.optional(),
  permission: text,
  mode: z.enum(['enforce', 'observe'], { error: 'must be enforce or observe' }).optional(),
  ambiguousPaths: z.enum(['refuse', 'forward'], { error: 'must be refuse or forward' }).optional(),
  upgrade: listOf(text).optional(),
  bodyBytesMax: z.int().min(0).max(1_073_741_824).optional(),
  firstByteSeconds: seconds.optional(),
  idleSeconds: seconds.optional(),
});
type RouteInput = z.infer<typeof routeInput>;

/** Reads a table: JSON in an environment variable, as it is in the configuration file. */
export function table<Value>(schema: z.ZodType<Value>): z.ZodType<Value> {
  const parsed = (value: unknown, context: z.RefinementCtx): unknown => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  };
  return z.preprocess(parsed, schema);
}

const commaSeparated = (value: unknown): unknown =>
  typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;

export const upstreamSchema: z.ZodType<readonly string[]> = z.preprocess(commaSeparated, listOf(address));
export const upstreamsSchema: z.ZodType<Record<string, UpstreamInput>> = table(
  z
    .record(z.string(), upstreamInput, { error: 'must be an object of upstreams by their names' })
    .check((context) => {
      for (const name of Object.keys(context.value)) {
        if (/^[a-z][a-z0-9-]{0,39}$/.test(name)) continue;
        const message = `${JSON.stringify(name)} must be a name of lower-case letters, digits and hyphens`;
        context.issues.push({ code: 'custom', message, input: context.value });
      }
    }),
);
export const routesSchema: z.ZodType<RouteInput[]> = table(
  z.array(routeInput, { error: 'must be a list of routes' }),
);

/** The name of the upstream that the setting `upstream` describes. */
export const simpleName = 'api';

/**
 * Reads everything that describes a protected API, files included.
 *
 * @param mistakes gets one sentence for each mistake
 * @returns undefined if no API is protected
 */
export function readRouting(settings: RoutingSettings, mistakes: string[]): RoutingConfiguration | undefined {
  const { upstream, signForwarded, openapi, upstreams, routes, authorizers, apiBaseUrls } = settings;
  if (signForwarded && upstream === undefined)
    mistakes.push(
      'COUNTERSIGN_SIGN_FORWARDED: it needs COUNTERSIGN_UPSTREAM; in "upstreams", each one has "sign": true',
    );
  const hasAuthorizers = Object.keys(authorizers).length > 0;
  const isAsked = upstream !== undefined || Object.keys(upstreams).length > 0 || hasAuthorizers;
  if (!isAsked) {
    if (openapi !== undefined)
      mistakes.push('COUNTERSIGN_OPENAPI: it needs COUNTERSIGN_UPSTREAM, the API that it describes');
    if (routes.length > 0)
      mistakes.push(
        'COUNTERSIGN_ROUTES: they need COUNTERSIGN_UPSTREAM, COUNTERSIGN_UPSTREAMS or COUNTERSIGN_AUTHORIZERS',
      );
    return undefined;
  }
  if (hasAuthorizers && apiBaseUrls === undefined)
    mistakes.push(
      'COUNTERSIGN_AUTHORIZERS: they need COUNTERSIGN_API_BASE_URLS, the URLs under which clients call the API',
    );
  const files: string[] = openapi === undefined ? [] : [openapi];
  const all = readUpstreams(settings, files, mistakes);
  const names = all.map(({ name }) => name);
  const named = routes.map((route, index) =>
    readRoute(route, `COUNTERSIGN_ROUTES: ${index + 1}`, names, settings, mistakes),
  );
  const described = openapi === undefined ? [] : readOpenApi(openapi, names, mistakes);
  const configured = [
    ...named,
    ...described.filter((one) => !named.some((other) => isSameRoute(one, other))),
  ];
  if (configured.length === 0 && mistakes.length === 0) configured.push(everything(names, mistakes));
  findTableMistakes(configured, settings.apiBaseUrls, mistakes);
  return { upstreams: all, routes: configured, permissions: permissionsOf(configured), files };
}

/** Returns the routes of one base URL. */
export function rulesFor(routes: readonly ConfiguredRoute[], baseUrl: string): readonly RouteRule[] {
  return routes
    .filter((route) => route.baseUrl === undefined || route.baseUrl === baseUrl)
    .map(({ rule }) => rule);
}

function readUpstreams(
  { upstream, signForwarded, upstreams }: RoutingSettings,
  files: string[],
  mistakes: string[],
): UpstreamSettings[] {
  const list = Object.entries(upstreams).map(([name, input]) => readUpstream(name, input, files, mistakes));
  if (upstream === undefined) return list;
  if (Object.hasOwn(upstreams, simpleName)) {
    mistakes.push(
      `COUNTERSIGN_UPSTREAM: "upstreams" already has the name ${simpleName}; leave one of the two out`,
    );
    return list;
  }
  return [...list, { ...upstreamDefaults, name: simpleName, addresses: upstream, sign: signForwarded }];
}

function readUpstream(
  name: string,
  { tls, ...input }: UpstreamInput,
  files: string[],
  mistakes: string[],
): UpstreamSettings {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const place = `COUNTERSIGN_UPSTREAMS: ${name}`;
  const isTls = input.addresses.every((one) => one.startsWith('https:'));
  if ((tls !== undefined || input.http2 === true) && !isTls)
    mistakes.push(`${place}: "tls" and "http2" need addresses that begin with https:`);
  if (tls !== undefined && (tls.certificateFile === undefined) !== (tls.keyFile === undefined))
    mistakes.push(`${place}: "certificateFile" and "keyFile" need each other`);
  const read = (file: string | undefined): string | undefined => {
    if (file === undefined) return undefined;
    files.push(file);
    return readText(file, `${place}: `, mistakes);
  };
  const readTls: UpstreamTls | undefined = tls && {
    certificateAuthority: read(tls.certificateAuthorityFile),
    certificate: read(tls.certificateFile),
    key: read(tls.keyFile),
    serverName: tls.serverName,
  };
  return { ...upstreamDefaults, ...given, name, addresses: input.addresses, tls: readTls };
}

function readRoute(
  route: RouteInput,
  place: string,
  names: readonly string[],
  { apiBaseUrls }: RoutingSettings,
  mistakes: string[],
): ConfiguredRoute {
  const [only] = names;
  const upstream = route.upstream ?? only;
  if (route.upstream === undefined && names.length > 1)
    mistakes.push(`${place}: "upstream" must name one of: ${names.join(', ')}`);
  else if (upstream !== undefined && !names.includes(upstream))
    mistakes.push(
      `${place}: there is no upstream ${JSON.stringify(upstream)}; there is: ${names.join(', ') || 'none'}`,
    );
  const permission = readPermission(route.permission);
  if (typeof permission === 'string') mistakes.push(`${place}: "permission" ${permission}`);
  if (route.baseUrl !== undefined && !apiBaseUrls?.includes(route.baseUrl))
    mistakes.push(`${place}: "baseUrl" must be one of "apiBaseUrls"`);
  return {
    baseUrl: route.baseUrl,
    rule: {
      methods: route.methods,
      path: route.path,
      upstream,
      permission: typeof permission === 'string' ? undefined : permission?.rule,
      mode: route.mode ?? 'enforce',
      allowsAmbiguousPaths: route.ambiguousPaths === 'forward',
      upgrades: route.upgrade?.map((protocol) => protocol.toLowerCase()) ?? [],
      bodyBytesMax: route.bodyBytesMax,
      firstByteSeconds: route.firstByteSeconds,
      idleSeconds: route.idleSeconds,
    },
  };
}

/** Returns what is wrong with a route's permission as a text. */
function readPermission(written: string): { readonly rule: PermissionRule } | string | undefined {
  if (written === noPermission) return undefined;
  if (!written.includes(':')) {
    const problem = problemOfDeploymentPermission(`${written}:read`);
    return problem === undefined ? { rule: { kind: 'by method', resource: written } } : problem;
  }
  const problem = problemOfDeploymentPermission(written);
  return problem === undefined ? { rule: { kind: 'one', permission: written as Permission } } : problem;
}

function readOpenApi(file: string, names: readonly string[], mistakes: string[]): ConfiguredRoute[] {
  const name = names.includes(simpleName) ? simpleName : names[0];
  if (names.length > 1 && name !== simpleName) {
    mistakes.push(
      `COUNTERSIGN_OPENAPI: with several upstreams, call the one that it describes ${simpleName}`,
    );
    return [];
  }
  const content = readText(file, 'COUNTERSIGN_OPENAPI: ', mistakes);
  if (content === undefined) return [];
  let document: unknown;
  try {
    // JSON is YAML. Aliases are bounded, because a small file could otherwise become very large.
    document = parseYaml(content, { maxAliasCount: 1000 });
  } catch {
    mistakes.push(`COUNTERSIGN_OPENAPI: ${file} is neither JSON nor YAML`);
    return [];
  }
  const found = routesOfOpenApi(document, name);
  if ('rules' in found) return found.rules.map((rule) => ({ baseUrl: undefined, rule }));
  for (const mistake of found) mistakes.push(`COUNTERSIGN_OPENAPI: ${file}: ${mistake}`);
  return [];
}

/** Returns the route of an API that nothing else describes: every path, with one permission to read and one to write. */
function everything(names: readonly string[], mistakes: string[]): ConfiguredRoute {
  if (names.length > 1)
    mistakes.push(
      'COUNTERSIGN_UPSTREAMS: with several, COUNTERSIGN_ROUTES must say which requests each one gets',
    );
  const permission = { kind: 'by method', resource: 'api' } as const;
  return {
    baseUrl: undefined,
    rule: { methods: undefined, path: '/**', upstream: names[0], permission, ...ordinaryRoute },
  };
}

function findTableMistakes(
  routes: readonly ConfiguredRoute[],
  apiBaseUrls: readonly string[] | undefined,
  mistakes: string[],
): void {
  const found = new Set<string>();
  for (const baseUrl of apiBaseUrls ?? ['']) {
    const built = RouteTable.from(rulesFor(routes, baseUrl));
    if (!(built instanceof RouteTable)) for (const mistake of built) found.add(mistake);
  }
  for (const mistake of found) mistakes.push(`COUNTERSIGN_ROUTES: ${mistake}`);
}

function isSameRoute(described: ConfiguredRoute, { rule }: ConfiguredRoute): boolean {
  const { path, methods } = described.rule;
  return (
    rule.path === path && (rule.methods === undefined || methods!.every((one) => rule.methods!.includes(one)))
  );
}

function permissionsOf(routes: readonly ConfiguredRoute[]): DeploymentPermissions {
  const names = routes.flatMap(({ rule: { permission } }): Permission[] => {
    if (permission === undefined) return [];
    if (permission.kind === 'one') return [permission.permission];
    return [`${permission.resource}:read`, `${permission.resource}:write`];
  });
  return Object.fromEntries(names.map((name) => [name, { summary: summaryOf(name) }]));
}

function readText(file: string, place: string, mistakes: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    mistakes.push(`${place}${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}
