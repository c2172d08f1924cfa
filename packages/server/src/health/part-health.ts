import type { PartHealth } from '@countersign/contract';
import type { RegistryFigures } from '@countersign/gate';
import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration/load.ts';
import type { ExplanationFigures } from '../explanations/failure-explanations.ts';
import { connectionFigures } from '../storage/connection-figures.ts';
import type { Database } from '../storage/transaction.ts';
import { losesLines } from '../telemetry/logger.ts';
import type { PartTimes } from '../telemetry/part-times.ts';
import type { RecentFigures, RecentTimes } from '../telemetry/recent-times.ts';

/** The sources of each part's state. */
export interface PartHealthSources {
  readonly settings: Pick<Configuration, 'guardEntriesMax' | 'threads' | 'nodes'>;
  readonly times: PartTimes;
  readonly database: Database;
  readonly registry: { figures(): RegistryFigures; isFresh(): boolean };
  readonly guard: {
    readonly size: number;
    readonly isReady?: boolean | undefined;
    readonly problem?: string | undefined;
  };
  readonly requestStore: {
    readonly droppedCount: number;
    readonly waitingCount: number;
    readonly isFailing: boolean;
  };
  readonly explanations: { readonly figures: ExplanationFigures };
  readonly disk: { readonly problem: string | undefined };
  readonly people: { readonly mail: 'smtp' | 'folder' } | undefined;
  readonly logger: Logger;
  readonly upstreamFigures: () => readonly UpstreamFigures[];
}

/** A part is slow if its 99th percentile is above this, in milliseconds. */
const slowMs = {
  requests: 500,
  database: 100,
  guard: 50,
  explainer: 1000,
  mail: 5000,
  eventLoop: 100,
  upstream: 1000,
} as const;

/** Returns the state of each part of this node, and the reason, measured over the last five minutes. */
export function healthOfParts(sources: PartHealthSources): PartHealth[] {
  const { times } = sources;
  return [
    partOf('requests', times.requests, slowMs.requests, { slow: 'See which part below is slow.' }),
    databaseHealth(sources),
    guardHealth(sources),
    requestLogHealth(sources),
    partOf('explainer', times.explainer, slowMs.explainer, {
      warning: skipped(sources.explanations.figures),
      slow: 'Large bodies and many keys take a long time to explain. No request waits for that.',
    }),
    logHealth(sources),
    mailHealth(sources),
    ...sources.upstreamFigures().map((figures) => upstreamHealth(figures, times)),
    threadHealth(sources),
  ];
}

interface Causes {
  /** The reason why the part does not work. */
  readonly failing?: string | undefined;
  /** A problem to look at, although the part works. */
  readonly warning?: string | undefined;
  /** The usual reason if the part is slow. */
  readonly slow?: string | undefined;
}

function partOf(
  name: PartHealth['name'],
  measured: RecentTimes | undefined,
  slowFromMs: number,
  { failing, warning, slow }: Causes,
): PartHealth {
  const figures = measured?.figures() ?? nothing;
  const { count, failedCount, p50Ms, p99Ms } = figures;
  const shown = {
    name,
    count,
    failed: failedCount,
    ...(p50Ms !== undefined && { p50Ms: rounded(p50Ms) }),
    ...(p99Ms !== undefined && { p99Ms: rounded(p99Ms) }),
  };
  if (failing !== undefined) return { ...shown, state: 'failing', reason: failing };
  if (isSlow(figures, slowFromMs)) {
    const reason = [`1 in 100 takes longer than ${slowFromMs} ms.`, slow, warning].filter(Boolean).join(' ');
    return { ...shown, state: 'warning', reason };
  }
  if (warning !== undefined) return { ...shown, state: 'warning', reason: warning };
  return { ...shown, state: 'ok' };
}

const nothing: RecentFigures = { count: 0, failedCount: 0, p50Ms: undefined, p99Ms: undefined };

/** Below twenty, a single slow request means little. */
function isSlow({ count, p99Ms = 0 }: RecentFigures, slowFromMs: number): boolean {
  return count >= 20 && p99Ms > slowFromMs;
}

function databaseHealth({ times, database, registry }: PartHealthSources): PartHealth {
  const pool = connectionFigures(database);
  const isCrowded = pool !== undefined && pool.waiting > 0;
  const ageSeconds = Math.round(registry.figures().ageMs / 100) / 10;
  return partOf('database', times.database, slowMs.database, {
    failing: registry.isFresh()
      ? undefined
      : `The last read that succeeded was ${Number.isFinite(ageSeconds) ? `${ageSeconds} s ago` : 'never'}: requests are rejected.`,
    warning: isCrowded ? `${pool.waiting} statements wait for one of ${pool.open} connections.` : undefined,
    slow: 'The database or the network to it is slow.',
  });
}

function guardHealth({ times, guard, settings }: PartHealthSources): PartHealth {
  const isNearlyFull = guard.size > settings.guardEntriesMax * 0.8;
  return partOf('guard', times.guard, slowMs.guard, {
    failing:
      guard.problem ??
      (guard.isReady === false ? 'Its store cannot be reached: requests are rejected.' : undefined),
    warning: isNearlyFull
      ? `It remembers ${guard.size} of at most ${settings.guardEntriesMax} signatures. Beyond that, requests are rejected.`
      : undefined,
    slow: 'Its store or its disk is slow.',
  });
}

function requestLogHealth({ requestStore, disk }: PartHealthSources): PartHealth {
  const { droppedCount, waitingCount, isFailing } = requestStore;
  return partOf('requestLog', undefined, 0, {
    failing: disk.problem ?? (isFailing ? `It cannot be written: ${waitingCount} requests wait.` : undefined),
    warning:
      droppedCount > 0
        ? `${droppedCount} requests since the start were not kept, because too many were waiting to be written.`
        : undefined,
  });
}

function logHealth({ logger, disk }: PartHealthSources): PartHealth {
  const failing = losesLines(logger) ? 'Lines are lost: the file cannot be written.' : disk.problem;
  return partOf('log', undefined, 0, { failing });
}

function mailHealth({ times, people }: PartHealthSources): PartHealth {
  const { count, failedCount } = times.mail.figures();
  return partOf('mail', times.mail, slowMs.mail, {
    failing:
      failedCount > 0 && failedCount === count
        ? 'No email could be sent in the last few minutes. The log says why.'
        : undefined,
    warning:
      failedCount > 0
        ? `${failedCount} emails could not be sent. The log says why.`
        : people?.mail === 'folder'
          ? 'No mail server is configured: emails are written to a folder.'
          : undefined,
    slow: 'The mail server is slow.',
  });
}

function upstreamHealth({ name, addresses }: UpstreamFigures, times: PartTimes): PartHealth {
  const ejected = addresses.filter(({ isEjected }) => isEjected);
  const names = ejected.map(({ address }) => address).join(', ');
  const part = partOf('upstream', times.upstream(name), slowMs.upstream, {
    failing:
      addresses.length > 0 && ejected.length === addresses.length
        ? `No address responds: ${names}.`
        : undefined,
    warning:
      ejected.length > 0 ? `Used last, because they failed several times in a row: ${names}.` : undefined,
    slow: 'The API itself is slow.',
  });
  return { ...part, subject: name };
}

function threadHealth({ times, settings }: PartHealthSources): PartHealth {
  const part = partOf('threads', times.eventLoop, slowMs.eventLoop, {
    slow: 'The main thread is overloaded: add processors, threads or nodes.',
  });
  return { ...part, subject: `${settings.threads}/${settings.nodes}` };
}

function skipped({ droppedCount }: ExplanationFigures): string | undefined {
  return droppedCount > 0
    ? `${droppedCount} rejected requests since the start were not explained, because there were too many.`
    : undefined;
}

/** Two significant digits are enough. */
function rounded(milliseconds: number): number {
  return Number(milliseconds.toPrecision(2));
}
