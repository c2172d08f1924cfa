import { algorithmOfPem } from '@countersign/signature/keys';
import { type DirectoryKey, thumbprintOfPem } from '../directories/directory-key.ts';
import { directoryProblem } from '../directories/directory-problem.ts';
import { pauseAfterFailures } from '../directories/failure-pause.ts';
import { fetchDirectory, type FetchSettings } from '../directories/fetch-directory.ts';
import { type RepeatedWork, repeatWork } from '../lifecycle/repeated-work.ts';
import type { Database } from '../storage/transaction.ts';
import { readClients } from './store/client-records.ts';
import type { ChangeContext } from './store/context.ts';
import {
  claimDirectories,
  type DirectoryAttempt,
  endUnreadDirectories,
  failDirectory,
  releaseDirectory,
  succeedDirectory,
} from './store/directory-fetches.ts';
import type { ProfileAlgorithms } from './store/key-algorithm.ts';
import { isLive, type KeyRecord } from './store/key-state.ts';

export interface DirectoryFollowing {
  readonly database: Database;
  readonly fetching: FetchSettings;
  /** How many days the keys count without a good answer. */
  readonly keptDays: number;
  /** The algorithms of the profiles that clients can have. */
  readonly profileAlgorithms?: ProfileAlgorithms | undefined;
  /** Called after a write. */
  readonly followChange: () => Promise<void>;
  /** Called when keys end because a directory was unreadable for so long. */
  readonly onEnded: (clientId: string) => void;
  /** Called on failure. The work continues at the next interval. */
  readonly onError: (error: unknown) => void;
  /** Returns a number from 0 to 1, which makes a pause after a failure a little longer. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** The interval. Default 5 seconds. */
  readonly everyMs?: number | undefined;
}

/**
 * Follows the directories of clients into the registry: fetches those that are due, and gives each client the keys that its
 * directory has. From there, its keys are like registered ones. Any number of nodes may run it: one of them fetches a
 * directory at a time. No request causes a fetch.
 */
export function startFollowingDirectories(options: DirectoryFollowing): RepeatedWork {
  const { everyMs = 5000, onError } = options;
  return repeatWork((closing) => follow(options, closing), { everyMs, onError });
}

/** How many directories are fetched at the same time, in all and from one origin. */
const fetchesMax = 8;
const perOriginMax = 2;
/** Then the other work has its turn. */
const fetchesPerRunMax = 500;
const perStep = 50;
/** Examining them takes at most a second. Every key that a client has can cost a failed request an operation. */
const keyLimits = { keysMax: 10, rsaKeysMax: 10 } as const;

async function follow(options: DirectoryFollowing, closing: AbortSignal): Promise<void> {
  await endUnread(options, closing);
  const { database, fetching, onError, random = Math.random } = options;
  /** The origins of the fetches in progress. */
  const running = new Map<Promise<void>, string>();
  let left = fetchesPerRunMax;
  try {
    for (;;) {
      const limit = closing.aborted ? 0 : Math.min(left, fetchesMax - running.size);
      const selection = { nowMs: fetching.nowMs(), limit, perOriginMax, busy: countsOf(running.values()) };
      const claimed =
        limit === 0
          ? []
          : await claimDirectories(database, selection, (failures) => pauseAfterFailures(failures, random()));
      left -= claimed.length;
      for (const attempt of claimed) {
        const fetch = fetchOne(attempt, options, closing)
          .then((isChanged) => (isChanged ? options.followChange() : undefined))
          .catch(onError)
          .finally(() => running.delete(fetch));
        running.set(fetch, attempt.origin);
      }
      // Those in progress at the beginning of the claim may have kept others back.
      if (claimed.length === 0 && selection.busy.size === 0) return;
      if (running.size > 0) await Promise.race(running.keys());
    }
  } finally {
    await Promise.all(running.keys());
  }
}

function countsOf(origins: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const origin of origins) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return counts;
}

async function endUnread(options: DirectoryFollowing, closing: AbortSignal): Promise<void> {
  const { database, followChange, onEnded } = options;
  while (!closing.aborted) {
    const since = { sinceMs: keptSinceMs(options), limit: perStep, problem: tooLong };
    const ended = await endUnreadDirectories(database, since, contextAt(options));
    if (ended.length === 0) return;
    await followChange();
    for (const clientId of ended) onEnded(clientId);
  }
}

const { message: tooLong } = directoryProblem('outage_too_long');

/** Keys of directories that have not been read since this time do not count any more. */
function keptSinceMs({ fetching, keptDays }: DirectoryFollowing): number {
  return fetching.nowMs() - keptDays * 86_400_000;
}

/** Returns true if the client changed. */
async function fetchOne(
  attempt: DirectoryAttempt,
  options: DirectoryFollowing,
  closing: AbortSignal,
): Promise<boolean> {
  const { database, fetching } = options;
  const [client] = await readClients(database, [attempt.clientId]);
  const known = (client?.keys ?? []).filter(isLive).map(knownKey);
  const directory = await fetchDirectory(attempt, fetching, { limits: keyLimits, known, closing });
  if (directory.ok) {
    const { freshForMs, ...contents } = directory;
    return succeedDirectory(database, attempt, { contents, freshForMs }, contextAt(options));
  }
  if (directory.code === 'closing') {
    await releaseDirectory(database, attempt);
    return false;
  }
  const isOver = (client?.directory?.lastSuccessAtMs ?? Infinity) <= keptSinceMs(options);
  await failDirectory(database, attempt, isOver ? `${directory.message} ${tooLong}` : directory.message);
  return false;
}

/** Registered keys were examined before, and examining a large one again takes long. */
function knownKey({ spkiPem, fingerprint, bits }: KeyRecord): DirectoryKey {
  const algorithm = algorithmOfPem(spkiPem);
  return {
    kid: undefined,
    thumbprint: thumbprintOfPem(spkiPem),
    fingerprint,
    spkiPem,
    bits,
    algorithm: algorithm === 'rsa-v1_5-sha256' ? undefined : algorithm,
    startsAtMs: undefined,
    endsAtMs: undefined,
  };
}

function contextAt({ fetching, profileAlgorithms }: DirectoryFollowing): ChangeContext {
  return { nowMs: fetching.nowMs(), profileAlgorithms, actor: { kind: 'system', id: 'directories' } };
}
