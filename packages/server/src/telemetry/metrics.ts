import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry as MetricsRegistry } from 'prom-client';
import type { ExplanationFigures } from '../explanations/failure-explanations.ts';
import type { ConnectionFigures as ListenerFigures, RegistryFigures } from '@countersign/gate';
import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { ConnectionFigures } from '../storage/connection-figures.ts';
import { descriptorLimit, openDescriptorCount } from './descriptors.ts';

/** The sources of the metrics, read at each scrape. */
export interface MetricsSources {
  readonly guard: { readonly size: number; readonly isReady?: boolean | undefined };
  readonly guardEntriesMax: number;
  readonly registryFigures: () => RegistryFigures;
  readonly listenerFigures: () => ListenerFigures;
  readonly requestStore: { readonly droppedCount: number };
  readonly explanationFigures: () => ExplanationFigures;
  /** Empty if no API is protected. */
  readonly upstreamFigures: () => readonly UpstreamFigures[];
  /** Empty without streams. */
  readonly streamFigures: () => readonly StreamFigures[];
  /** Undefined if the database has no connection pool. */
  readonly connectionFigures: () => ConnectionFigures | undefined;
}

/** How far a source of a stream is behind. */
interface StreamFigures {
  readonly stream: string;
  readonly source: string;
  readonly records: number;
  readonly seconds: number;
  readonly isStalled: boolean;
}

/** Receives a report on each request, after its response. */
export interface RequestMetrics {
  /**
   * Counts a request that has its response.
   *
   * @param outcome `accepted`, `page`, `connection_closed` or a problem's code: never text from the caller
   * @param durationMs undefined if the time at which the request began is unknown
   * @param isObserved true if it passed although the outcome is a rejection
   */
  answered(outcome: string, durationMs: number | undefined, isObserved?: boolean): void;
  /**
   * Records that the API behind the checks responded, or failed to.
   *
   * @param upstream the name of an upstream; `built_in` for the service's own API
   */
  handled(durationMs: number, upstream?: string): void;
}

/**
 * A node's metrics in Prometheus text format. Labels have few values, none of them chosen by callers: there are no
 * labels for clients or paths. Counting a request takes two or three microseconds; everything else is read at the
 * scrape.
 */
export class Metrics implements RequestMetrics {
  readonly #registry = new MetricsRegistry();
  readonly #delay: EventLoopDelay = monitorEventLoopDelay({ resolution: 20 });
  readonly #requests: Counter<'code'>;
  readonly #byCode = new Map<string, Counter.Internal>();
  readonly #observed: Counter<'code'>;
  readonly #acceptedDuration: Histogram.Internal<'decision'>;
  readonly #observedDuration: Histogram.Internal<'decision'>;
  readonly #refusedDuration: Histogram.Internal<'decision'>;
  readonly #handlerDuration: Histogram<'upstream'>;

  constructor(sources: MetricsSources) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'countersign_requests_total',
      help: 'Requests by outcome: accepted, page, or the code of the rejection.',
      labelNames: ['code'],
      registers,
    });
    this.#observed = new Counter({
      name: 'countersign_requests_observed_total',
      help: 'Requests that a route that only observes let through, by the code they would have been rejected with.',
      labelNames: ['code'],
      registers,
    });
    const duration = new Histogram({
      name: 'countersign_request_duration_seconds',
      help: 'Time from the request head to the response.',
      labelNames: ['decision'],
      buckets: bucketsSeconds,
      registers,
    });
    this.#acceptedDuration = duration.labels('accepted');
    this.#observedDuration = duration.labels('observed');
    this.#refusedDuration = duration.labels('refused');
    this.#handlerDuration = new Histogram({
      name: 'countersign_handler_duration_seconds',
      help: 'Time spent in the API behind the checks.',
      labelNames: ['upstream'],
      buckets: bucketsSeconds,
      registers,
    });
    addServiceFigures(registers, sources);
    addProcessFigures(registers, this.#delay);
    this.#delay.enable();
  }

  /** The content type of `text()`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  answered(outcome: string, durationMs: number | undefined, isObserved = false): void {
    let counter = this.#byCode.get(outcome);
    if (counter === undefined) {
      counter = this.#requests.labels(outcome);
      this.#byCode.set(outcome, counter);
    }
    counter.inc();
    if (isObserved) this.#observed.inc({ code: outcome });
    // A page involves no decision.
    if (durationMs === undefined || outcome === 'page') return;
    this.#durationOf(outcome, isObserved).observe(durationMs / 1000);
  }

  /** An observed request takes as long as an accepted one, and must not make rejections look slow. */
  #durationOf(outcome: string, isObserved: boolean): Histogram.Internal<'decision'> {
    if (isObserved) return this.#observedDuration;
    return outcome === 'accepted' ? this.#acceptedDuration : this.#refusedDuration;
  }

  handled(durationMs: number, upstream: string = 'built_in'): void {
    this.#handlerDuration.labels(upstream).observe(durationMs / 1000);
  }

  /** Returns all metrics as of now. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  close(): void {
    this.#delay.disable();
    this.#registry.clear();
  }
}

type EventLoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function addServiceFigures(registers: MetricsRegistry[], sources: MetricsSources): void {
  const { registryFigures, requestStore, explanationFigures, connectionFigures } = sources;
  const gauge = (name: string, help: string, read: () => number): void =>
    addGauge(registers, name, help, read);
  addGuardFigures(registers, sources);
  gauge('countersign_registry_clients', 'Clients that may call.', () => registryFigures().clientCount);
  gauge(
    'countersign_registry_unread_clients',
    'Clients not yet read from storage. Above 0 while a node with very many clients warms up.',
    () => registryFigures().unreadCount,
  );
  gauge(
    'countersign_registry_age_seconds',
    'Time since the registry was last checked successfully. Above 1, requests are rejected.',
    () => registryFigures().ageMs / 1000,
  );
  addCounter(
    registers,
    'countersign_request_records_dropped_total',
    'Requests not kept for their owners, because too many were waiting to be written.',
    () => requestStore.droppedCount,
  );
  addCounter(
    registers,
    'countersign_explanations_total',
    'Rejected requests that were explained, for the log and for signature tests.',
    () => explanationFigures().explainedCount,
  );
  addCounter(
    registers,
    'countersign_explanations_dropped_total',
    'Rejected requests of known clients that were not explained, because there were too many.',
    () => explanationFigures().droppedCount,
  );
  addCounter(
    registers,
    'countersign_explanations_cpu_seconds_total',
    'CPU time spent on explaining rejected requests.',
    () => explanationFigures().usedMs / 1000,
  );
  addListenerFigures(registers, sources);
  addUpstreamFigures(registers, sources);
  addStreamFigures(registers, sources);
  if (connectionFigures() === undefined) return;
  const connections = (read: (figures: ConnectionFigures) => number) => (): number => {
    const figures = connectionFigures();
    return figures === undefined ? 0 : read(figures);
  };
  gauge(
    'countersign_database_connections',
    'Open connections of the pool.',
    connections(({ open }) => open),
  );
  gauge(
    'countersign_database_connections_idle',
    'Idle connections of the pool.',
    connections(({ idle }) => idle),
  );
  gauge(
    'countersign_database_waiting',
    'Statements waiting for a connection.',
    connections(({ waiting }) => waiting),
  );
}

function addGuardFigures(
  registers: MetricsRegistry[],
  { guard, guardEntriesMax }: Pick<MetricsSources, 'guard' | 'guardEntriesMax'>,
): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    addGauge(registers, name, help, read);
  gauge('countersign_guard_signatures', 'Signatures that the replay guard remembers.', () => guard.size);
  gauge(
    'countersign_guard_signatures_max',
    'Signatures that the replay guard can remember. When it is full, requests are rejected.',
    () => guardEntriesMax,
  );
  gauge('countersign_guard_ready', "1 unless the replay guard's store is known to be down.", () =>
    guard.isReady === false ? 0 : 1,
  );
}

/** Adds figures about client connections, and about the file descriptors that they share with everything else. */
function addListenerFigures(registers: MetricsRegistry[], { listenerFigures }: MetricsSources): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    addGauge(registers, name, help, read);
  gauge(
    'countersign_connections',
    'Open connections from clients and proxies.',
    () => listenerFigures().openCount,
  );
  gauge(
    'countersign_connections_unproved',
    'Open connections on which no signature or session has been verified yet.',
    () => listenerFigures().unprovedCount,
  );
  gauge(
    'countersign_connections_max',
    'Maximum number of open connections.',
    () => listenerFigures().connectionsMax,
  );
  addCounter(
    registers,
    'countersign_connections_turned_away_total',
    'Connections closed in favor of a newer one, or not accepted, because there were too many.',
    () => listenerFigures().turnedAwayCount,
  );
  gauge('process_open_fds', 'Open file descriptors.', () => openDescriptorCount() ?? Number.NaN);
  gauge(
    'process_max_fds',
    'Limit on open file descriptors.',
    () => descriptorLimit() ?? Number.POSITIVE_INFINITY,
  );
}

/** Adds a gauge with one value per upstream address, labelled as in the configuration. */
function addUpstreamFigures(registers: MetricsRegistry[], { upstreamFigures }: MetricsSources): void {
  const add = (
    name: string,
    help: string,
    read: (address: UpstreamFigures['addresses'][number]) => number,
  ): void => {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['upstream', 'address'],
      registers,
      collect: () => {
        gauge.reset();
        for (const { name: upstream, addresses } of upstreamFigures())
          for (const figures of addresses) gauge.set({ upstream, address: figures.address }, read(figures));
      },
    });
  };
  add(
    'countersign_upstream_requests',
    'Requests that an address of a protected API is working on.',
    ({ runningCount }) => runningCount,
  );
  add(
    'countersign_upstream_ejected',
    '1 while an address of a protected API is used only as a last resort, because it failed several times in a row.',
    ({ isEjected }) => (isEjected ? 1 : 0),
  );
}

/** Adds gauges with one value per stream and source. */
function addStreamFigures(registers: MetricsRegistry[], { streamFigures }: MetricsSources): void {
  const add = (name: string, help: string, read: (figures: StreamFigures) => number): void => {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['stream', 'source'],
      registers,
      collect: () => {
        gauge.reset();
        for (const figures of streamFigures())
          gauge.set({ stream: figures.stream, source: figures.source }, read(figures));
      },
    });
  };
  add(
    'countersign_stream_lag_records',
    'Records that the receiver of a stream has not acknowledged. Requests are counted up to 10,000.',
    ({ records }) => records,
  );
  add(
    'countersign_stream_lag_seconds',
    'Age of the oldest record that the receiver of a stream has not acknowledged.',
    ({ seconds }) => seconds,
  );
  add(
    'countersign_stream_stalled',
    '1 while the receiver of a stream has acknowledged nothing for too long.',
    ({ isStalled }) => (isStalled ? 1 : 0),
  );
}

/** Adds the process metrics under their conventional names. */
function addProcessFigures(registers: MetricsRegistry[], delay: EventLoopDelay): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    addGauge(registers, name, help, read);
  addCounter(registers, 'process_cpu_seconds_total', 'CPU time of this process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  gauge('process_resident_memory_bytes', 'Resident memory of this process.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  gauge(
    'process_start_time_seconds',
    'When this process started, in seconds since 1970.',
    () => Date.now() / 1000 - process.uptime(),
  );
  addEventLoopFigures(registers, delay);
}

/** Adds timer delays since the last scrape, under the names that Node dashboards expect. */
function addEventLoopFigures(registers: MetricsRegistry[], delay: EventLoopDelay): void {
  const lag = (name: string, help: string, collect?: () => void): Gauge =>
    new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help,
      registers,
      ...(collect && { collect }),
    });
  const secondsOf = (nanoseconds: number): number => (delay.count === 0 ? 0 : nanoseconds / 1_000_000_000);
  // Gauges are collected in the order they were created, so the first one sets all three.
  const half = lag('p50', 'Median timer delay since the last scrape.', () => {
    half.set(secondsOf(delay.percentile(50)));
    most.set(secondsOf(delay.percentile(99)));
    worst.set(secondsOf(delay.max));
    delay.reset();
  });
  const most = lag('p99', '99th percentile of the timer delay since the last scrape.');
  const worst = lag('max', 'Maximum timer delay since the last scrape.');
}

function addGauge(registers: MetricsRegistry[], name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
}

/** Adds a counter that is maintained elsewhere and only grows. */
function addCounter(registers: MetricsRegistry[], name: string, help: string, read: () => number): void {
  const counter: Counter = new Counter({
    name,
    help,
    registers,
    collect: () => {
      counter.reset();
      counter.inc(read());
    },
  });
}
