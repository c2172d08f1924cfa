import { METHODS } from 'node:http';
import { type Permission, problemOfDeploymentPermission } from '@countersign/contract/permissions';
import { ambiguityOf } from './ambiguous-path.ts';
import { Findings, isRecord, type Location, type OpenApiFinding } from './openapi-finding.ts';
import { type DescribedOperation, type ItemMember, PathItemReader } from './openapi-path-item.ts';
import { type PermissionSource, ResourceNames } from './openapi-permissions.ts';
import { readBasePath, readServers, withoutSlash } from './openapi-servers.ts';
import { readTemplate } from './openapi-template.ts';
import { readPathPattern, shapeOf } from './path-pattern.ts';
import { type RouteRule, safeMethods } from './route-table.ts';

/** The routes that an OpenAPI document describes, and everything in it that became none. */
export interface OpenApiRoutes {
  /** To be used only if no finding is a mistake. */
  readonly rules: readonly DescribedRule[];
  readonly findings: readonly OpenApiFinding[];
}

/** A route of a document. */
export interface DescribedRule {
  readonly rule: RouteRule;
  readonly at: Location;
}

/** What an operator says about a document without editing it. */
export interface OpenApiReading {
  /** Path patterns that stand before all paths, instead of the document's servers. */
  readonly basePath?: readonly string[] | undefined;
  /** Resources of permissions by tag, or by path segment where there is no tag. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** By path as written in the document, or by method and path: `GET /invoices`. */
  readonly paths?: Readonly<Record<string, OpenApiPathReading>> | undefined;
  /** What the report leaves out: scopes of security requirements, and tags after the first. */
  readonly ignore?: readonly ('scopes' | 'furtherTags')[] | undefined;
}

/** What an operator says about one path or operation. */
export interface OpenApiPathReading {
  /** The path pattern that it stands for; for whole paths only. */
  readonly path?: string | undefined;
  readonly permission?: string | undefined;
  /** Makes no route of it. */
  readonly skip?: boolean | undefined;
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

/** The rest of a route that has no settings of its own. */
export const ordinaryRoute: Pick<
  RouteRule,
  'mode' | 'allowsAmbiguousPaths' | 'upgrades' | 'bodyBytesMax' | 'firstByteSeconds' | 'idleSeconds'
> = {
  mode: 'enforce',
  allowsAmbiguousPaths: false,
  upgrades: [],
  bodyBytesMax: undefined,
  firstByteSeconds: undefined,
  idleSeconds: undefined,
};

/** Written as a permission, opens a route to every active client. */
export const noPermission = 'none';

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
  readonly #upstream: string | undefined;
  readonly #reading: OpenApiReading;
  readonly #findings = new Findings();
  readonly #items: PathItemReader;
  readonly #names: ResourceNames;
  readonly #hosts = new Set<string>();
  readonly #usedEntries = new Set<string>();
  readonly #rules: DescribedRule[] = [];
  /** By method and shape of the path. */
  readonly #byRequest = new Map<string, DescribedRule>();
  /** Paths that have a route, and paths that have none yet, by shape. */
  readonly #routed = new Set<string>();
  readonly #reserved = new Map<string, DescribedRule>();
  /** The methods that a table decides, by shape of the path; undefined for all. */
  readonly #decided = new Map<string, Set<string> | undefined>();
  #operationCount = 0;
  /** Where operations have what no route enforces. */
  readonly #scoped: Location[] = [];
  readonly #severalTags: Location[] = [];

  constructor(
    document: Record<string, unknown>,
    paths: Record<string, unknown>,
    upstream: string | undefined,
    { reading = {}, decided = [] }: OpenApiOptions,
  ) {
    this.#document = document;
    this.#paths = paths;
    this.#upstream = upstream;
    this.#reading = reading;
    this.#items = new PathItemReader(document, this.#findings);
    this.#names = new ResourceNames(reading.tags ?? {}, this.#findings);
    for (const { methods, path } of decided) {
      const pattern = readPathPattern(path);
      if (typeof pattern === 'string') continue;
      const shape = shapeOf(pattern);
      const before = this.#decided.get(shape);
      const isWhole = methods === undefined || (before === undefined && this.#decided.has(shape));
      this.#decided.set(shape, isWhole ? undefined : new Set([...(before ?? []), ...methods]));
    }
  }

  read(): OpenApiRoutes {
    this.#readRoot();
    const prefixes = this.#prefixes();
    for (const [name, item] of Object.entries(this.#paths)) {
      const at = ['paths', name];
      // Extensions are beside the paths.
      if (name.startsWith('x-') && !isLikePermission(name)) continue;
      if (isLikePermission(name)) this.#findings.mistake(at, `${name} ${wrongPlace}`);
      else this.#readPath(name, item, at, prefixes);
    }
    this.#items.reportExternal();
    for (const [shape, one] of this.#reserved) if (!this.#routed.has(shape)) this.#rules.push(one);
    if (this.#operationCount === 0 && this.#findings.list.every(({ severity }) => severity === 'warning'))
      this.#findings.mistake(['paths'], 'it has no operations');
    this.#reportUnenforced();
    this.#reportUnusedReading();
    return { rules: this.#rules, findings: this.#findings.list };
  }

  #readRoot(): void {
    for (const [name, value] of Object.entries(this.#document)) {
      if (isLikePermission(name)) this.#findings.mistake([name], `${name} ${wrongPlace}`);
      else if (name === '<<') this.#findings.mistake([name], '"<<" merges only in YAML, and without quotes');
      else if (!rootFields.has(name) && !name.startsWith('x-'))
        this.#findings.warning([name], `${JSON.stringify(name)} is no field of an OpenAPI document`);
      // A permission beside a list or an object of parts would seem to hold for all that they name.
      const parts = name === 'tags' && Array.isArray(value) ? Object.entries(value) : [];
      for (const [key, part] of [...parts, ...(name === 'info' ? [['', value] as const] : [])])
        for (const field of isRecord(part) ? Object.keys(part).filter(isLikePermission) : [])
          this.#findings.mistake([name, ...(key === '' ? [] : [key]), field], `${field} ${wrongPlace}`);
    }
    const { swagger, openapi } = this.#document;
    const version = swagger ?? openapi;
    if (version === undefined) this.#findings.warning([], 'it does not say which version of OpenAPI it has');
    else if (!(swagger === undefined ? /^3(?:\.|$)/ : /^2(?:\.0)?$/).test(versionText(version)))
      this.#findings.mistake(
        [swagger === undefined ? 'openapi' : 'swagger'],
        `the version ${JSON.stringify(version)} is not supported, only Swagger 2.0 and OpenAPI 3`,
      );
    else if (swagger === undefined && !/^3(?:\.[0-2](?:\.|$)|$)/.test(versionText(version)))
      this.#findings.warning(
        ['openapi'],
        `the version ${JSON.stringify(version)} is newer than 3.2, and read as 3.2`,
      );
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
    const entry = this.#entryOf(name);
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
    this.#reserve(path);
    this.#refuseLookalikes(new Map([...members].map(([field, member]) => [field, member.at])), entry, name);
    for (const operation of this.#items.operationsOf(members, name))
      this.#readOperation(path, operation, entry?.skip === true);
  }

  /** Keeps a path for itself, so that requests for it never fall to a route for more paths. */
  #reserve({ path, prefixes, at, name }: DescribedPath): void {
    for (const prefix of prefixes) {
      const pattern = readPathPattern(prefix + path);
      if (typeof pattern === 'string') {
        this.#findings.mistake(at, `${name}: ${pattern}`);
        return;
      }
      const reason = ambiguityOf(
        pattern.segments.map((one) => `/${one.kind === 'literal' ? one.text : 'x'}`).join(''),
      );
      if (reason !== undefined)
        this.#findings.warning(at, `${name}: requests for it are always rejected as ambiguous: ${reason}`);
      const rule: RouteRule = {
        ...ordinaryRoute,
        methods: [],
        path: prefix + path,
        upstream: this.#upstream,
        permission: undefined,
      };
      this.#reserved.set(shapeOf(pattern), { rule, at });
    }
  }

  #readOperation(path: DescribedPath, described: DescribedOperation, isPathSkipped: boolean): void {
    const { method, operation, at } = described;
    const name = `${method} ${path.name}`;
    const entry = this.#entryOf(name);
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
    const open = prefixes.filter((prefix) => !this.#isDecided(method, prefix + path.path));
    if (open.length === 0) return undefined;
    this.#refuseLookalikes(
      new Map(Object.keys(operation).map((field) => [field, [...at, field]])),
      entry,
      name,
    );
    const permission = this.#permissionOf(path, described, entry);
    if (permission === undefined) return undefined;
    this.#reportFields(described, name);
    for (const prefix of open) this.#add(method, prefix + path.path, permission, { at, name });
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

  #isDecided(method: string, path: string): boolean {
    const pattern = readPathPattern(path);
    if (typeof pattern === 'string') return false;
    const shape = shapeOf(pattern);
    return this.#decided.has(shape) && (this.#decided.get(shape)?.has(method) ?? true);
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
    if (tags.length > 1) this.#severalTags.push([...at, 'tags']);
    if (tag !== undefined) return { kind: 'tag', text: tag };
    const segment = path.split('/').find((part) => /^[^{}*]+$/.test(part) && !saysNothing.test(part));
    return segment === undefined
      ? { kind: 'nothing', text: 'api' }
      : { kind: 'path segment', text: decoded(segment) };
  }

  #add(
    method: string,
    path: string,
    permission: string,
    { at, name }: { readonly at: Location; readonly name: string },
  ): void {
    const pattern = readPathPattern(path);
    // Reported with the path.
    if (typeof pattern === 'string') return;
    const shape = shapeOf(pattern);
    const known = this.#byRequest.get(`${method} ${shape}`);
    if (known !== undefined) {
      const other = known.rule.permission;
      const before = other?.kind === 'one' ? other.permission : noPermission;
      if (before === permission)
        return this.#findings.warning(
          at,
          `${name}: it matches the same requests as ${method} ${known.rule.path}, with the same permission`,
        );
      return this.#findings.mistake(
        at,
        `${name}: it matches the same requests as ${method} ${known.rule.path}, and needs ${permission} instead of ${before}: write the same x-permission for both, or skip one in the setting openapiReading`,
      );
    }
    if (!METHODS.includes(method))
      this.#findings.warning(
        at,
        `${name}: requests with this method are always rejected, because Node.js does not know it`,
      );
    const rule: RouteRule = {
      ...ordinaryRoute,
      methods: [method],
      path,
      upstream: this.#upstream,
      permission:
        permission === noPermission ? undefined : { kind: 'one', permission: permission as Permission },
    };
    this.#routed.add(shape);
    this.#byRequest.set(`${method} ${shape}`, { rule, at });
    this.#rules.push({ rule, at });
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

  #reportFields({ operation, at }: DescribedOperation, name: string): void {
    for (const field of Object.keys(operation)) {
      if (operationFields.has(field) || field.startsWith('x-') || isLikePermission(field)) continue;
      if (field === '<<')
        this.#findings.mistake([...at, field], `${name}: "<<" merges only in YAML, and without quotes`);
      else if (operationFields.has(field.toLowerCase()))
        this.#findings.mistake(
          [...at, field],
          `${name}: "${field}" must be written "${field.toLowerCase()}"`,
        );
      else
        this.#findings.warning(
          [...at, field],
          `${name}: ${JSON.stringify(field)} is no field of an operation`,
        );
    }
    const security = operation['security'] ?? this.#document['security'];
    const requirements: readonly unknown[] = Array.isArray(security) ? security : [];
    const isScoped = requirements.some(
      (one) =>
        isRecord(one) && Object.values(one).some((scopes) => Array.isArray(scopes) && scopes.length > 0),
    );
    if (isScoped) this.#scoped.push(operation['security'] === undefined ? ['security'] : [...at, 'security']);
  }

  /** Says once for the whole document what would be a line for almost each operation. */
  #reportUnenforced(): void {
    const { ignore = [] } = this.#reading;
    const [scoped] = this.#scoped;
    if (scoped && !ignore.includes('scopes'))
      this.#findings.warning(
        scoped,
        `${operations(this.#scoped.length)} security scopes, which are not enforced: permissions take their place. "ignore": ["scopes"] in the setting openapiReading leaves this line out`,
      );
    const [several] = this.#severalTags;
    if (several && !ignore.includes('furtherTags'))
      this.#findings.warning(
        several,
        `${operations(this.#severalTags.length)} several tags, and the first one alone decides about the permission. "ignore": ["furtherTags"] in the setting openapiReading leaves this line out`,
      );
  }

  #reportUnusedReading(): void {
    for (const key of Object.keys(this.#reading.paths ?? {}))
      if (!this.#usedEntries.has(key))
        this.#findings.mistake(['paths'], `openapiReading: the document has no ${JSON.stringify(key)}`);
    for (const tag of Object.keys(this.#reading.tags ?? {}))
      if (!this.#names.used.has(tag))
        this.#findings.warning(
          ['paths'],
          `openapiReading: no permission comes from the tag ${JSON.stringify(tag)}`,
        );
  }

  #entryOf(key: string): OpenApiPathReading | undefined {
    const entries = this.#reading.paths ?? {};
    if (!Object.hasOwn(entries, key)) return undefined;
    this.#usedEntries.add(key);
    return entries[key];
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

function isLikePermission(field: string): boolean {
  return /^(?:x[-_ ]?)?perm[a-z]*$/i.test(field);
}

const wrongPlace = 'is read only in a path or an operation';

/** YAML reads 2.0 and 3.1 as numbers. */
function versionText(version: unknown): string {
  return typeof version === 'string' || typeof version === 'number' ? String(version) : '';
}

function operations(count: number): string {
  return count === 1 ? 'an operation has' : `${count} operations have`;
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

/** The fields of Swagger 2.0 and OpenAPI 3.2. */
const rootFields: ReadonlySet<string> = new Set(
  'openapi $self info jsonSchemaDialect servers paths webhooks components security tags externalDocs swagger host basePath schemes consumes produces definitions parameters responses securityDefinitions'.split(
    ' ',
  ),
);

const operationFields: ReadonlySet<string> = new Set(
  'tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers consumes produces schemes'.split(
    ' ',
  ),
);
