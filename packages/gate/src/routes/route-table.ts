import type { Permission } from '@countersign/contract/permissions';
import { ambiguityOf } from './ambiguous-path.ts';
import { type PathPattern, readPathPattern } from './path-pattern.ts';
import { readingsOf } from './path-readings.ts';
import { includesPattern } from './pattern-comparison.ts';
import { PatternTree, type Reading } from './pattern-tree.ts';

/** One row of the route table: the requests that it matches, their requirements, and their destination. */
export interface RouteRule {
  /**
   * Upper case; undefined for every method except TRACE. GET includes HEAD unless another rule of the same
   * path has it. An empty list reserves the path: it is not found, and broader rules do not match it.
   */
  readonly methods: readonly string[] | undefined;
  /** The methods that an empty list reserves; undefined for all that no other rule of the path has. */
  readonly reservedMethods?: readonly string[] | undefined;
  /** The path pattern, as `readPathPattern` reads it. */
  readonly path: string;
  /** The name of the upstream that receives matching requests; undefined if only authorizers use the table. */
  readonly upstream: string | undefined;
  /** The permission that the client needs; undefined if every active client may call. */
  readonly permission: PermissionRule | undefined;
  readonly mode: RouteMode;
  /** The names of the profiles that a client of this route can have; undefined for each that the service accepts. */
  readonly profiles: readonly string[] | undefined;
  /**
   * Forwards paths that servers may read in different ways. The route's permission must be the same for all
   * readings.
   */
  readonly allowsAmbiguousPaths: boolean;
  /** The protocols to which a connection may be upgraded, in lower case, such as `websocket`. */
  readonly upgrades: readonly string[];
  /** The largest body in bytes; undefined for the service's limit. */
  readonly bodyBytesMax: number | undefined;
  /** The time limit for the upstream to begin its response; undefined for the upstream's own. */
  readonly firstByteSeconds: number | undefined;
  /** The longest pause within a response; undefined for the upstream's own. */
  readonly idleSeconds: number | undefined;
  /**
   * Signs the responses to verified clients: the largest body that is signed, in bytes. Larger ones are not passed on.
   * Undefined to sign none. A rule that observes or upgrades signs none.
   */
  readonly signedBytesMax: number | undefined;
}

/** The remaining members of a route that has no settings of its own. */
export const ordinaryRoute: Pick<
  RouteRule,
  | 'mode'
  | 'profiles'
  | 'allowsAmbiguousPaths'
  | 'upgrades'
  | 'bodyBytesMax'
  | 'firstByteSeconds'
  | 'idleSeconds'
  | 'signedBytesMax'
> = {
  mode: 'enforce',
  profiles: undefined,
  allowsAmbiguousPaths: false,
  upgrades: [],
  bodyBytesMax: undefined,
  firstByteSeconds: undefined,
  idleSeconds: undefined,
  signedBytesMax: undefined,
};

/**
 * Enforces decisions; only observes them while a provider migrates its clients to signatures; or identifies whoever signs, and
 * tells the API who proved what.
 */
export type RouteMode = 'enforce' | 'observe' | 'identify';

/**
 * One permission for all methods, or `resource:read` for safe methods (RFC 9110 section 9.2.1) and `resource:write` for others
 * and for routes that upgrade.
 */
export type PermissionRule =
  | { readonly kind: 'one'; readonly permission: Permission }
  | { readonly kind: 'by method'; readonly resource: string };

/** The result of a lookup. */
export type RouteMatch =
  | {
      readonly kind: 'route';
      readonly rule: RouteRule;
      readonly permission: Permission | undefined;
    }
  | { readonly kind: 'not found' }
  | { readonly kind: 'method not allowed'; readonly allow: readonly string[] }
  | {
      readonly kind: 'ambiguous';
      readonly reason: string;
      /** The route, if all servers read the path as one of a route that only observes. */
      readonly observing: RouteRule | undefined;
    };

/** The rules of one path pattern. */
interface Leaf {
  readonly rules: RouteRule[];
}

/**
 * The routes of a protected API. Requests that no rule matches are rejected.
 *
 * A path is compared as received, and must have the same route for a tolerant server, which ignores case,
 * percent-encoding and a final slash. Otherwise `/Admin` could match `/**` here, and `/admin` in the API
 * behind.
 */
export class RouteTable {
  readonly #exact = new PatternTree<Leaf>('exact');
  readonly #folded = new PatternTree<Set<Leaf>>('folded');
  /** Caches whether one pattern includes another, for each pair that a request has matched. */
  readonly #included = new Map<string, boolean>();

  private constructor() {}

  /**
   * Builds a table. Returns all mistakes instead, if there are any.
   *
   * @param naming names a rule in a mistake: the rule that has the mistake, or another one involved
   */
  static from(
    rules: readonly RouteRule[],
    naming: (rule: RouteRule, role: 'mistaken' | 'other') => string = nameOf,
  ): RouteTable | readonly string[] {
    const table = new RouteTable();
    const other = (rule: RouteRule): string => naming(rule, 'other');
    const mistakes = rules.flatMap((rule) => {
      const mistake = table.#add(rule, other);
      return mistake === undefined ? [] : `${naming(rule, 'mistaken')}: ${mistake}`;
    });
    return mistakes.length > 0 ? mistakes : table;
  }

  /** Finds the route of a request. Never throws, whatever the path. */
  find(method: string, path: string): RouteMatch {
    const [leaf, ...others] = this.#choices(this.#exact, path);
    if (leaf === undefined) return notFound;
    const rule = ruleFor(leaf, method);
    if (rule === undefined) {
      const isWholly = leaf.rules.every(({ methods }) => methods?.length === 0);
      return isWholly ? notFound : { kind: 'method not allowed', allow: methodsOf(leaf) };
    }
    const isDisputed = others.some((other) => asksElse(other, rule, method));
    const reason = isDisputed ? severalRoutes : this.#ambiguityOf(path, leaf, rule, method);
    if (reason !== undefined) {
      const isObserved = rule.mode === 'observe' && this.#isObserved(method, path);
      return { kind: 'ambiguous', reason, observing: isObserved ? rule : undefined };
    }
    return { kind: 'route', rule, permission: permissionOf(rule, method) };
  }

  #add(rule: RouteRule, naming: (rule: RouteRule) => string): string | undefined {
    const pattern = readPathPattern(rule.path);
    if (typeof pattern === 'string') return pattern;
    const added: Leaf = { rules: [rule] };
    const known = this.#exact.add(pattern, added);
    const leaf = known ?? added;
    if (known) {
      const other = known.rules.find((one) => haveCommonMethod(one, rule));
      if (other) return `${naming(other)} already matches the same requests`;
      known.rules.push(rule);
    }
    const alike = this.#folded.add(pattern, new Set([leaf])) ?? new Set([leaf]);
    for (const one of alike) {
      const other = one === leaf ? undefined : differentRule(one, leaf);
      if (other === undefined) continue;
      known?.rules.pop();
      return `servers that ignore case, percent-encoding or a final slash treat it as ${naming(other)}, so both need the same permission and mode`;
    }
    alike.add(leaf);
    return undefined;
  }

  /**
   * Returns true if a path leads to routes that only observe, however a server reads it. Otherwise it could
   * bypass an enforcing one.
   */
  #isObserved(method: string, path: string): boolean {
    const isObserving = (leaf: Leaf): boolean => ruleFor(leaf, method)?.mode === 'observe';
    const readings = readingsOf(path);
    if (readings === undefined) return false;
    return [...readings].every((reading) => {
      const tolerant = this.#choices(this.#folded, reading).flatMap((leaves) => [...leaves]);
      return tolerant.length > 0 && [...tolerant, ...this.#choices(this.#exact, reading)].every(isObserving);
    });
  }

  #ambiguityOf(path: string, leaf: Leaf, rule: RouteRule, method: string): string | undefined {
    if (rule.allowsAmbiguousPaths) return undefined;
    const reason = ambiguityOf(path);
    if (reason !== undefined) return `some servers read this path differently: ${reason}`;
    const [tolerant, ...others] = this.#choices(this.#folded, path);
    if (tolerant === undefined) return undefined;
    if (!tolerant.has(leaf))
      return 'some servers read this path differently: they ignore case, percent-encoding or a final slash';
    const isDisputed = others.some((leaves) => [...leaves].some((other) => asksElse(other, rule, method)));
    return isDisputed ? severalRoutes : undefined;
  }

  /**
   * Returns the candidates that servers may choose from: the most specific match first, then those that do
   * not include it. Servers prefer `/a/b` to `/a/{x}`, but differ on `/a/{x}` and `/{y}/b`.
   */
  #choices<Found>(tree: PatternTree<Found>, path: string): readonly Found[] {
    const matches = tree.find(path);
    const first = matches[0];
    if (first === undefined || matches.length === 1) return matches.map(({ leaf }) => leaf);
    return matches
      .filter((one) => one === first || !this.#includes(one.pattern, first.pattern, tree.reading))
      .map(({ leaf }) => leaf);
  }

  #includes(wide: PathPattern, narrow: PathPattern, reading: Reading): boolean {
    const key = `${reading} ${wide.text} ${narrow.text}`;
    const known = this.#included.get(key) ?? includesPattern(wide, narrow, reading);
    this.#included.set(key, known);
    return known;
  }
}

/**
 * Returns the permission that a rule requires for a method. A connection that switches to another protocol
 * can carry anything, although its method is GET, so a route that upgrades requires the permission to write.
 */
export function permissionOf(
  { permission, upgrades }: Pick<RouteRule, 'permission' | 'upgrades'>,
  method: string,
): Permission | undefined {
  if (permission === undefined) return undefined;
  if (permission.kind === 'one') return permission.permission;
  const isRead = safeMethods.has(method) && upgrades.length === 0;
  return `${permission.resource}:${isRead ? 'read' : 'write'}`;
}

/** Formats a rule's methods and path, as people write a route. */
export function nameOf({ methods, path }: Pick<RouteRule, 'methods' | 'path'>): string {
  return `${methods === undefined ? 'any method' : methods.join(', ')} ${path}`;
}

/** RFC 9110 section 9.2.1, without TRACE, which would echo what the gateway adds. */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const notFound: RouteMatch = { kind: 'not found' };

const severalRoutes = 'it matches several routes, and servers may choose different ones';

function ruleFor({ rules }: Leaf, method: string): RouteRule | undefined {
  if (method === 'TRACE' || method === 'CONNECT') return undefined;
  const ruleOf = (name: string): RouteRule | undefined =>
    rules.find(({ methods }) => methods?.includes(name));
  return (
    ruleOf(method) ??
    // Servers respond to HEAD wherever they respond to GET, with the same headers (RFC 9110 section 9.3.2).
    (method === 'HEAD' && !rules.some((rule) => rule.reservedMethods?.includes('HEAD'))
      ? ruleOf('GET')
      : undefined) ??
    rules.find(({ methods }) => methods === undefined)
  );
}

/** Returns true if another path has a different requirement for clients than a rule, or reserves the request. */
function asksElse(other: Leaf, rule: RouteRule, method: string): boolean {
  const otherRule = ruleFor(other, method);
  return otherRule === undefined ? isReserved(other, method) : asks(otherRule, method) !== asks(rule, method);
}

function asks(rule: RouteRule, method: string): string {
  return `${permissionOf(rule, method)} ${rule.mode}`;
}

function isReserved({ rules }: Leaf, method: string): boolean {
  const isNamed = (names: readonly string[]): boolean =>
    names.includes(method) || (method === 'HEAD' && names.includes('GET'));
  return rules.some(
    ({ methods, reservedMethods }) =>
      methods?.length === 0 && (reservedMethods === undefined || isNamed(reservedMethods)),
  );
}

function methodsOf({ rules }: Leaf): readonly string[] {
  const methods = new Set(rules.flatMap((rule) => rule.methods ?? []));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

/**
 * Returns a rule of one path that has a different requirement than the other path. A tolerant server takes
 * both for one, so a client would choose the weaker one.
 */
function differentRule(one: Leaf, leaf: Leaf): RouteRule | undefined {
  // A rule for every method also covers the others.
  const methods = new Set([...methodsOf(one), ...methodsOf(leaf), 'GET', 'HEAD', 'POST', 'OTHER']);
  for (const method of methods) {
    const [left, right] = [ruleFor(one, method), ruleFor(leaf, method)];
    if (left === undefined || right === undefined) continue;
    if (left.allowsAmbiguousPaths && right.allowsAmbiguousPaths) continue;
    if (asks(left, method) !== asks(right, method)) return left;
  }
  return undefined;
}

/** One rule for every method may coexist with rules for single methods, which win over it. */
function haveCommonMethod(left: RouteRule, right: RouteRule): boolean {
  if (left.methods === undefined || right.methods === undefined) return left.methods === right.methods;
  return left.methods.some((method) => right.methods!.includes(method));
}
