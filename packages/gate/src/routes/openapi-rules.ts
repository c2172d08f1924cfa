import { METHODS } from 'node:http';
import type { Permission } from '@countersign/contract/permissions';
import { ambiguityOf } from './ambiguous-path.ts';
import type { Findings, Location } from './openapi-finding.ts';
import { noPermission } from './openapi-permissions.ts';
import { readPathPattern, shapeOf } from './path-pattern.ts';
import { ordinaryRoute, type RouteRule } from './route-table.ts';

/** A route of a document. */
export interface DescribedRule {
  readonly rule: RouteRule;
  readonly at: Location;
}

/** Where something is in a document, and what it is called there. */
export interface Described {
  readonly at: Location;
  readonly name: string;
}

/** Collects a document's routes, and the paths that it keeps from routes for more paths. */
export class DescribedRules {
  readonly #upstream: string | undefined;
  readonly #findings: Findings;
  readonly #rules: DescribedRule[] = [];
  /** By method and shape of the path. */
  readonly #byRequest = new Map<string, DescribedRule>();
  /** Paths that have a route, and paths that have none yet, by shape. */
  readonly #routed = new Set<string>();
  readonly #reserved = new Map<string, DescribedRule>();
  /** The methods that a table decides, by shape of the path; undefined for all. */
  readonly #decided = new Map<string, Set<string> | undefined>();

  constructor(
    upstream: string | undefined,
    decided: readonly Pick<RouteRule, 'methods' | 'path'>[],
    findings: Findings,
  ) {
    this.#upstream = upstream;
    this.#findings = findings;
    for (const { methods, path } of decided) {
      const pattern = readPathPattern(path);
      if (typeof pattern === 'string') continue;
      const shape = shapeOf(pattern);
      const before = this.#decided.get(shape);
      const isWhole = methods === undefined || (before === undefined && this.#decided.has(shape));
      this.#decided.set(shape, isWhole ? undefined : new Set([...(before ?? []), ...methods]));
    }
  }

  /** Returns the routes, and then the paths that have none. */
  all(): readonly DescribedRule[] {
    const reserved = [...this.#reserved].filter(([shape]) => !this.#routed.has(shape));
    return [...this.#rules, ...reserved.map(([, one]) => one)];
  }

  isDecided(method: string, path: string): boolean {
    const pattern = readPathPattern(path);
    if (typeof pattern === 'string') return false;
    const shape = shapeOf(pattern);
    return this.#decided.has(shape) && (this.#decided.get(shape)?.has(method) ?? true);
  }

  /** Keeps a path for itself, so that requests for it never fall to a route for more paths. */
  reserve(path: string, { at, name }: Described): void {
    const pattern = readPathPattern(path);
    if (typeof pattern === 'string') return this.#findings.mistake(at, `${name}: ${pattern}`);
    const reason = ambiguityOf(
      pattern.segments.map((one) => `/${one.kind === 'literal' ? one.text : 'x'}`).join(''),
    );
    if (reason !== undefined)
      this.#findings.warning(at, `${name}: requests for it are always rejected as ambiguous: ${reason}`);
    const rule: RouteRule = {
      ...ordinaryRoute,
      methods: [],
      path,
      upstream: this.#upstream,
      permission: undefined,
    };
    this.#reserved.set(shapeOf(pattern), { rule, at });
    return undefined;
  }

  add(method: string, path: string, permission: string, { at, name }: Described): void {
    const pattern = readPathPattern(path);
    // Reported with the path.
    if (typeof pattern === 'string') return;
    const shape = shapeOf(pattern);
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

  #reportTwin(
    method: string,
    { rule }: DescribedRule,
    permission: string,
    { at, name }: Described,
  ): undefined {
    const before = rule.permission?.kind === 'one' ? rule.permission.permission : noPermission;
    const twin = `${name}: it matches the same requests as ${method} ${rule.path}`;
    if (before === permission) return this.#findings.warning(at, `${twin}, with the same permission`);
    return this.#findings.mistake(
      at,
      `${twin}, and needs ${permission} instead of ${before}: write the same x-permission for both, or skip one in the setting openapiReading`,
    );
  }
}
