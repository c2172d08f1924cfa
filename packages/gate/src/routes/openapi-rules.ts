import type * as NodeHttp from 'node:http';
import { createRequire } from 'node:module';
import type { Permission } from '@countersign/contract/permissions';
import { ambiguityOf } from './ambiguous-path.ts';
import { reportDisputes } from './openapi-disputes.ts';
import type { Findings, Location } from './openapi-finding.ts';
import type { Described } from './openapi-path-item.ts';
import { noPermission, writtenPermission } from './openapi-permissions.ts';
import { readPathPattern, shapeOf } from './path-pattern.ts';
import { ordinaryRoute, type RouteRule } from './route-table.ts';

// Required for the reason in http/node-http.ts, which this folder does not import.
const { METHODS } = createRequire(import.meta.url)('node:http') as typeof NodeHttp;

/** A route of a document. */
export interface DescribedRule {
  readonly rule: RouteRule;
  readonly at: Location;
}

/** An operation that becomes no route. */
interface SkippedOperation extends Described {
  readonly method: string;
  readonly paths: readonly string[];
}

/** A path that becomes no route and cannot be read. */
interface UnreadPath extends Described {
  /** The text that it begins with. */
  readonly start: string;
  readonly problem: string;
}

/** Collects a document's routes, and the paths that it reserves so that broader routes do not match them. */
export class DescribedRules {
  readonly #upstream: string | undefined;
  readonly #findings: Findings;
  readonly #rules: DescribedRule[] = [];
  /** By method and shape of the path. */
  readonly #byRequest = new Map<string, DescribedRule>();
  /** Paths that have a route, and paths that have none yet, by shape. */
  readonly #routed = new Set<string>();
  readonly #reserved = new Map<string, DescribedRule>();
  readonly #skipped: SkippedOperation[] = [];
  readonly #unread: UnreadPath[] = [];
  /** The methods that the table decides, by shape of the path; undefined for all. */
  readonly #decided = new Map<string, Set<string> | undefined>();

  constructor(
    upstream: string | undefined,
    decided: readonly Pick<RouteRule, 'methods' | 'path'>[],
    findings: Findings,
  ) {
    this.#upstream = upstream;
    this.#findings = findings;
    for (const { methods, path } of decided) {
      const shape = shapeOfPath(path);
      if (shape === undefined) continue;
      const before = this.#decided.get(shape);
      const isWhole = methods === undefined || (before === undefined && this.#decided.has(shape));
      this.#decided.set(shape, isWhole ? undefined : new Set([...(before ?? []), ...methods]));
    }
  }

  /** Returns the routes, followed by the reserved paths. */
  finish(): readonly DescribedRule[] {
    const reserved = [...this.#reserved].filter(([shape]) => !this.#routed.has(shape));
    for (const one of this.#unread) this.#reportUnread(one);
    reportDisputes(this.#rules, this.#findings);
    const skipped = this.#skipped.flatMap((one) => this.#reservedOf(one));
    return [...this.#rules, ...reserved.map(([, one]) => one), ...skipped];
  }

  isDecided(method: string, path: string): boolean {
    const shape = shapeOfPath(path);
    return shape !== undefined && this.#decided.has(shape) && (this.#decided.get(shape)?.has(method) ?? true);
  }

  /** Reserves a path, so that requests for it never match a broader route. */
  reserve(path: string, { at, name }: Described): void {
    const pattern = readPathPattern(path);
    // Reported with the path.
    if (typeof pattern === 'string') return;
    const shape = shapeOf(pattern);
    if (this.#reserved.has(shape)) return;
    const reason = ambiguityOf(
      pattern.segments.map((one) => `/${one.kind === 'literal' ? one.text : 'x'}`).join(''),
    );
    if (reason !== undefined)
      this.#findings.warning(at, `${name}: requests for it are always rejected as ambiguous: ${reason}`);
    this.#reserved.set(shape, { rule: this.#reservation(path), at });
  }

  /** Reserves everything that begins like a path. */
  reserveBelow(unread: UnreadPath): void {
    this.#unread.push(unread);
    if (unread.start !== '') this.reserve(`${unread.start}/**`, unread);
  }

  /** Creates no route for an operation, and reserves its requests. */
  skip(skipped: SkippedOperation): void {
    this.#skipped.push(skipped);
  }

  add(method: string, path: string, permission: string, { at, name }: Described): void {
    const shape = shapeOfPath(path);
    // Reported with the path.
    if (shape === undefined) return;
    const known = this.#byRequest.get(`${method} ${shape}`);
    if (known !== undefined) return this.#reportTwin(method, known, permission, { at, name });
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

  #reservation(path: string, reservedMethods?: readonly string[]): RouteRule {
    const upstream = this.#upstream;
    return { ...ordinaryRoute, methods: [], reservedMethods, path, upstream, permission: undefined };
  }

  /**
   * Returns a reservation for each path of a skipped operation that has other routes. Nothing is reserved if
   * another route for the same requests wins, or for a path without any route, which is reserved as a whole.
   */
  #reservedOf({ method, paths, at, name }: SkippedOperation): readonly DescribedRule[] {
    const shapes = new Map(paths.map((path) => [shapeOfPath(path), path]));
    const twin = [...shapes.keys()].map((shape) => this.#byRequest.get(`${method} ${shape}`)).find(Boolean);
    const but =
      twin === undefined ? '' : `; ${method} ${twin.rule.path} matches the same requests, and forwards them`;
    this.#findings.warning(at, `${name}: skipped by the setting openapiReading${but}`);
    return [...shapes].flatMap(([shape, path]) =>
      shape !== undefined && this.#routed.has(shape) && !this.#byRequest.has(`${method} ${shape}`)
        ? { rule: this.#reservation(path, [method]), at }
        : [],
    );
  }

  /** Reserving everything below is enough only if no parameter comes first. */
  #reportUnread({ start, problem, at, name }: UnreadPath): undefined {
    const other = this.#rules.find(
      ({ rule: { path } }) => path.startsWith(`${start}/`) && /[{*]/.test(path.slice(start.length)),
    );
    if (start !== '' && other === undefined)
      return this.#findings.warning(
        at,
        `${name}: skipped; ${problem}. Everything below ${start} that has no other route is rejected`,
      );
    const reason = other === undefined ? '' : `, because its requests may match ${other.rule.path}`;
    return this.#findings.mistake(
      at,
      `${name}: ${problem}; to skip it, also give it a "path" that says which requests to reject${reason}`,
    );
  }

  #reportTwin(
    method: string,
    { rule }: DescribedRule,
    permission: string,
    { at, name }: Described,
  ): undefined {
    const before = writtenPermission(rule);
    const twin = `${name}: it matches the same requests as ${method} ${rule.path}`;
    if (before === permission) return this.#findings.warning(at, `${twin}, with the same permission`);
    return this.#findings.mistake(
      at,
      `${twin}, and needs ${permission} instead of ${before}: write the same x-permission for both, or skip one in the setting openapiReading`,
    );
  }
}

/** Returns undefined for a path that cannot be read. */
function shapeOfPath(path: string): string | undefined {
  const pattern = readPathPattern(path);
  return typeof pattern === 'string' ? undefined : shapeOf(pattern);
}
