import type { DeploymentPermissions } from '@countersign/contract';
import type { DecisionMeans, Observer, Registry } from '@countersign/gate';
import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { ReportMaker } from '../api/reports/report-maker.ts';
import type { Explainer } from '../explanations/explainer.ts';
import type { FailureExplanations } from '../explanations/failure-explanations.ts';
import type { ForwardingKeys } from '../forwarding/forwarding-keys.ts';
import type { DiskWatch } from '../health/disk-watch.ts';
import type { EventStreams } from '../live/event-streams.ts';
import type { People } from '../people/identity/identity.ts';
import type { OpenGuard } from '../replay/open-guard.ts';
import type { RequestStore } from '../request-log/writing/request-store.ts';
import type { RepeatedWork } from '../lifecycle/repeated-work.ts';
import type { LiveRouting } from '../routing/live-routing.ts';
import type { Database } from '../storage/transaction.ts';
import type { RequestMetrics } from '../telemetry/metrics.ts';
import type { Threads } from '../threads/threads.ts';
import type { Ground } from './ground.ts';

/**
 * The parts of a running service; each uses only those above it. A function takes the parts that it uses, by name:
 * `Pick<Parts, 'ground' | 'stores'>`.
 */
export interface Parts {
  readonly ground: Ground;
  readonly stores: Stores;
  /** The registry, the measured guard and the rules, with which signed requests are decided. */
  readonly decision: DecisionMeans;
  /** The portal's people and their sign-in; undefined without a portal. */
  readonly people: People | undefined;
  readonly background: Background;
  readonly forwarding: Forwarding;
  readonly telemetry: Telemetry;
}

/** Everything that this node stores, without which it can decide nothing. */
export interface Stores {
  readonly database: Database;
  /** Clients, keys and roles, in memory, in sync with the database. */
  readonly registry: Registry;
  /** The replay guard, unmeasured; `Parts.decision` has the one that requests use. */
  readonly guard: OpenGuard;
  /** Watches the free space in the folders that this node writes to. */
  readonly disk: DiskWatch;
  /** The permissions that this deployment adds, for its own purposes and for the routes of a protected API. */
  readonly addedPermissions: DeploymentPermissions;
}

/** Everything that works beside the gate. */
export interface Background {
  readonly explainer: Explainer;
  /** Writes the request log. */
  readonly requestStore: RequestStore;
  /** Explains rejected requests, and keeps the explanations for the clients' owners. */
  readonly explanations: FailureExplanations;
  /** Tells open pages of the portal what changed. */
  readonly eventStreams: EventStreams;
  /** Fetches the directories that clients have their keys from. */
  readonly directories: RepeatedWork;
  /** Makes reports in a thread; undefined if the database is a server. */
  readonly reportMaker: ReportMaker | undefined;
}

/** Everything that forwards requests to the protected API. Without an API, it has no upstreams. */
export interface Forwarding {
  /** The current routes and upstreams. */
  readonly routing: LiveRouting;
  /** The keys that sign forwarded requests and responses. */
  readonly keys: ForwardingKeys;
  /** The threads that serve the API. */
  readonly threads: Threads;
  /** Returns the addresses of the API, with figures added up over all threads. */
  readonly upstreamFigures: () => readonly UpstreamFigures[];
}

/** The receivers of each finished request. */
export interface Telemetry {
  /** Records durations; counts too, if the metrics have a port. */
  readonly metrics: RequestMetrics;
  /** Passes the request on to the log, the metrics, the registry, the request log and the explanations. */
  readonly observer: Observer;
}
