import type { AsyncReplayGuard, RepeatPolicy, TimeWindow } from '@countersign/signature/node';
import type { Logger } from 'pino';
import { PersistentReplayGuard, PersistentSharedGuard, type SharedBuckets } from '@countersign/gate';
import type { RedisConnection } from '../storage/redis/redis-connection.ts';
import type { Database } from '../storage/transaction.ts';
import { claimGuard } from './guard-claim.ts';
import { GuardMark } from './guard-mark.ts';

/** A guard with figures for operators. */
export interface OpenGuard extends AsyncReplayGuard {
  /** The number of remembered signatures, approximate if several nodes share the guard. */
  readonly size: number;
  /** False while every use is rejected because the guard's store is down; undefined if only a use can tell. */
  readonly isReady?: boolean | undefined;
  /** Says why this node cannot decide, except that a store shared by all nodes is unavailable. */
  readonly problem?: string | undefined;
  /**
   * The time until which every new signature is rejected, because another guard may have accepted it; undefined
   * if none is.
   */
  readonly refusesUntilMs?: number | undefined;
  /** Rate-limit buckets that the guard's store shares between all nodes; undefined if it has none. */
  readonly buckets?: SharedBuckets | undefined;
  /** The same guard for other threads; undefined if there is only one thread. */
  readonly shared?: ThreadGuard | undefined;
  close(): Promise<void> | void;
}

/** The main thread's side of a guard that several threads share. */
export interface ThreadGuard extends Pick<
  PersistentSharedGuard,
  'memory' | 'policy' | 'reserve' | 'release' | 'raiseHorizon'
> {}

/** The settings that select and configure the guard. */
export interface GuardSettings {
  readonly guard: 'memory' | 'postgres' | 'redis';
  readonly repeat: RepeatPolicy;
  readonly guardEntriesMax: number;
  readonly guardTimeoutMs: number;
  readonly nodes: number;
  readonly threads: number;
  readonly dataFolder: string;
  readonly databaseUrl: { reveal(): string } | undefined;
  readonly redisUrl: { reveal(): string } | undefined;
  readonly allowRedisWithoutAppendOnlyFile: boolean;
}

/** A guard's dependencies, in addition to the settings. */
export interface GuardParts {
  readonly database: Database;
  readonly window: TimeWindow;
  /** The wall clock in milliseconds. */
  readonly nowMs: () => number;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  /** Opens the rate-limit buckets in the Redis of a guard. */
  readonly openBuckets: (connection: RedisConnection) => Promise<SharedBuckets>;
}

/**
 * Opens the guard that the settings select, and claims the database for it. If the guard can't work, closes
 * everything and rejects.
 */
export async function openGuard(settings: GuardSettings, parts: GuardParts): Promise<OpenGuard> {
  const [name, guard] = await openNamed(settings, parts);
  try {
    return await claimGuard(name, guard, { ...parts, repeat: settings.repeat });
  } catch (error) {
    await guard.close();
    throw error;
  }
}

/**
 * Opens a guard and returns it with a name that is shared only by guards that know the same signatures. For
 * Redis guards, the kind is enough: the database's epoch identifies the Redis.
 */
async function openNamed(settings: GuardSettings, parts: GuardParts): Promise<[string, OpenGuard]> {
  switch (settings.guard) {
    case 'memory': {
      if (settings.threads > 1) {
        const guard = openSharedGuard(settings, parts);
        return [`memory ${guard.guardId}`, guard];
      }
      const guard = openMemoryGuard(settings, parts);
      return [`memory ${guard.guardId}`, guard];
    }
    case 'postgres':
      return ['postgres', await openGuardInPostgres(settings, parts)];
    case 'redis':
      return ['redis', await openGuardInRedis(settings, parts)];
  }
}

function openMemoryGuard(
  settings: GuardSettings,
  { window, nowMs, monotonicMs, logger }: GuardParts,
): PersistentReplayGuard {
  return new PersistentReplayGuard(settings.dataFolder, Math.floor(nowMs() / 1000), {
    monotonicMs,
    window,
    repeat: settings.repeat,
    entriesMax: settings.guardEntriesMax,
    onWriteError: (error) => logger.error({ error }, "the replay guard's mark cannot be written"),
  });
}

function openSharedGuard(
  settings: GuardSettings,
  { window, nowMs, monotonicMs, logger }: GuardParts,
): PersistentSharedGuard {
  return new PersistentSharedGuard(settings.dataFolder, {
    nowMs,
    monotonicMs,
    window,
    repeat: settings.repeat,
    entriesMax: settings.guardEntriesMax,
    onWriteError: (error) => logger.error({ error }, "the replay guard's mark cannot be written"),
  });
}

async function openGuardInPostgres(
  settings: GuardSettings,
  { window, nowMs, logger }: GuardParts,
): Promise<OpenGuard> {
  const { openPostgresGuard } = await import('./postgres-guard.ts');
  return openPostgresGuard({
    url: settings.databaseUrl?.reveal() ?? '',
    nodes: settings.nodes,
    window,
    nowMs,
    repeat: settings.repeat,
    entriesMax: settings.guardEntriesMax,
    timeoutMs: settings.guardTimeoutMs,
    onError: (error) => logger.error({ error }, "the replay guard's upkeep failed"),
  });
}

async function openGuardInRedis(
  settings: GuardSettings,
  { database, window, logger, openBuckets }: GuardParts,
): Promise<OpenGuard> {
  const { RedisConnection } = await import('../storage/redis/redis-connection.ts');
  const { RedisReplayGuard } = await import('./redis-guard.ts');
  const connection = new RedisConnection({
    url: settings.redisUrl?.reveal() ?? '',
    commandTimeoutMs: Math.round(settings.guardTimeoutMs / 3),
    allowWithoutAppendOnlyFile: settings.allowRedisWithoutAppendOnlyFile,
    onChange: (problem) => {
      if (problem === undefined) logger.info("the replay guard's store is available again");
      else logger.error({ problem }, "the replay guard's store is unavailable");
    },
  });
  const guard = new RedisReplayGuard(connection, {
    mark: new GuardMark(database),
    window,
    repeat: settings.repeat,
    entriesMax: settings.guardEntriesMax,
    markTimeoutMs: Math.round(settings.guardTimeoutMs * 0.55),
  });
  const close = (): void => {
    guard.close();
    connection.close();
  };
  let buckets: SharedBuckets;
  try {
    buckets = await openBuckets(connection);
    await connection.open();
  } catch (error) {
    close();
    throw error;
  }
  return {
    use: (signature, nowSeconds) => guard.use(signature, nowSeconds),
    get size() {
      return guard.size;
    },
    get isReady() {
      return guard.isReady;
    },
    buckets,
    close,
  };
}
