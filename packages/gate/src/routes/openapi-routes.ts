import { isLikePermission, reportOperationFields, reportRootFields, wrongPlace } from './openapi-fields.ts';
import { Findings, isRecord, type Location, type OpenApiFinding } from './openapi-finding.ts';
import { reportMisplaced } from './openapi-misplaced.ts';
import {
  type Described,
  type DescribedOperation,
  isLikePathItem,
  type ItemMember,
  PathItemReader,
  percentDecoded,
} from './openapi-path-item.ts';
import { type PermissionSource, problemOfPermission, ResourceNames } from './openapi-permissions.ts';
import { type OpenApiPathReading, type OpenApiReading, ReadingEntries } from './openapi-reading.ts';
import { type DescribedRule, DescribedRules } from './openapi-rules.ts';
import { readBasePath, readServers, withoutSlash } from './openapi-servers.ts';
import { belowBasePath, readTemplate } from './openapi-template.ts';
import { Unenforced } from './openapi-unenforced.ts';
import { checkVersion } from './openapi-version.ts';
import { readPathPattern } from './path-pattern.ts';
import { type RouteRule, safeMethods } from './route-table.ts';

/** The routes that an OpenAPI document describes, and everything in it that became no route. */
export interface OpenApiRoutes {
  /** Use them only if no finding is a mistake. */
  readonly rules: readonly DescribedRule[];
  readonly findings: readonly OpenApiFinding[];
}

export interface OpenApiOptions {
  readonly reading?: OpenApiReading | undefined;
  /** Routes of a table, which win over the document's routes and over its mistakes. */
  readonly decided?: readonly Pick<RouteRule, 'methods' | 'path'>[] | undefined;
}

/**
 * Reads a provider's OpenAPI document (3.x or Swagger 2.0): each operation becomes a route. Its permission is
 * `x-permission` of the operation or its path, or else its first tag or first path segment, with `read` for
 * safe methods and `write` for others. Everything else is a finding: nothing is silently skipped.
 *
 * @param document parsed JSON or YAML
 * @param upstream the name of the upstream that serves the API; undefined if only authorizers use the routes
 */
export function routesOfOpenApi(
  document: unknown,
  upstream: string | undefined,
  options: OpenApiOptions = {},
): OpenApiRoutes {
  if (isRecord(document) && isRecord(document['paths']))
    return new OpenApiReader(document, upstream, options).read();
  const message = 'it is not an OpenAPI document with paths';
  return { rules: [], findings: [{ severity: 'mistake', at: ['paths'], message }] };
}

/** A path of the document, with everything that all of its operations share. */
interface DescribedPath extends Described {
  /** The operator's entry for it. */
  readonly entry: OpenApiPathReading | undefined;
  /** The path pattern below the base path. */
  readonly path: string;
  readonly members: ReadonlyMap<string, ItemMember>;
  readonly prefixes: readonly string[];
}

class OpenApiReader {
  readonly #document: Record<string, unknown>;
  readonly #reading: OpenApiReading;
  readonly #entries: ReadingEntries;
  readonly #findings = new Findings();
  readonly #items: PathItemReader;
  /** Reads skipped paths, whatever mistakes they contain. */
  readonly #skippedItems: PathItemReader;
  readonly #names: ResourceNames;
  readonly #rules: DescribedRules;
  readonly #unenforced = new Unenforced();
  readonly #hosts = new Set<string>();
  #operationCount = 0;

  constructor(
    document: Record<string, unknown>,
    upstream: string | undefined,
    { reading = {}, decided = [] }: OpenApiOptions,
  ) {
    this.#document = document;
    this.#reading = reading;
    this.#entries = new ReadingEntries(reading);
    this.#items = new PathItemReader(document, this.#findings);
    this.#skippedItems = new PathItemReader(document, new Findings());
    this.#names = new ResourceNames(reading.tags ?? {}, this.#findings);
    this.#rules = new DescribedRules(upstream, decided, this.#findings);
  }

  read(): OpenApiRoutes {
    reportRootFields(this.#document, this.#reading.basePath !== undefined, this.#findings);
    reportMisplaced(this.#document, (key) => this.#entries.settles(key), this.#findings);
    checkVersion(this.#document, this.#findings);
    const prefixes = this.#prefixes();
    // Azure describes paths there that differ only in their query, which routes cannot tell apart.
    for (const field of ['paths', 'x-ms-paths'] as const)
      if (this.#document[field] !== undefined) this.#readPaths(field, prefixes);
    this.#items.reportExternal();
    if (this.#operationCount === 0 && this.#findings.list.every(({ severity }) => severity === 'warning'))
      this.#findings.mistake(['paths'], 'it has no operations');
    const rules = this.#rules.finish();
    this.#unenforced.report(this.#reading.ignore, this.#findings);
    this.#entries.reportUnused(this.#names.used, this.#findings);
    return { rules, findings: this.#findings.list };
  }

  /** Returns the paths of the document's servers. */
  #prefixes(): readonly string[] {
    const { swagger, openapi, basePath, servers } = this.#document;
    const isSwagger = swagger !== undefined || (openapi === undefined && basePath !== undefined);
    const [own, foreign] = isSwagger
      ? (['basePath', 'servers'] as const)
      : (['servers', 'basePath'] as const);
    if (this.#document[foreign] !== undefined)
      this.#findings.warning([foreign], `"${foreign}" has no effect here: this version has "${own}"`);
    if (this.#reading.basePath !== undefined) return this.#reading.basePath.map(withoutSlash);
    if (isSwagger) return readBasePath(basePath, this.#findings);
    const setting = '"basePath" in the setting openapiReading';
    const { prefixes, hosts } = readServers(servers, ['servers'], setting, this.#findings);
    for (const host of hosts) this.#hosts.add(host);
    return prefixes;
  }

  #readPaths(field: 'paths' | 'x-ms-paths', prefixes: readonly string[]): void {
    const paths = this.#document[field];
    if (!isRecord(paths)) return this.#findings.mistake([field], `${field} must be an object of paths`);
    for (const [name, item] of Object.entries(paths)) {
      const at = [field, name];
      const isPath = name.startsWith('/') || isLikePathItem(item);
      if (!isPath && isLikePermission(name)) this.#findings.mistake(at, `${name} ${wrongPlace}`);
      // Extensions occur among the paths.
      else if (isPath || !name.startsWith('x-')) this.#readPath(item, { name, at }, prefixes);
    }
    return undefined;
  }

  #readPath(item: unknown, { name, at }: Described, prefixes: readonly string[]): void {
    const entry = this.#entries.of(name);
    const isSkipped = entry?.skip === true;
    const template = entry?.path !== undefined ? { path: entry.path, warnings: [] } : readWritten(name);
    if (typeof template === 'string' && !isSkipped) return this.#findings.mistake(at, `${name}: ${template}`);
    const items = isSkipped ? this.#skippedItems : this.#items;
    const members = this.#membersOf(item, { name, at }, entry);
    if (members === undefined) return undefined;
    const own = this.#prefixesOf(entry?.basePath, members.get('servers'), prefixes, name);
    const operations = items.operationsOf(
      members,
      name,
      (method) => isSkipped || this.#entries.of(`${method} ${name}`)?.skip === true,
    );
    if (isSkipped && operations.length === 0) this.#operationCount += 1;
    if (typeof template === 'string') {
      const path = { name, entry, prefixes: own };
      for (const prefix of new Set([...own, ...operations.flatMap((one) => this.#prefixesFor(one, path))]))
        this.#rules.reserveBelow({ start: startOf(prefix, name), problem: template, at, name });
      this.#operationCount += operations.length;
      return undefined;
    }
    for (const warning of template.warnings) this.#findings.warning(at, `${name}: ${warning}`);
    const path: DescribedPath = { name, at, entry, path: template.path, members, prefixes: own };
    this.#reserve(path);
    if (!isSkipped && entry?.permission === undefined)
      this.#refuseLookalikes(new Map([...members].map(([field, member]) => [field, member.at])), name);
    for (const operation of operations) this.#readOperation(path, operation);
    if (isSkipped && operations.length === 0)
      this.#findings.warning(at, `${name}: skipped by the setting openapiReading`);
    return undefined;
  }

  /** Returns the contents of a path item; for a skipped one, at least what can be read. */
  #membersOf(
    item: unknown,
    described: Described,
    entry: OpenApiPathReading | undefined,
  ): ReadonlyMap<string, ItemMember> | undefined {
    const settled = new Set<string>();
    if (entry?.permission !== undefined) settled.add('x-permission');
    if (entry?.basePath !== undefined) settled.add('servers');
    if (entry?.skip !== true) return this.#items.membersOf(item, described, settled);
    return this.#skippedItems.membersOf(item, described, settled) ?? ownMembers(item, described.at);
  }

  #reserve(path: DescribedPath): void {
    const patterns = path.prefixes.map((prefix) => belowBasePath(prefix, path.path));
    const problem = patterns.map((one) => readPathPattern(one)).find((one) => typeof one === 'string');
    if (problem !== undefined) this.#findings.mistake(path.at, `${path.name}: ${problem}`);
    for (const pattern of patterns) this.#rules.reserve(pattern, path);
  }

  #readOperation(path: DescribedPath, described: DescribedOperation): void {
    const { method, operation, at } = described;
    const name = `${method} ${path.name}`;
    const entry = this.#entries.of(name);
    this.#operationCount += 1;
    const paths = this.#prefixesFor(described, path).map((prefix) => belowBasePath(prefix, path.path));
    for (const one of paths) this.#rules.reserve(one, { at, name });
    if (path.entry?.skip === true || entry?.skip === true)
      return this.#rules.skip({ method, paths, at, name });
    if (method === 'TRACE' || method === 'CONNECT')
      return this.#findings.warning(at, `${name}: ${method} is never forwarded`);
    const open = paths.filter((one) => !this.#rules.isDecided(method, one));
    if (open.length === 0) return undefined;
    const given = entry?.permission ?? path.entry?.permission;
    if (given === undefined)
      this.#refuseLookalikes(new Map(Object.keys(operation).map((field) => [field, [...at, field]])), name);
    const permission = this.#permissionOf(path, described, given);
    if (permission === undefined) return undefined;
    reportOperationFields(operation, { at, name }, given !== undefined, this.#findings);
    this.#unenforced.count(operation, at, this.#document['security']);
    for (const one of open) this.#rules.add(method, one, permission, { at, name });
    return undefined;
  }

  /** Returns the base paths of an operation. */
  #prefixesFor(
    { method, operation, at }: DescribedOperation,
    path: Pick<DescribedPath, 'name' | 'entry' | 'prefixes'>,
  ): readonly string[] {
    const name = `${method} ${path.name}`;
    const value = operation['servers'];
    const servers = value === undefined ? undefined : { value, at: [...at, 'servers'] };
    const basePath = this.#entries.of(name)?.basePath ?? path.entry?.basePath;
    return this.#prefixesOf(basePath, servers, path.prefixes, name);
  }

  /** Returns the base paths of a path or an operation. */
  #prefixesOf(
    given: readonly string[] | undefined,
    servers: ItemMember | undefined,
    inherited: readonly string[],
    name: string,
  ): readonly string[] {
    if (given !== undefined) return given.map(withoutSlash);
    if (servers === undefined) return inherited;
    const setting = `"basePath" for ${JSON.stringify(name)} in "paths" of the setting openapiReading`;
    if (Array.isArray(servers.value) && servers.value.length === 0)
      this.#findings.mistake(
        servers.at,
        `${name}: an empty list of servers has no path: leave it out, or set ${setting}`,
      );
    const { prefixes, hosts } = readServers(servers.value, servers.at, setting, this.#findings);
    const other = [...hosts].find((host) => !this.#hosts.has(host));
    if (other !== undefined && this.#hosts.size > 0)
      this.#findings.warning(
        servers.at,
        `${name}: its server ${other} has a different host than the document's; the route is on every base URL, at the path of that server`,
      );
    return prefixes;
  }

  /**
   * Returns the permission of an operation, or undefined after reporting why it has none.
   *
   * @param given the operator's entry
   */
  #permissionOf(
    path: DescribedPath,
    { method, operation, at }: DescribedOperation,
    given: string | undefined,
  ): string | undefined {
    if (given !== undefined) return given;
    const field = 'x-permission';
    // An empty one is a mistake; do not fall back to another.
    const written = Object.hasOwn(operation, field)
      ? { value: operation[field], at: [...at, field] }
      : path.members.get(field);
    if (written !== undefined) {
      const problem = problemOfPermission(written.value);
      if (problem === undefined) return written.value as string;
      return this.#findings.mistake(written.at, `${method} ${path.name}: x-permission ${problem}`);
    }
    const source = this.#sourceOf(path, operation, at);
    const name = source && this.#names.nameOf(source, at);
    return name && `${name}:${safeMethods.has(method) ? 'read' : 'write'}`;
  }

  #sourceOf(
    { name, path }: DescribedPath,
    operation: Record<string, unknown>,
    at: Location,
  ): PermissionSource | undefined {
    const { tags = [] } = operation;
    if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string'))
      return this.#findings.mistake([...at, 'tags'], `${name}: tags must be a list of strings`);
    const [tag] = tags as string[];
    if (tags.length > 1) this.#unenforced.countSeveralTags([...at, 'tags']);
    if (tag !== undefined) return { kind: 'tag', text: tag };
    const segment = path.split('/').find((part) => /^[^{}*]+$/.test(part) && !saysNothing.test(part));
    return segment === undefined
      ? { kind: 'nothing', text: 'api' }
      : { kind: 'path segment', text: percentDecoded(segment) };
  }

  /**
   * Reports fields that were meant to be `x-permission`: the operation must not get the weaker permission of
   * a tag instead.
   */
  #refuseLookalikes(fields: ReadonlyMap<string, Location>, name: string): void {
    for (const [field, at] of fields)
      if (field !== 'x-permission' && isLikePermission(field))
        this.#findings.mistake(at, `${name}: ${JSON.stringify(field)} is not read; write x-permission`);
  }
}

/** Longer than the path of any request. */
const pathLengthMax = 8192;

/** Reads a path as written in the document. Returns what is wrong with it as a text. */
function readWritten(name: string): ReturnType<typeof readTemplate> {
  if (!name.startsWith('/')) return `a path starts with "/": write /${name}`;
  if (name.length > pathLengthMax) return `it is longer than the limit of ${pathLengthMax} characters`;
  const template = readTemplate(name);
  if (typeof template === 'string') return template;
  const pattern = readPathPattern(template.path);
  return typeof pattern === 'string' ? pattern : template;
}

/** Returns the leading segments of a path that are plain text. */
function startOf(prefix: string, name: string): string {
  const segments = name.replace(/^\//, '').split('/');
  const end = segments.findIndex((one) => /[{}<>*?#]/.test(one));
  const texts = end === -1 ? segments : segments.slice(0, end);
  const text = texts
    .join('/')
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return texts.length === 0 ? '' : `${prefix}/${text}`;
}

/** Returns the members of the path item itself, ignoring its reference. */
function ownMembers(item: unknown, at: Location): ReadonlyMap<string, ItemMember> {
  const own = isRecord(item) ? Object.entries(item) : [];
  return new Map(own.map(([field, value]) => [field, { value, at: [...at, field] }]));
}

/** Segments that are the same for the whole API. */
const saysNothing = /^(?:v\d+(?:\.\d+)*|api|rest)$/i;
