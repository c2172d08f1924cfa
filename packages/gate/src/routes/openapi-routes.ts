import { problemOfDeploymentPermission } from '@countersign/contract/permissions';
import { isLikePermission, reportOperationFields, reportRootFields, wrongPlace } from './openapi-fields.ts';
import { Findings, isRecord, type Location, type OpenApiFinding } from './openapi-finding.ts';
import { type DescribedOperation, type ItemMember, PathItemReader } from './openapi-path-item.ts';
import { noPermission, type PermissionSource, ResourceNames } from './openapi-permissions.ts';
import { type OpenApiPathReading, type OpenApiReading, ReadingEntries } from './openapi-reading.ts';
import { type DescribedRule, DescribedRules } from './openapi-rules.ts';
import { readBasePath, readServers, withoutSlash } from './openapi-servers.ts';
import { readTemplate } from './openapi-template.ts';
import { Unenforced } from './openapi-unenforced.ts';
import { checkVersion } from './openapi-version.ts';
import { type RouteRule, safeMethods } from './route-table.ts';

/** The routes that an OpenAPI document describes, and everything in it that became none. */
export interface OpenApiRoutes {
  /** To be used only if no finding is a mistake. */
  readonly rules: readonly DescribedRule[];
  readonly findings: readonly OpenApiFinding[];
}

export interface OpenApiOptions {
  readonly reading?: OpenApiReading | undefined;
  /** Routes of a table, which win over the document's, also over its mistakes. */
  readonly decided?: readonly Pick<RouteRule, 'methods' | 'path'>[] | undefined;
}

/**
 * Reads a provider's OpenAPI document (3.x or Swagger 2.0): each operation becomes a route. Its permission is
 * `x-permission` of the operation or its path, or else its first tag or first path segment, with `read` for safe methods
 * and `write` for others. Everything else is a finding: nothing is skipped in silence.
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
    return new OpenApiReader(document, document['paths'], upstream, options).read();
  const message = 'it is not an OpenAPI document with paths';
  return { rules: [], findings: [{ severity: 'mistake', at: ['paths'], message }] };
}

/** A path of the document, and what belongs to all of its operations. */
interface DescribedPath {
  /** As it is written in the document. */
  readonly name: string;
  readonly at: Location;
  /** The path pattern below the base path. */
  readonly path: string;
  readonly members: ReadonlyMap<string, ItemMember>;
  readonly prefixes: readonly string[];
  readonly permission: ItemMember | undefined;
}

class OpenApiReader {
  readonly #document: Record<string, unknown>;
  readonly #paths: Record<string, unknown>;
  readonly #reading: OpenApiReading;
  readonly #entries: ReadingEntries;
  readonly #findings = new Findings();
  readonly #items: PathItemReader;
  readonly #names: ResourceNames;
  readonly #rules: DescribedRules;
  readonly #unenforced = new Unenforced();
  readonly #hosts = new Set<string>();
  #operationCount = 0;

  constructor(
    document: Record<string, unknown>,
    paths: Record<string, unknown>,
    upstream: string | undefined,
    { reading = {}, decided = [] }: OpenApiOptions,
  ) {
    this.#document = document;
    this.#paths = paths;
    this.#reading = reading;
    this.#entries = new ReadingEntries(reading);
    this.#items = new PathItemReader(document, this.#findings);
    this.#names = new ResourceNames(reading.tags ?? {}, this.#findings);
    this.#rules = new DescribedRules(upstream, decided, this.#findings);
  }

  read(): OpenApiRoutes {
    reportRootFields(this.#document, this.#findings);
    checkVersion(this.#document, this.#findings);
    const prefixes = this.#prefixes();
    for (const [name, item] of Object.entries(this.#paths)) {
      const at = ['paths', name];
      // Extensions are beside the paths.
      if (name.startsWith('x-') && !isLikePermission(name)) continue;
      if (isLikePermission(name)) this.#findings.mistake(at, `${name} ${wrongPlace}`);
      else this.#readPath(name, item, at, prefixes);
    }
    this.#items.reportExternal();
    if (this.#operationCount === 0 && this.#findings.list.every(({ severity }) => severity === 'warning'))
      this.#findings.mistake(['paths'], 'it has no operations');
    this.#unenforced.report(this.#reading.ignore, this.#findings);
    this.#entries.reportUnused(this.#names.used, this.#findings);
    return { rules: this.#rules.all(), findings: this.#findings.list };
  }

  /** Returns the paths of the document's servers. */
  #prefixes(): readonly string[] {
    const { swagger, openapi, basePath, servers } = this.#document;
    const isSwagger = swagger !== undefined || (openapi === undefined && basePath !== undefined);
    const [own, foreign] = isSwagger
      ? (['basePath', 'servers'] as const)
      : (['servers', 'basePath'] as const);
    if (this.#document[foreign] !== undefined)
      this.#findings.warning([foreign], `"${foreign}" counts for nothing here: this version has "${own}"`);
    if (this.#reading.basePath !== undefined) return this.#reading.basePath.map(withoutSlash);
    if (isSwagger) return readBasePath(basePath, this.#findings);
    const { prefixes, hosts } = readServers(servers, ['servers'], this.#findings);
    for (const host of hosts) this.#hosts.add(host);
    return prefixes;
  }

  #readPath(name: string, item: unknown, at: Location, prefixes: readonly string[]): void {
    const entry = this.#entries.of(name);
    const template = entry?.path !== undefined ? { path: entry.path, warnings: [] } : readWritten(name);
    if (typeof template === 'string') {
      if (entry?.skip === true) this.#findings.warning(at, `${name}: skipped; ${template}`);
      else this.#findings.mistake(at, `${name}: ${template}`);
      return;
    }
    const members = this.#items.membersOf(item, name, at);
    if (members === undefined) return;
    for (const warning of template.warnings) this.#findings.warning(at, `${name}: ${warning}`);
    const permission =
      entry?.permission === undefined ? members.get('x-permission') : { value: entry.permission, at };
    const servers = members.get('servers');
    const path: DescribedPath = {
      name,
      at,
      path: template.path,
      members,
      prefixes: servers === undefined ? prefixes : this.#otherServers(servers, name),
      permission,
    };
    for (const prefix of path.prefixes) this.#rules.reserve(prefix + path.path, path);
    this.#refuseLookalikes(new Map([...members].map(([field, member]) => [field, member.at])), entry, name);
    for (const operation of this.#items.operationsOf(members, name))
      this.#readOperation(path, operation, entry?.skip === true);
  }

  #readOperation(path: DescribedPath, described: DescribedOperation, isPathSkipped: boolean): void {
    const { method, operation, at } = described;
    const name = `${method} ${path.name}`;
    const entry = this.#entries.of(name);
    this.#operationCount += 1;
    if (isPathSkipped || entry?.skip === true)
      return this.#findings.warning(at, `${name}: skipped by the setting openapiReading`);
    if (method === 'TRACE' || method === 'CONNECT')
      return this.#findings.warning(at, `${name}: ${method} is never forwarded`);
    const servers = operation['servers'];
    const prefixes =
      servers === undefined
        ? path.prefixes
        : this.#otherServers({ value: servers, at: [...at, 'servers'] }, name);
    const open = prefixes.filter((prefix) => !this.#rules.isDecided(method, prefix + path.path));
    if (open.length === 0) return undefined;
    this.#refuseLookalikes(
      new Map(Object.keys(operation).map((field) => [field, [...at, field]])),
      entry,
      name,
    );
    const permission = this.#permissionOf(path, described, entry);
    if (permission === undefined) return undefined;
    reportOperationFields(operation, at, name, this.#findings);
    this.#unenforced.count(operation, at, this.#document['security']);
    for (const prefix of open) this.#rules.add(method, prefix + path.path, permission, { at, name });
  }

  /** Reads servers that are not the document's own. */
  #otherServers(servers: ItemMember, name: string): readonly string[] {
    const { prefixes, hosts } = readServers(servers.value, servers.at, this.#findings);
    const other = [...hosts].find((host) => !this.#hosts.has(host));
    if (other !== undefined && this.#hosts.size > 0)
      this.#findings.warning(
        servers.at,
        `${name}: its server ${other} is another host than the document's; the route is on every base URL, at the path of that server`,
      );
    return prefixes;
  }

  /** Returns the permission of an operation, or undefined after reporting why it has none. */
  #permissionOf(
    path: DescribedPath,
    { method, operation, at }: DescribedOperation,
    entry: OpenApiPathReading | undefined,
  ): string | undefined {
    const field = 'x-permission';
    // An empty one is a mistake, and no reason to take another.
    const own = Object.hasOwn(operation, field)
      ? { value: operation[field], at: [...at, field] }
      : path.permission;
    const written = entry?.permission === undefined ? own : { value: entry.permission, at };
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
      return this.#findings.mistake([...at, 'tags'], `${name}: tags must be a list of texts`);
    const [tag] = tags as string[];
    if (tags.length > 1) this.#unenforced.countSeveralTags([...at, 'tags']);
    if (tag !== undefined) return { kind: 'tag', text: tag };
    const segment = path.split('/').find((part) => /^[^{}*]+$/.test(part) && !saysNothing.test(part));
    return segment === undefined
      ? { kind: 'nothing', text: 'api' }
      : { kind: 'path segment', text: decoded(segment) };
  }

  /** A field that was meant to be `x-permission` must not leave the weaker permission of a tag. */
  #refuseLookalikes(
    fields: ReadonlyMap<string, Location>,
    entry: OpenApiPathReading | undefined,
    name: string,
  ): void {
    if (entry?.permission !== undefined) return;
    for (const [field, at] of fields)
      if (field !== 'x-permission' && isLikePermission(field))
        this.#findings.mistake(at, `${name}: ${JSON.stringify(field)} is not read; write x-permission`);
  }
}

function readWritten(name: string): ReturnType<typeof readTemplate> {
  return name.startsWith('/') ? readTemplate(name) : `a path starts with "/": write /${name}`;
}

function problemOfPermission(permission: unknown): string | undefined {
  if (permission === noPermission) return undefined;
  if (typeof permission !== 'string') return 'must be a text';
  return problemOfDeploymentPermission(permission);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Segments that are the same for all of an API. */
const saysNothing = /^(?:v\d+(?:\.\d+)*|api|rest)$/i;
