import { type Routing, RouteTable, type UpstreamSettings } from '@countersign/gate';
import type { Upstream, UpstreamFigures } from '@countersign/gate/upstream';
import type { BaseUrlProfiles } from '../configuration/base-url-profiles.ts';
import { type RoutingConfiguration, rulesFor } from '../configuration/routing-settings.ts';

/** Longer than a request may take to arrive (docs/profile.md section 2.6). */
const retiredForMs = 60_000;

/** The code of the upstreams, which brings an HTTP client along. */
export interface UpstreamCode {
  readonly Upstream: typeof Upstream;
}

/** The current routes and upstreams. Both can be replaced while requests are in progress. */
export class LiveRouting {
  readonly #code: UpstreamCode | undefined;
  readonly #monotonicMs: () => number;
  #byBaseUrl: ReadonlyMap<string, Routing> = new Map();
  #upstreams: ReadonlyMap<string, Upstream> = new Map();
  #baseUrlProfiles: BaseUrlProfiles = {};
  /** Replaced upstreams, each with the timer that closes it. */
  readonly #retired = new Map<Upstream, NodeJS.Timeout>();

  /**
   * @param code undefined if there are never any upstreams
   * @param monotonicMs a monotonic clock, in milliseconds
   */
  constructor(code: UpstreamCode | undefined, monotonicMs: () => number) {
    this.#code = code;
    this.#monotonicMs = monotonicMs;
  }

  /** Returns the routing of a base URL for the next request. */
  of(baseUrl: string): Routing {
    const routing = this.#byBaseUrl.get(baseUrl);
    if (routing === undefined) throw new Error(`There are no routes for ${baseUrl}.`);
    return routing;
  }

  /** Returns the names of the profiles that a base URL accepts for the next request, also one of the service itself; undefined for all. */
  profilesAt(baseUrl: string): readonly string[] | undefined {
    return this.#baseUrlProfiles[baseUrl];
  }

  /**
   * Uses another configuration from the next request on. Requests in progress keep the previous one. Unchanged
   * upstreams keep their connections.
   */
  use(
    {
      upstreams: settings,
      routes,
      baseUrlProfiles,
    }: Pick<RoutingConfiguration, 'upstreams' | 'routes' | 'baseUrlProfiles'>,
    apiBaseUrls: readonly string[],
  ): void {
    const before = this.#upstreams;
    const upstreams = new Map(settings.map((one) => [one.name, this.#sameOrNew(before.get(one.name), one)]));
    const byBaseUrl = apiBaseUrls.map((baseUrl): [string, Routing] => {
      const profiles = baseUrlProfiles[baseUrl];
      const table = RouteTable.from(rulesFor(routes, baseUrl, profiles));
      // The configuration has been validated.
      if (!(table instanceof RouteTable)) throw new Error(table.join('; '));
      return [baseUrl, { table, upstreams, profiles }];
    });
    this.#upstreams = upstreams;
    this.#byBaseUrl = new Map(byBaseUrl);
    this.#baseUrlProfiles = baseUrlProfiles;
    for (const [name, upstream] of before) if (upstreams.get(name) !== upstream) this.#retire(upstream);
  }

  /** Closes a replaced upstream, once every request in progress has reached it. */
  #retire(upstream: Upstream): void {
    const close = (): void => {
      this.#retired.delete(upstream);
      void upstream.close();
    };
    this.#retired.set(upstream, setTimeout(close, retiredForMs).unref());
  }

  #sameOrNew(known: Upstream | undefined, settings: UpstreamSettings): Upstream {
    const isSame = known !== undefined && JSON.stringify(known.settings) === JSON.stringify(settings);
    if (isSame) return known;
    if (this.#code === undefined) throw new Error('The code of the upstreams is not loaded.');
    return new this.#code.Upstream(settings, this.#monotonicMs);
  }

  figures(): readonly UpstreamFigures[] {
    return [...this.#upstreams.values()].map((upstream) => upstream.figures());
  }

  /** Closes all connections to upstreams, once their requests have finished. */
  async close(): Promise<void> {
    for (const timer of this.#retired.values()) clearTimeout(timer);
    const all = [...this.#upstreams.values(), ...this.#retired.keys()];
    await Promise.all(all.map((upstream) => upstream.close()));
  }
}
