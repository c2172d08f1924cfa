import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { problemOfBaseUrls } from '@countersign/gate';
import { mistakesOfBaseUrlProfiles, mistakesOfLimitedRoutes } from './base-url-profiles.ts';
import { findUnusableStreams } from './streams-setting.ts';
import { readLogoFile } from './logo-file.ts';
import { readPasswordListFormat } from './password-list.ts';
import type { DocumentReader } from './openapi/read-openapi.ts';
import {
  findDocumentMistakes,
  readableRoutes,
  readRouting,
  type RoutingConfiguration,
} from './routing-settings.ts';
import type { SecretUrl } from './secret-url.ts';
import { type GuardKind, type SettingName, type Settings, settings } from './settings.ts';

/** The settings, and the values derived from them. */
export interface Configuration extends Settings {
  readonly guard: GuardKind;
  readonly publicBaseUrls: readonly string[];
  readonly problemTypeBase: string;
  /** The protected API; undefined if there is none. */
  readonly routing: RoutingConfiguration | undefined;
  readonly apiPort: number;
  readonly authorizerPort: number;
  readonly authorizerGrpcPort: number;
  readonly apiBaseUrls: readonly string[];
  readonly stopDelaySeconds: number;
  readonly mailRequireTls: boolean;
  /** The source of each setting. */
  readonly sources: SettingSources;
  /** The files that the configuration was read from. */
  readonly files: readonly string[];
}

/** The source of a setting: a default of the demonstration counts as a default too. */
export type SettingSource = 'environment' | 'file' | 'default';

export type SettingSources = Readonly<Record<SettingName, SettingSource>>;

/** Lists every mistake in a configuration, one sentence each. */
export class ConfigurationError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n` +
        mistakes.map((mistake) => `  - ${mistake}`).join('\n'),
    );
    this.name = 'ConfigurationError';
    this.mistakes = mistakes;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a file's text, or throws as `readFileSync` does. */
export type TextReader = (path: string) => string;

/** The settings that are given: the environment, defaults that replace those of the table, and how to read the file. */
export type GivenSettings = readonly [
  environment: Environment,
  otherDefaults?: Readonly<Partial<Record<SettingName, string>>>,
  readText?: TextReader,
];

/** Returns a reader that reads each file once: a pipe gives its text only once. */
export function readingOnce(): TextReader {
  const texts = new Map<string, string>();
  return (path) => {
    const text = texts.get(path) ?? readFileSync(path, 'utf8');
    texts.set(path, text);
    return text;
  };
}

/**
 * Reads the settings: the environment first, then the JSON file that `COUNTERSIGN_CONFIGURATION_FILE` names,
 * then the defaults. Unknown names are mistakes too, because they are typos.
 *
 * @param readDocument reads an OpenAPI document that the settings name
 * @throws ConfigurationError with all mistakes at once
 */
export function loadConfigurationWith(
  readDocument: DocumentReader,
  ...[environment, otherDefaults = {}, readText = readingOnce()]: GivenSettings
): Configuration {
  const mistakes: string[] = [];
  const file = readFile(environment[fileVariable], readText, mistakes);
  findUnknownNames(environment, file, mistakes);

  const values: Partial<Record<SettingName, unknown>> = {};
  const given = new Set<SettingName>();
  const sources: Partial<Record<SettingName, SettingSource>> = {};
  for (const [name, { environment: variable, schema, default: fallback }] of entriesOf(settings)) {
    const fromEnvironment = environment[variable];
    const source = fromEnvironment !== undefined ? variable : `"${name}" in the configuration file`;
    const fromFile = Object.hasOwn(file, name) ? file[name] : (otherDefaults[name] ?? fallback);
    if ((fromEnvironment ?? fromFile) !== undefined) given.add(name);
    sources[name] =
      fromEnvironment === undefined ? (Object.hasOwn(file, name) ? 'file' : 'default') : 'environment';
    const result = schema.safeParse(fromEnvironment ?? fromFile);
    if (result.success) values[name] = result.data;
    else
      for (const { path, message } of result.error.issues)
        mistakes.push(`${source}: ${placeOf(path)}${message}`);
    // Readable rows of the table can have mistakes of their own, and affect which mistakes a document has.
    if (!result.success && name === 'routes') values[name] = readableRoutes(fromEnvironment ?? fromFile);
  }
  findContradictions(values as Settings, mistakes);
  findHalves(given, mistakes);
  findUnsearchableList(values as Partial<Settings>, mistakes);
  findUnusableLogos(values as Partial<Settings>, mistakes);
  findUnusableStreams(values as Partial<Settings>, mistakes);
  const isReadable = routingSettings.every((name) => name in values && (name !== 'routes' || values[name]));
  const routing = isReadable ? readRouting(values as Settings, readDocument, mistakes) : undefined;
  if (!isReadable) findDocumentMistakes(values as Partial<Settings>, readDocument, mistakes);
  if (routing) {
    findMixedBaseUrls(values as Settings, mistakes);
    findUnguardedUpgrades(values as Settings, routing, mistakes);
  }
  if (
    isReadable &&
    ((values as Partial<Settings>).threads ?? 1) > 1 &&
    (routing?.upstreams.length ?? 0) === 0
  )
    mistakes.push('COUNTERSIGN_THREADS: several threads serve a protected API, and none is configured');
  findBaseUrlMistakes(values as Partial<Settings>, isReadable ? routing : undefined, mistakes);
  if (mistakes.length > 0)
    throw new ConfigurationError(mistakes.map((mistake) => inTermsOfFile(mistake, sources)));
  const fileName = environment[fileVariable];
  const files = [...(fileName ? [fileName] : []), ...(routing?.files ?? [])];
  return complete({ ...(values as Settings), routing, files, sources: sources as SettingSources });
}

/**
 * Names a setting that comes from the configuration file by its member there, because no environment variable
 * sets it.
 */
function inTermsOfFile(mistake: string, sources: Partial<SettingSources>): string {
  return mistake.replaceAll(
    /\b(COUNTERSIGN_\w+)(=?)/g,
    (whole, variable: string, set: string, offset: number) => {
      const [name] = entriesOf(settings).find(([, one]) => one.environment === variable) ?? [];
      if (name === undefined || sources[name] !== 'file') return whole;
      return `"${name}"${offset === 0 ? ' in the configuration file' : ''}${set === '' ? '' : ' set to '}`;
    },
  );
}

/** Formats the position of a mistake in a table, counted from 1. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((part) => (typeof part === 'number' ? part + 1 : String(part))).join(' ');
  return place === '' ? '' : `${place}: `;
}

/**
 * Fills in the values that depend on other settings. With port 0, URLs that depend on the port stay empty until
 * this is called again with the assigned port.
 */
export function complete(
  values: Settings & Pick<Configuration, 'routing' | 'files' | 'sources'>,
  port: number = values.port,
  apiPort: number = apiPortOf(values.apiPort, port),
): Configuration {
  const publicBaseUrls = givenOr(values.publicBaseUrls, port);
  const [firstBaseUrl] = publicBaseUrls;
  const errorsPage = firstBaseUrl === undefined ? '' : `${firstBaseUrl}/docs/errors`;
  return {
    ...values,
    guard: guardOf(values),
    dataFolder: resolve(values.dataFolder),
    publicBaseUrls,
    apiPort,
    apiBaseUrls: givenOr(values.apiBaseUrls, apiPort),
    authorizerPort: values.authorizerPort ?? (port === 0 ? 0 : port + 2),
    authorizerGrpcPort: values.authorizerGrpcPort ?? (port === 0 ? 0 : port + 3),
    problemTypeBase: values.problemTypeBase || errorsPage,
    mailRequireTls: values.mailRequireTls ?? hasUser(values.mailUrl),
    // A single node has no others to hand over to, and would only stop later.
    stopDelaySeconds: values.stopDelaySeconds ?? (values.nodes > 1 ? 5 : 0),
  };
}

function apiPortOf(given: number | undefined, port: number): number {
  return given ?? (port === 0 ? 0 : port + 1);
}

function hasUser(url: SecretUrl | undefined): boolean {
  return url !== undefined && new URL(url.reveal()).username !== '';
}

/** Returns the given base URLs, or the default ones for a port. */
function givenOr(given: readonly string[] | undefined, port: number): readonly string[] {
  if (given !== undefined && given.length > 0) return given;
  return port === 0 ? [] : [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
}

/** Writes the text of `--help`: every setting with its default. */
export function describeSettings(): string {
  const lines = entriesOf(settings).map(([name, { environment, default: fallback, help }]) => {
    const value = fallback === undefined ? '' : ` [${fallback === '' ? 'empty' : fallback}]`;
    return `  ${environment}${value}\n      ${help} In the file: ${name}.`;
  });
  return `${lines.join('\n')}\n  ${fileVariable}\n      A JSON file with settings, by their names in the file. The environment takes precedence over it.`;
}

const fileVariable = 'COUNTERSIGN_CONFIGURATION_FILE';

/**
 * Returns what the environment gives a setting, or the configuration file; undefined if neither does. Not its default.
 *
 * @throws ConfigurationError if the file cannot be read
 */
export function givenSetting(name: SettingName, environment: Environment): unknown {
  const mistakes: string[] = [];
  const file = readFile(environment[fileVariable], readingOnce(), mistakes);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return environment[settings[name].environment] ?? file[name];
}

function readFile(
  path: string | undefined,
  readText: TextReader,
  mistakes: string[],
): Record<string, unknown> {
  if (path === undefined || path === '') return {};
  try {
    const content: unknown = JSON.parse(readText(path));
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as Record<string, unknown>;
    mistakes.push(`${fileVariable}: ${path} must hold one JSON object`);
  } catch (error) {
    const cause =
      error instanceof SyntaxError
        ? 'is not JSON'
        : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    mistakes.push(`${fileVariable}: ${path} ${cause}`);
  }
  return {};
}

function findUnknownNames(environment: Environment, file: Record<string, unknown>, mistakes: string[]): void {
  const variables = new Set<string>([fileVariable, ...entriesOf(settings).map(([, one]) => one.environment)]);
  // The command line has its own variables with the same prefix.
  const others = /^COUNTERSIGN_(CLIENT_ID|PRIVATE_KEY_FILE|PASSPHRASE|PROFILE|BASE_URL)$/;
  for (const name of Object.keys(environment)) {
    if (name.startsWith('COUNTERSIGN_') && !variables.has(name) && !others.test(name)) {
      mistakes.push(`${name}: there is no such setting${suggestion(name, [...variables])}`);
    }
  }
  for (const name of Object.keys(file)) {
    if (!Object.hasOwn(settings, name)) {
      mistakes.push(
        `"${name}" in the configuration file: there is no such setting${suggestion(name, Object.keys(settings))}`,
      );
    }
  }
}

/** Chooses the default replay guard: a shared one, if there is a store for it. */
function guardOf({ guard, redisUrl, databaseUrl }: Partial<Settings>): GuardKind {
  if (guard !== undefined) return guard;
  if (redisUrl !== undefined) return 'redis';
  return databaseUrl === undefined ? 'memory' : 'postgres';
}

function findContradictions(values: Partial<Settings>, mistakes: string[]): void {
  const { nodes = 1, threads = 1, databaseUrl, redisUrl } = values;
  const guard = guardOf(values);
  if (guard === 'postgres' && databaseUrl === undefined) {
    mistakes.push('COUNTERSIGN_GUARD: postgres needs COUNTERSIGN_DATABASE_URL');
  }
  if (guard === 'redis' && redisUrl === undefined) {
    mistakes.push('COUNTERSIGN_GUARD: redis needs COUNTERSIGN_REDIS_URL');
  }
  if (guard !== 'redis' && redisUrl !== undefined) {
    mistakes.push(
      `COUNTERSIGN_REDIS_URL: with COUNTERSIGN_GUARD=${guard} nothing uses it; remove one of the two`,
    );
  }
  if (threads > 1) findContradictionsOfThreads(values, mistakes);
  if (nodes > 1 && databaseUrl === undefined) {
    mistakes.push('COUNTERSIGN_NODES: several nodes need a shared database; set COUNTERSIGN_DATABASE_URL');
  } else if (nodes > 1 && guard === 'memory') {
    mistakes.push(
      'COUNTERSIGN_NODES: a replay guard in memory lets each request pass once on every node; ' +
        'set COUNTERSIGN_GUARD to postgres or redis',
    );
  }
}

/** Threads share a port through `SO_REUSEPORT`, and state only within this process, which means the memory guard. */
function findContradictionsOfThreads(
  { databaseUrl, ...values }: Partial<Settings>,
  mistakes: string[],
): void {
  const { port, apiPort } = values;
  if (process.platform !== 'linux')
    mistakes.push('COUNTERSIGN_THREADS: several threads can share a port on Linux only; leave it at 1');
  if (guardOf({ databaseUrl, ...values }) !== 'memory' || databaseUrl !== undefined) {
    mistakes.push(
      'COUNTERSIGN_THREADS: several threads share the memory guard and the database file; ' +
        'with COUNTERSIGN_DATABASE_URL or COUNTERSIGN_REDIS_URL, start several nodes instead',
    );
  }
  if (apiPort === port && port !== 0)
    mistakes.push('COUNTERSIGN_THREADS: several threads need a COUNTERSIGN_API_PORT of their own');
}

const routingSettings = [
  'upstream',
  'signForwarded',
  'signResponses',
  'openapi',
  'openapiReading',
  'upstreams',
  'routes',
  'apiBaseUrls',
  'authorizers',
] as const;

/** Finds mistakes in what base URLs accept, and routes that would accept nobody. */
function findBaseUrlMistakes(
  values: Partial<Settings>,
  routing: RoutingConfiguration | undefined,
  mistakes: string[],
): void {
  const { port, apiPort, baseUrlProfiles, profiles } = values;
  // A base URL that cannot be read is a mistake already, and others follow from the port.
  if (port === undefined || baseUrlProfiles === undefined) return;
  if (!('publicBaseUrls' in values && 'apiBaseUrls' in values && 'apiPort' in values)) return;
  const apiBaseUrls = givenOr(values.apiBaseUrls, apiPortOf(apiPort, port));
  const served = {
    publicBaseUrls: givenOr(values.publicBaseUrls, port),
    apiBaseUrls: routing === undefined ? (values.apiBaseUrls ?? []) : apiBaseUrls,
  };
  const found = mistakesOfBaseUrlProfiles(baseUrlProfiles, served, profiles);
  mistakes.push(...found.map((mistake) => `${settings.baseUrlProfiles.environment}: ${mistake}`));
  const ofRoutes = mistakesOfLimitedRoutes(routing?.routes ?? [], baseUrlProfiles, apiBaseUrls);
  mistakes.push(...ofRoutes.map((mistake) => `${settings.routes.environment}: ${mistake}`));
}

/** On a shared port, the hosts of the base URLs must distinguish the console from the API. */
function findMixedBaseUrls(values: Settings, mistakes: string[]): void {
  const { port, apiPort, publicBaseUrls, apiBaseUrls } = values;
  if (apiPort === port && port !== 0 && (publicBaseUrls === undefined || apiBaseUrls === undefined)) {
    mistakes.push(
      'COUNTERSIGN_API_PORT: on the same port as the service, both COUNTERSIGN_PUBLIC_BASE_URLS and COUNTERSIGN_API_BASE_URLS must be set',
    );
  }
  const problem = problemOfBaseUrls([...(publicBaseUrls ?? []), ...(apiBaseUrls ?? [])]);
  if (publicBaseUrls && apiBaseUrls && problem) mistakes.push(`COUNTERSIGN_API_BASE_URLS: ${problem}`);
}

/** Finds routes where a GET whose signature is not remembered could be replayed to open a connection. */
function findUnguardedUpgrades(
  { repeat }: Settings,
  { routes }: RoutingConfiguration,
  mistakes: string[],
): void {
  if (repeat === 'unsafe-only' && routes.some(({ rule }) => rule.upgrades.length > 0)) {
    mistakes.push(
      'COUNTERSIGN_REPEAT: with unsafe-only, a captured GET could open a connection on a route with "upgrade"; use equal-reads or strict',
    );
  }
}

function findUnsearchableList({ breachedPasswordsFile: path }: Partial<Settings>, mistakes: string[]): void {
  if (path === undefined) return;
  const reading = readPasswordListFormat(path);
  if ('mistake' in reading) mistakes.push(`COUNTERSIGN_BREACHED_PASSWORDS_FILE: ${path} ${reading.mistake}`);
}

function findUnusableLogos({ logoFile, darkLogoFile }: Partial<Settings>, mistakes: string[]): void {
  const files = { COUNTERSIGN_LOGO_FILE: logoFile, COUNTERSIGN_DARK_LOGO_FILE: darkLogoFile };
  for (const [variable, path] of Object.entries(files)) {
    if (path === undefined) continue;
    const reading = readLogoFile(path);
    if ('mistake' in reading) mistakes.push(`${variable}: ${path} ${reading.mistake}`);
  }
  if (darkLogoFile !== undefined && logoFile === undefined)
    mistakes.push('COUNTERSIGN_DARK_LOGO_FILE: it needs COUNTERSIGN_LOGO_FILE too');
}

/** Finds settings that are given without the ones they need. `given` includes settings that are invalid. */
function findHalves(given: ReadonlySet<SettingName>, mistakes: string[]): void {
  for (const group of together) {
    const missing = group.filter((name) => !given.has(name));
    const [first] = group.filter((name) => given.has(name));
    if (first === undefined || missing.length === 0) continue;
    const names = missing.map((name) => settings[name].environment).join(' and ');
    mistakes.push(`${settings[first].environment}: it needs ${names} too`);
  }
}

const together: readonly (readonly SettingName[])[] = [
  ['mailUrl', 'mailFrom'],
  ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'],
];

/** Suggests the known name that differs in the fewest characters, if it is close enough to be the intended one. */
function suggestion(name: string, known: readonly string[]): string {
  const nearest = known
    .map((one) => ({ one, distance: editDistance(name, one) }))
    .toSorted((left, right) => left.distance - right.distance)[0];
  return nearest && nearest.distance <= 3 ? `; did you mean ${nearest.one}?` : '';
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}

function entriesOf<Table extends Record<string, unknown>>(
  table: Table,
): [keyof Table & string, Table[keyof Table]][] {
  return Object.entries(table) as [keyof Table & string, Table[keyof Table]][];
}
