import { type Findings, isRecord, type Location } from './openapi-finding.ts';
import { readPathPattern } from './path-pattern.ts';

/** The paths of servers, without a final slash, and their hosts. */
export interface ReadServers {
  readonly prefixes: readonly string[];
  readonly hosts: ReadonlySet<string>;
}

/** More base paths than an API has, and few enough not to fill the memory with routes. */
const prefixesMax = 64;

/**
 * Reads the servers of a document, a path or an operation (OpenAPI 3). None means the root.
 *
 * @param setting the operator's replacement
 */
export function readServers(
  servers: unknown,
  at: Location,
  setting: string,
  findings: Findings,
): ReadServers {
  const prefixes = new Set<string>();
  const hosts = new Set<string>();
  if (servers !== undefined && !Array.isArray(servers)) findings.mistake(at, 'servers must be a list');
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [];
  for (const [index, server] of list.entries()) {
    const here = [...at, String(index)];
    for (const url of urlsOf(server, here, setting, findings)) {
      const read = readServerUrl(url, setting);
      if (typeof read === 'string') findings.mistake([...here, 'url'], `the server ${quoted(url)} ${read}`);
      else {
        if (read.warning) findings.warning([...here, 'url'], `the server ${quoted(url)} ${read.warning}`);
        prefixes.add(read.prefix);
        if (read.host !== undefined) hosts.add(read.host.toLowerCase());
      }
    }
  }
  if (prefixes.size > prefixesMax)
    findings.mistake(at, `the servers have ${prefixes.size} paths; the limit is ${prefixesMax}`);
  return { prefixes: prefixes.size === 0 ? [''] : [...prefixes].slice(0, prefixesMax), hosts };
}

/** Reads the base path of Swagger 2.0. */
export function readBasePath(basePath: unknown, findings: Findings): readonly string[] {
  if (basePath === undefined) return [''];
  const problem = typeof basePath === 'string' ? problemOfPrefix(basePath) : 'must be a string';
  if (problem !== undefined) findings.mistake(['basePath'], `basePath ${quoted(basePath)} ${problem}`);
  return [problem === undefined ? withoutSlash(basePath as string) : ''];
}

/** Returns what is wrong with a path that is put before all others; undefined if nothing is. */
function problemOfPrefix(prefix: string): string | undefined {
  if (prefix === '' || prefix === '/') return undefined;
  if (!prefix.startsWith('/')) return 'must start with "/"';
  if (/\/\/|\/\.{1,2}(?:\/|$)/.test(prefix)) return 'must have no empty segment and no dot segment';
  const pattern = readPathPattern(withoutSlash(prefix));
  if (typeof pattern === 'string') return `cannot be read: ${pattern}`;
  return pattern.matchesBelow || /[{}]/.test(prefix) ? 'must be plain text' : undefined;
}

export function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

interface ReadUrl {
  readonly prefix: string;
  readonly host: string | undefined;
  readonly warning?: string;
}

/** Splits a URL as it is written: `new URL` would rewrite it. Returns what is wrong with it as a text. */
function readServerUrl(url: string, setting: string): ReadUrl | string {
  // Postman's variable for the API's base URL.
  if (/^\{\{[^{}]*\}\}\/?$/.test(url))
    return { prefix: '', host: undefined, warning: 'is a placeholder, taken for the root of the API' };
  const [, scheme, authority, rest = ''] =
    /^(?:([a-z][a-z0-9+.-]*|\{[^{}]*\}):)?(?:\/\/([^/?#]*))?(.*)$/is.exec(url)!;
  if (scheme !== undefined && (authority === undefined || !/^(?:https?|wss?|\{.*\})$/i.test(scheme)))
    return `must begin with https://, http:// or "/"`;
  const written = rest.replace(/[?#].*$/s, '');
  if (authority === undefined && looksLikeHost.test(written))
    return `has no scheme: write https://${written}, or /${written} if it is a path`;
  const path = resolvedPath(written);
  const variable = /\{([^{}]*)\}/.exec(path)?.[1];
  if (variable !== undefined)
    return `has the variable {${variable}} in its path, which "variables" does not declare: declare it, or set ${setting}`;
  const problem = problemOfPrefix(path);
  if (problem !== undefined) return `has a path that ${problem}`;
  const inHost = /\{([^{}]*)\}/.exec(`${scheme ?? ''}${authority ?? ''}`)?.[1];
  if (inHost !== undefined)
    return {
      prefix: withoutSlash(path),
      host: undefined,
      warning: `has {${inHost}}, which "variables" does not declare; it is taken for a host without a path`,
    };
  const warning = written === rest ? undefined : 'has a query or a fragment, which routes ignore';
  return { prefix: withoutSlash(path), host: authority, ...(warning !== undefined && { warning }) };
}

/** `example.com/v1`, `localhost/v1` and `10.0.0.1:3000`, but not `v1.2` or `api/v1`. */
const looksLikeHost = /^(?:localhost|\d+(?:\.\d+){3}|(?:[a-z0-9-]+\.)+[a-z]{2,})(?::\d+)?(?:\/|$)/i;

/** Resolves a relative path as if the document were at the root of the API. */
function resolvedPath(written: string): string {
  if (written === '' || written.startsWith('/')) return written;
  const parts = written.split('/');
  while (parts[0] === '.' || parts[0] === '..') parts.shift();
  return parts.length === 0 || parts.join('') === '' ? '' : `/${parts.join('/')}`;
}

/** Returns the URLs of a server, with each value that its variables can have. */
function urlsOf(server: unknown, at: Location, setting: string, findings: Findings): readonly string[] {
  if (!isRecord(server) || typeof server['url'] !== 'string') {
    findings.mistake(at, 'a server must have a "url" that is a string');
    return [];
  }
  const { url, variables = {} } = server as { readonly url: string; readonly variables?: unknown };
  if (!isRecord(variables)) {
    findings.mistake([...at, 'variables'], '"variables" of a server must be an object');
    return [];
  }
  const start = /^(?:[a-z][a-z0-9+.-]*:|\{[^{}]*\}:)?\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
  let urls: readonly string[] = [url];
  for (const name of new Set(Array.from(url.matchAll(/\{([^{}]+)\}/g), ([, one]) => one!))) {
    const variable = `{${name}}`;
    if (!Object.hasOwn(variables, name)) continue;
    const isInPath = url.slice(start.length).includes(variable);
    const values = valuesOf(
      name,
      variables[name],
      isInPath ? setting : undefined,
      [...at, 'variables', name],
      findings,
    );
    // The host does not matter for routes, but its value may also hold a path.
    const counted = isInPath || values.some((value) => value.includes('/')) ? values : values.slice(0, 1);
    urls = urls.flatMap((one) => counted.map((value) => one.replaceAll(variable, () => value)));
    if (urls.length > prefixesMax)
      return (
        findings.mistake(at, `the variables of this server have more than ${prefixesMax} combinations`) ?? []
      );
  }
  return urls;
}

/**
 * Returns the values of a variable: the ones it lists, or else its default.
 *
 * @param setting the operator's replacement for other values; undefined if they do not matter
 */
function valuesOf(
  name: string,
  variable: unknown,
  setting: string | undefined,
  at: Location,
  findings: Findings,
): readonly string[] {
  const { enum: listed, default: fallback } = isRecord(variable) ? variable : {};
  const all = [fallback, ...(Array.isArray(listed) ? (listed as unknown[]) : [])].filter(
    (one) => one !== undefined,
  );
  const texts = all.map((one) => (typeof one === 'number' && Number.isSafeInteger(one) ? String(one) : one));
  const isRead = texts.every((one): one is string => typeof one === 'string' && !/[{}]/.test(one));
  if (!isRead || texts.length === 0) {
    findings.mistake(
      at,
      `the server variable {${name}} must have a "default" that is a string without braces`,
    );
    return [];
  }
  if (setting !== undefined && !Array.isArray(listed))
    findings.warning(
      at,
      `the server variable {${name}} can have any value, and only its default ${quoted(fallback)} has routes; for others, set ${setting}`,
    );
  return [...new Set(texts)];
}

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}
