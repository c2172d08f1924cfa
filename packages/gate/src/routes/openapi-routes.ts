import {
  type DeploymentPermissions,
  type Permission,
  problemOfDeploymentPermission,
} from '@countersign/contract/permissions';
import { readPathPattern } from './path-pattern.ts';
import { type RouteRule, safeMethods } from './route-table.ts';

/** The routes and permissions that an OpenAPI document describes. */
export interface OpenApiRoutes {
  readonly rules: readonly RouteRule[];
  readonly permissions: DeploymentPermissions;
}

/**
 * Reads a provider's OpenAPI document (3.x or Swagger 2.0): each operation becomes a route. Its permission is
 * `x-permission` of the operation or its path, or else its first tag or first path segment, with `read` for safe methods
 * and `write` for others.
 *
 * @param document parsed JSON or YAML
 * @param upstream the name of the upstream that serves the API; undefined if only authorizers use the routes
 * @returns the routes, or all mistakes in one list
 */
export function routesOfOpenApi(
  document: unknown,
  upstream: string | undefined,
): OpenApiRoutes | readonly string[] {
  if (!isRecord(document) || !isRecord(document['paths']))
    return ['it is not an OpenAPI document with paths'];
  const found: Found = { rules: [], permissions: {}, mistakes: [] };
  for (const prefix of pathPrefixes(document)) {
    for (const [written, item] of Object.entries(document['paths'])) {
      // Extensions (`x-…`) are beside the paths.
      if (!written.startsWith('/')) continue;
      const pattern = readPathPattern(prefix + written);
      const resolved = resolve(item, document);
      if (typeof pattern === 'string') found.mistakes.push(`${written}: ${pattern}`);
      else if (resolved === undefined)
        found.mistakes.push(`${written}: its $ref leads nowhere in this document`);
      else {
        // What stands beside a reference belongs to the path that refers.
        const permission = isRecord(item) ? item['x-permission'] : undefined;
        const whole = permission === undefined ? resolved : { ...resolved, 'x-permission': permission };
        readPathItem({ path: pattern.text, written, item: whole }, upstream, found);
      }
    }
  }
  if (found.rules.length === 0 && found.mistakes.length === 0) return ['it has no operations'];
  return found.mistakes.length > 0 ? found.mistakes : found;
}

interface Found {
  readonly rules: RouteRule[];
  readonly permissions: Record<Permission, { readonly summary: string }>;
  readonly mistakes: string[];
}

/** The methods of a path item, without `trace`, which is never forwarded. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** A path of the document. */
interface DescribedPath {
  /** With the path of its server. */
  readonly path: string;
  readonly written: string;
  readonly item: Record<string, unknown>;
}

function readPathItem(
  { path, written, item }: DescribedPath,
  upstream: string | undefined,
  found: Found,
): void {
  for (const name of methods) {
    const operation = item[name];
    if (!isRecord(operation)) continue;
    const method = name.toUpperCase();
    if (operation['$ref'] !== undefined) {
      found.mistakes.push(`${method} ${path}: an operation cannot be a $ref`);
      continue;
    }
    const asked = operation['x-permission'] ?? item['x-permission'];
    const permission = asked ?? derivedPermission(operation, written, method);
    const problem = problemOfPermission(permission);
    if (problem !== undefined) {
      found.mistakes.push(`${method} ${path}: x-permission ${problem}`);
      continue;
    }
    const isFree = permission === noPermission;
    if (!isFree)
      found.permissions[permission as Permission] ??= { summary: summaryOf(permission as Permission) };
    found.rules.push({
      methods: [method],
      path,
      upstream,
      permission: isFree ? undefined : { kind: 'one', permission: permission as Permission },
      ...ordinaryRoute,
    });
  }
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

function problemOfPermission(permission: unknown): string | undefined {
  if (permission === noPermission) return undefined;
  if (typeof permission !== 'string') return 'must be a text';
  return problemOfDeploymentPermission(permission);
}

function derivedPermission(operation: Record<string, unknown>, path: string, method: string): Permission {
  const tags: unknown = operation['tags'];
  const [tag] = Array.isArray(tags) ? (tags as unknown[]) : [];
  const segment = path.split('/').find((part) => /^[^{}]+$/.test(part) && !saysNothing.test(part));
  const action = safeMethods.has(method) ? 'read' : 'write';
  return `${resourceName(typeof tag === 'string' ? tag : (segment ?? 'api'))}:${action}`;
}

/** Segments that are the same for all of an API. */
const saysNothing = /^(?:v\d+(?:\.\d+)*|api|rest)$/i;

/** Writes a tag as the resource of a permission. Names of the console's own resources get a prefix. */
function resourceName(text: string): string {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 36);
  const name = words === '' ? 'api' : words;
  return problemOfDeploymentPermission(`${name}:read`) === undefined ? name : `api-${name}`;
}

/** Describes a permission that a provider's route needs, for roles and the portal. */
export function summaryOf(permission: Permission): string {
  const [resource, action] = permission.split(':') as [string, string];
  const words = `${resource.replace(/^api-/, '').replaceAll('-', ' ')} of the protected API`;
  if (action === 'read') return `Read ${words}`;
  return action === 'write'
    ? `Create, change and delete ${words}`
    : `${action.replaceAll('-', ' ')}: ${words}`;
}

/** Returns the paths of the servers, without a final slash. An API without servers is at the root. */
function pathPrefixes(document: Record<string, unknown>): readonly string[] {
  const { servers, basePath } = document;
  if (typeof basePath === 'string') return [withoutSlash(basePath)];
  const urls = Array.isArray(servers) ? servers.flatMap((server: unknown) => serverUrl(server) ?? []) : [];
  return urls.length === 0 ? [''] : [...new Set(urls.map(pathOf))];
}

function serverUrl(server: unknown): string | undefined {
  if (!isRecord(server) || typeof server['url'] !== 'string') return undefined;
  const variables = isRecord(server['variables']) ? server['variables'] : {};
  return server['url'].replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isRecord(variable) ? String(variable['default']) : name;
  });
}

/** Returns the path of an absolute or relative URL as written: `new URL` would rewrite it. */
function pathOf(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  return withoutSlash(path.replace(/^(?=[^/])/, '/'));
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

/** Follows references within the document. Returns undefined if one leads nowhere, or in a circle. */
function resolve(item: unknown, document: Record<string, unknown>): Record<string, unknown> | undefined {
  let value = item;
  for (let steps = 0; steps < 10; steps++) {
    if (!isRecord(value)) return undefined;
    const reference = value['$ref'];
    if (reference === undefined) return value;
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
    value = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>(
        (inside, part) => (isRecord(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined),
        document,
      );
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
