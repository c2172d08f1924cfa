import { readFileSync } from 'node:fs';
import {
  type DeploymentPermissions,
  type Permission,
  problemOfDeploymentPermission,
} from '@countersign/contract';
import {
  nameOf,
  noPermission,
  type OpenApiReading,
  ordinaryRoute,
  type PermissionRule,
  problemOfUpstreamAddress,
  readPathPattern,
  type RouteRule,
  RouteTable,
  shapeOf,
  summaryOf,
  upstreamDefaults,
  type UpstreamSettings,
  type UpstreamTls,
} from '@countersign/gate';
import type { MessageProfile } from '@countersign/signature/messages/request';
import { z } from 'zod';
import { acceptedNames, type BaseUrlProfiles, narrowedProfiles } from './base-url-profiles.ts';
import type { AuthorizersInput } from './authorizer-settings.ts';
import type { DocumentProblem } from './openapi/document-text.ts';
import type { DocumentReader } from './openapi/read-openapi.ts';

/** The settings that describe an API behind the gateway. */
export interface RoutingSettings {
  readonly upstream: readonly string[] | undefined;
  readonly signForwarded: boolean;
  readonly signResponses: boolean;
  readonly openapi: string | undefined;
  readonly openapiReading: OpenApiReading;
  readonly upstreams: Readonly<Record<string, UpstreamInput>>;
  /** Undefined for rows that cannot be read. */
  readonly routes: readonly (RouteInput | undefined)[];
  readonly apiBaseUrls: readonly string[] | undefined;
  readonly authorizers: AuthorizersInput;
  /** The profiles that clients may have besides the closed ones. */
  readonly profiles: readonly MessageProfile[];
  /** The profiles that base URLs accept, also those of the service itself. */
  readonly baseUrlProfiles: BaseUrlProfiles;
}

/** A protected API, as read from the settings and their files. */
export interface RoutingConfiguration {
  /** Empty if only authorizers protect it, for proxies that forward to it themselves. */
  readonly upstreams: readonly UpstreamSettings[];
  readonly routes: readonly ConfiguredRoute[];
  /** The permissions that routes require. */
  readonly permissions: DeploymentPermissions;
  readonly baseUrlProfiles: BaseUrlProfiles;
  /** The files that it was read from, in addition to the configuration file. */
  readonly files: readonly string[];
  /** Parts of the OpenAPI document that no route enforces. */
  readonly warnings: readonly DocumentWarning[];
}

/** A line of the report about an OpenAPI document. */
export interface DocumentWarning extends DocumentProblem {
  readonly file: string;
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
const isSigned = z.boolean({ error: 'must be true or false' }).optional();
/** It is in memory until it is sent. */
const bytesInMemory = z
  .int({ error: 'must be a whole number of bytes' })
  .min(1, 'must be at least 1')
  .max(67_108_864, 'must be at most 67108864')
  .optional();
const text = z.string({ error: 'must be a string' }).min(1, 'must not be empty');
/** Accepts a single value in place of a list. */
function listOf<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  const asList = (value: unknown): unknown => (Array.isArray(value) ? value : [value]);
  return z.preprocess(asList, z.array(item).min(1, 'must not be empty'));
}

const address = checkedText(problemOfUpstreamAddress);
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
  signResponses: isSigned,
  signedBytesMax: bytesInMemory,
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
  mode: z
    .enum(['enforce', 'observe', 'identify'], { error: 'must be enforce, observe or identify' })
    .optional(),
  profiles: listOf(text).optional(),
  ambiguousPaths: z.enum(['refuse', 'forward'], { error: 'must be refuse or forward' }).optional(),
  upgrade: listOf(text).optional(),
  bodyBytesMax: z.int().min(0).max(1_073_741_824).optional(),
  firstByteSeconds: seconds.optional(),
  idleSeconds: seconds.optional(),
  signResponses: isSigned,
  signedBytesMax: bytesInMemory,
});
type RouteInput = z.infer<typeof routeInput>;

/** Reads a table: JSON in an environment variable, or plain members in the configuration file. */
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
    .record(z.string(), upstreamInput, { error: 'must be an object with the names of upstreams as keys' })
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

/** Returns the readable rows of a table, at their positions, even if others cannot be read. */
export function readableRoutes(given: unknown): readonly (RouteInput | undefined)[] | undefined {
  const rows = table(z.array(z.unknown())).safeParse(given);
  return rows.data?.map((row) => routeInput.safeParse(row).data);
}

const permissionText = checkedText((value) =>
  value === noPermission ? undefined : problemOfDeploymentPermission(value),
);
const patternText = checkedText((value) => {
  const pattern = readPathPattern(value);
  return typeof pattern === 'string' ? pattern : undefined;
});
const prefixText = checkedText((value) => {
  const pattern = readPathPattern(value);
  if (typeof pattern === 'string') return pattern;
  return pattern.matchesBelow ? 'must not end in "/**"' : undefined;
});
const pathReading = z.strictObject({
  path: patternText.optional(),
  basePath: listOf(prefixText).optional(),
  permission: permissionText.optional(),
  skip: z.boolean({ error: 'must be true or false' }).optional(),
});
export const openapiReadingSchema: z.ZodType<OpenApiReading> = table(
  z.strictObject(
    {
      basePath: listOf(prefixText).optional(),
      tags: z
        .record(
          z.string(),
          checkedText((name) => problemOfDeploymentPermission(`${name}:read`)),
        )
        .optional(),
      paths: z
        .record(z.string(), pathReading, { error: 'must be an object with paths as keys' })
        .check((context) => {
          for (const [key, { path }] of Object.entries(context.value)) {
            if (path === undefined || !/^\S+ /.test(key)) continue;
            const message = `${JSON.stringify(key)}: "path" belongs to a whole path, without a method`;
            context.issues.push({ code: 'custom', message, input: context.value });
          }
        })
        .optional(),
      ignore: listOf(
        z.enum(['scopes', 'furtherTags'], { error: 'must be scopes or furtherTags' }),
      ).optional(),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'must be an object' : undefined) },
  ),
);

/** Reads a text; `problemOf` returns what is wrong with it. */
function checkedText(problemOf: (value: string) => string | undefined): z.ZodType<string> {
  return text.check((context) => {
    const message = problemOf(context.value);
    if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
  });
}

/** The name of the upstream that the setting `upstream` describes. */
export const simpleName = 'api';

/**
 * Reads everything that describes a protected API, including files.
 *
 * @param mistakes gets one sentence for each mistake
 * @returns undefined if no API is protected
 */
export function readRouting(
  settings: RoutingSettings,
  readDocument: DocumentReader,
  mistakes: string[],
): RoutingConfiguration | undefined {
  const { upstream, signForwarded, signResponses, openapi, upstreams, routes, authorizers, apiBaseUrls } =
    settings;
  if (openapi === undefined && Object.keys(settings.openapiReading).length > 0)
    mistakes.push('COUNTERSIGN_OPENAPI_READING: it needs COUNTERSIGN_OPENAPI, the document that it is about');
  if (signForwarded && upstream === undefined)
    mistakes.push(
      'COUNTERSIGN_SIGN_FORWARDED: it needs COUNTERSIGN_UPSTREAM; in "upstreams", each one has "sign": true',
    );
  if (signResponses && upstream === undefined)
    mistakes.push(
      'COUNTERSIGN_SIGN_RESPONSES: it needs COUNTERSIGN_UPSTREAM; in "upstreams", each one has "signResponses": true',
    );
  const hasAuthorizers = Object.keys(authorizers).length > 0;
  const isAsked = upstream !== undefined || Object.keys(upstreams).length > 0 || hasAuthorizers;
  if (!isAsked) {
    if (openapi !== undefined)
      mistakes.push('COUNTERSIGN_OPENAPI: it needs COUNTERSIGN_UPSTREAM, the API that it describes');
    if (routes.some((row) => row !== undefined))
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
  const named = routes.flatMap((route, index) =>
    route === undefined
      ? []
      : readRoute(route, `COUNTERSIGN_ROUTES: ${index + 1}`, names, settings, mistakes),
  );
  const described = readOpenApi(settings, names, readDocument, mistakes);
  const configured = [...named, ...notReplaced(described.routes, named, apiBaseUrls)];
  if (configured.length === 0 && openapi === undefined && mistakes.length === 0)
    configured.push(defaultRoute(names, settings, mistakes));
  if (hasAuthorizers && configured.some(({ rule }) => rule.signedBytesMax !== undefined))
    mistakes.push(
      'COUNTERSIGN_AUTHORIZERS: they cannot be combined with routes that sign responses, because their proxies pass responses on themselves',
    );
  findTableMistakes(configured, described.places, settings.apiBaseUrls, mistakes);
  const { warnings } = described;
  const { baseUrlProfiles } = settings;
  const permissions = permissionsOf(configured);
  return { upstreams: all, routes: configured, permissions, baseUrlProfiles, files, warnings };
}

/** Finds the mistakes of an OpenAPI document even if other settings cannot be read. */
export function findDocumentMistakes(
  { openapi, openapiReading, routes = [] }: Partial<RoutingSettings>,
  readDocument: DocumentReader,
  mistakes: string[],
): void {
  if (openapiReading !== undefined)
    readOpenApi({ ...unsigned, openapi, openapiReading, routes }, [simpleName], readDocument, mistakes);
}

/** Returns the routes of one base URL. They accept no profiles but those of the base URL; undefined for all. */
export function rulesFor(
  routes: readonly ConfiguredRoute[],
  baseUrl: string,
  accepted: readonly string[] | undefined,
): readonly RouteRule[] {
  return routes
    .filter((route) => route.baseUrl === undefined || route.baseUrl === baseUrl)
    .map(({ rule }) =>
      accepted === undefined ? rule : { ...rule, profiles: narrowedProfiles(rule.profiles, accepted) },
    );
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
      `COUNTERSIGN_UPSTREAM: "upstreams" already has the name ${simpleName}; remove one of the two`,
    );
    return list;
  }
  return [...list, { ...upstreamDefaults, name: simpleName, addresses: upstream, sign: signForwarded }];
}

/** Settings of an upstream for its routes. */
type SigningSettings = Pick<RoutingSettings, 'signResponses' | 'upstreams'>;

const unsigned: SigningSettings = { signResponses: false, upstreams: {} };

/** What a route says about the signatures of its responses. */
type RouteSigning = Pick<RouteInput, 'signResponses' | 'signedBytesMax'>;

/** Returns the largest response that a route signs; undefined if it signs none. */
function signedBytesOf(
  route: RouteSigning,
  upstream: string | undefined,
  { signResponses, upstreams }: SigningSettings,
): number | undefined {
  const ofUpstream: RouteSigning | undefined =
    upstream !== undefined && Object.hasOwn(upstreams, upstream)
      ? upstreams[upstream]
      : { signResponses: signResponses && upstream === simpleName };
  const isAsked = route.signResponses ?? ofUpstream?.signResponses ?? false;
  return isAsked ? (route.signedBytesMax ?? ofUpstream?.signedBytesMax ?? defaultSignedBytes) : undefined;
}

const defaultSignedBytes = 1_048_576;

function findSigningMistakes(
  { mode, upgrade, signResponses, signedBytesMax }: RouteInput,
  signedBytes: number | undefined,
  place: string,
  mistakes: string[],
): void {
  if (signedBytes === undefined) {
    if (signedBytesMax !== undefined) mistakes.push(`${place}: "signedBytesMax" needs "signResponses": true`);
    return;
  }
  const change = signResponses === true ? 'leave out one of the two' : 'add "signResponses": false';
  if (mode === 'observe' || mode === 'identify')
    mistakes.push(
      `${place}: "mode": "${mode}" cannot be combined with signed responses, because strangers would get signatures; ${change}`,
    );
  if (upgrade !== undefined)
    mistakes.push(
      `${place}: "upgrade" cannot be combined with signed responses, because nothing is signed after the switch; ${change}`,
    );
}

function readUpstream(
  name: string,
  { tls, signResponses: _signResponses, signedBytesMax: _signedBytesMax, ...input }: UpstreamInput,
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
  settings: RoutingSettings,
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
  if (route.baseUrl !== undefined && !settings.apiBaseUrls?.includes(route.baseUrl))
    mistakes.push(`${place}: "baseUrl" must be one of "apiBaseUrls"`);
  findProfileMistakes(route, settings, place, mistakes);
  const signedBytesMax = signedBytesOf(route, upstream, settings);
  findSigningMistakes(route, signedBytesMax, place, mistakes);
  return {
    baseUrl: route.baseUrl,
    rule: {
      methods: route.methods,
      path: route.path,
      upstream,
      permission: typeof permission === 'string' ? undefined : permission?.rule,
      mode: route.mode ?? 'enforce',
      profiles: route.profiles,
      allowsAmbiguousPaths: route.ambiguousPaths === 'forward',
      upgrades: route.upgrade?.map((protocol) => protocol.toLowerCase()) ?? [],
      bodyBytesMax: route.bodyBytesMax,
      firstByteSeconds: route.firstByteSeconds,
      idleSeconds: route.idleSeconds,
      signedBytesMax,
    },
  };
}

function findProfileMistakes(
  route: RouteInput,
  // Undefined if the setting has a mistake, which is reported there.
  { profiles }: Partial<Pick<RoutingSettings, 'profiles'>>,
  place: string,
  mistakes: string[],
): void {
  if (route.mode === 'identify' && route.upgrade !== undefined)
    mistakes.push(
      `${place}: a route that identifies cannot have "upgrade": a connection would outlast its proof`,
    );
  if (profiles === undefined) return;
  const accepted = acceptedNames(profiles);
  for (const name of route.profiles ?? [])
    if (!accepted.includes(name))
      mistakes.push(`${place}: "profiles" must name some of: ${accepted.join(', ')}`);
}

/** Reads a route's permission; returns a text if it is wrong. */
function readPermission(written: string): { readonly rule: PermissionRule } | string | undefined {
  if (written === noPermission) return undefined;
  if (!written.includes(':')) {
    const problem = problemOfDeploymentPermission(`${written}:read`);
    return problem === undefined ? { rule: { kind: 'by method', resource: written } } : problem;
  }
  const problem = problemOfDeploymentPermission(written);
  return problem === undefined ? { rule: { kind: 'one', permission: written as Permission } } : problem;
}

interface Described {
  readonly routes: readonly ConfiguredRoute[];
  /** The position of each rule in the document. */
  readonly places: ReadonlyMap<RouteRule, string>;
  readonly warnings: readonly DocumentWarning[];
}

function readOpenApi(
  {
    openapi: file,
    openapiReading: reading,
    routes,
    ...signing
  }: Pick<RoutingSettings, 'openapi' | 'openapiReading' | 'routes'> & SigningSettings,
  names: readonly string[],
  readDocument: DocumentReader,
  mistakes: string[],
): Described {
  const nothing: Described = { routes: [], places: new Map(), warnings: [] };
  if (file === undefined) return nothing;
  const name = names.includes(simpleName) ? simpleName : names[0];
  if (names.length > 1 && name !== simpleName) {
    mistakes.push(
      `COUNTERSIGN_OPENAPI: with several upstreams, name the one that it describes ${simpleName}`,
    );
    return nothing;
  }
  // A row for a single base URL leaves the document's route in force on the others.
  const decided = routes.flatMap((row) =>
    row === undefined || row.baseUrl !== undefined ? [] : { methods: row.methods, path: row.path },
  );
  const report = readDocument({ file, upstream: name, options: { reading, decided } });
  for (const mistake of report.mistakes)
    mistakes.push(`COUNTERSIGN_OPENAPI: ${placed(file, mistake)}: ${mistake.message}`);
  const signedBytesMax = signedBytesOf({}, name, signing);
  const rules = report.rules.map((one) => ({ ...one, rule: { ...one.rule, signedBytesMax } }));
  return {
    routes: rules.map(({ rule }) => ({ baseUrl: undefined, rule })),
    places: new Map(rules.map((one) => [one.rule, placed(file, one)])),
    warnings: report.warnings.map((warning) => ({ ...warning, file })),
  };
}

/** Formats a position in the form that editors and terminals turn into a link. */
export function placed(file: string, { place }: Pick<DocumentProblem, 'place'>): string {
  return place === undefined ? file : `${file}:${place.line}:${place.column}`;
}

/**
 * Returns the default route of an API without routes: every path, with one permission for reading and one for
 * writing.
 */
function defaultRoute(
  names: readonly string[],
  settings: RoutingSettings,
  mistakes: string[],
): ConfiguredRoute {
  if (names.length > 1)
    mistakes.push(
      'COUNTERSIGN_UPSTREAMS: with several, COUNTERSIGN_ROUTES must say which requests each one gets',
    );
  const permission = { kind: 'by method', resource: 'api' } as const;
  return {
    baseUrl: undefined,
    rule: {
      ...ordinaryRoute,
      methods: undefined,
      path: '/**',
      upstream: names[0],
      permission,
      signedBytesMax: signedBytesOf({}, names[0], settings),
    },
  };
}

function findTableMistakes(
  routes: readonly ConfiguredRoute[],
  places: ReadonlyMap<RouteRule, string>,
  apiBaseUrls: readonly string[] | undefined,
  mistakes: string[],
): void {
  const naming = (rule: RouteRule, role: 'mistaken' | 'other'): string => {
    const place = places.get(rule);
    if (role === 'other') return place === undefined ? nameOf(rule) : `${nameOf(rule)} (${place})`;
    return place === undefined
      ? `COUNTERSIGN_ROUTES: ${nameOf(rule)}`
      : `COUNTERSIGN_OPENAPI: ${place}: ${nameOf(rule)}`;
  };
  const found = new Set<string>();
  const isDivided = routes.some(({ baseUrl }) => baseUrl !== undefined);
  for (const baseUrl of (isDivided && apiBaseUrls) || ['']) {
    const built = RouteTable.from(rulesFor(routes, baseUrl, undefined), naming);
    if (!(built instanceof RouteTable)) for (const mistake of built) found.add(mistake);
  }
  mistakes.push(...found);
}

/** Returns the document's routes that no row of the table replaces: on all base URLs, or only on some. */
function notReplaced(
  described: readonly ConfiguredRoute[],
  named: readonly ConfiguredRoute[],
  apiBaseUrls: readonly string[] = [],
): readonly ConfiguredRoute[] {
  const rows = Map.groupBy(named, ({ rule }) => shapeOfPath(rule.path));
  return described.flatMap((route) => {
    const shape = rows.size === 0 ? undefined : shapeOfPath(route.rule.path);
    const taken = (rows.get(shape) ?? []).filter((row) => replaces(row, route));
    if (taken.length === 0) return route;
    if (taken.some(({ baseUrl }) => baseUrl === undefined)) return [];
    return apiBaseUrls
      .filter((baseUrl) => !taken.some((row) => row.baseUrl === baseUrl))
      .map((baseUrl) => ({ ...route, baseUrl }));
  });
}

/** Returns true if a row for the same path covers all methods of a route. */
function replaces({ rule: row }: ConfiguredRoute, { rule }: ConfiguredRoute): boolean {
  // A reserved path is not a route, so it stays.
  if (rule.methods?.length === 0) return false;
  return row.methods === undefined || rule.methods!.every((one) => row.methods!.includes(one));
}

function shapeOfPath(path: string): string | undefined {
  const pattern = readPathPattern(path);
  return typeof pattern === 'string' ? undefined : shapeOf(pattern);
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
  return readBytes(file, place, mistakes)?.toString('utf8');
}

function readBytes(file: string, place: string, mistakes: string[]): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    mistakes.push(`${place}${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}
