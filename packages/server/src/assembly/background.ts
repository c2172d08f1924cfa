import { performance } from 'node:perf_hooks';
import { ReportMaker } from '../api/reports/report-maker.ts';
import { profileAlgorithmsOf } from '../registry/store/key-algorithm.ts';
import { keyPolicyOf } from '../configuration/key-policy.ts';
import type { Configuration } from '../configuration/load.ts';
import { Explainer } from '../explanations/explainer.ts';
import { FailureExplanations } from '../explanations/failure-explanations.ts';
import { EventStreams } from '../live/event-streams.ts';
import { startNoticeWork } from '../notices/notice-work.ts';
import { startFollowingDirectories } from '../registry/follow-directories.ts';
import { startUpkeep } from '../registry/upkeep.ts';
import { RequestStore } from '../request-log/writing/request-store.ts';
import { RequestWriter } from '../request-log/writing/request-writer.ts';
import type { RepeatedWork } from '../lifecycle/repeated-work.ts';
import { whenOnDisk } from '../storage/sqlite-dialect.ts';
import type { Database } from '../storage/transaction.ts';
import type { Closers } from './closers.ts';
import { databasePlace } from './open-stores.ts';
import type { Background, Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';

/** Starts everything that works beside the requests, and adds a closer for each but the event streams. */
export function startBackground(
  configuration: Configuration,
  { ground, stores, decision, people }: Pick<Parts, 'ground' | 'stores' | 'decision' | 'people'>,
  overrides: ServiceOverrides,
  closers: Closers,
): Background {
  const { requestLogEveryMs, requestWrites, hasReportThread, noticesEveryMs, explanationMsMax } = overrides;
  const { nowMs, logger, times } = ground;
  const { database, registry } = stores;
  const explainer = new Explainer({
    onError: (error) => logger.error({ error }, 'a request could not be explained'),
    onExplained: (durationMs) => times.explainer.note(durationMs),
    taskMsMax: explanationMsMax,
  });
  closers.push(() => explainer.close());
  const writes = requestWrites?.(database) ?? openRequestWriter(configuration, closers);
  const requestStore = new RequestStore({
    writes,
    keptDays: configuration.requestsKeptDays,
    keptMax: configuration.requestsKeptMax,
    registry,
    nowMs,
    onError: (error) => logger.error({ error }, 'the request log cannot be written'),
    ...(requestLogEveryMs !== undefined && { writeEveryMs: requestLogEveryMs }),
  });
  closers.push(() => requestStore.close());
  const upkeep = startUpkeep({
    database,
    nowMs,
    followChange: () => registry.followChange(),
    onError: (error) => logger.error({ error }, 'registry upkeep failed'),
  });
  closers.push(() => upkeep.close());
  const directories = followDirectories(configuration, { ground, stores }, overrides);
  closers.push(() => directories.close());
  const noticeWork = startNoticeWork({
    database,
    nowMs,
    hasReaders: people !== undefined,
    requestLimit: {
      requestsPerMinuteMax: configuration.clientRequestsPerMinuteMax,
      requestsBurstMax: configuration.clientRequestsBurstMax,
    },
    mail: people?.mail === 'smtp' ? (digest) => people.mailNotices(digest) : undefined,
    onError: (error) => logger.error({ error }, 'notices could not be generated'),
    everyMs: noticesEveryMs,
  });
  closers.push(() => noticeWork.close());
  const explanations = new FailureExplanations({
    database,
    registry,
    explainer,
    baseUrls: calledBaseUrls(configuration),
    rules: decision.rules,
    otherProfiles: decision.otherProfiles,
    shownQueryParameters: new Set(configuration.shownQueryParameters),
    keep: (row) => requestStore.addExplanation(row),
    onError: (error) => logger.error({ error }, 'a rejected request could not be explained'),
    monotonicMs: () => performance.now(),
  });
  closers.push(() => explanations.close());
  const eventStreams = new EventStreams({
    database,
    nowMs,
    onError: (error) => logger.error({ error }, "an account's events could not be read"),
  });
  const reportMaker =
    hasReportThread === false ? undefined : openReportMaker(configuration, database, closers);
  return { explainer, requestStore, explanations, eventStreams, directories, reportMaker };
}

function followDirectories(
  configuration: Configuration,
  { ground: { nowMs, logger }, stores: { database, registry } }: Pick<Parts, 'ground' | 'stores'>,
  { directories, directoriesEveryMs: everyMs, directoriesRandom: random }: ServiceOverrides,
): RepeatedWork {
  const { directoryOrigins, directoryKeptDays: keptDays } = configuration;
  return startFollowingDirectories({
    database,
    fetching: {
      ...directories,
      trustedOrigins: new Set(directoryOrigins),
      policy: keyPolicyOf(configuration),
      nowMs,
    },
    keptDays,
    profileAlgorithms: profileAlgorithmsOf(configuration.profiles),
    followChange: () => registry.followChange(),
    onEnded: (clientId) =>
      logger.warn({ clientId }, 'the keys of a client ended: its directory could not be read for too long'),
    onError: (error) => logger.error({ error }, 'directories of keys could not be followed'),
    random,
    everyMs,
  });
}

function openReportMaker(
  configuration: Configuration,
  database: Database,
  closers: Closers,
): ReportMaker | undefined {
  const place = databasePlace(configuration);
  if (!('file' in place)) return undefined;
  const maker = new ReportMaker({ place, whenOnDisk: () => whenOnDisk(database) });
  closers.push(() => maker.close());
  return maker;
}

function openRequestWriter(configuration: Configuration, closers: Closers): RequestWriter {
  const writer = new RequestWriter(databasePlace(configuration));
  closers.push(() => writer.close());
  return writer;
}

/** Returns every base URL that clients may have called. */
export function calledBaseUrls({ publicBaseUrls, apiBaseUrls, routing }: Configuration): readonly string[] {
  return routing === undefined ? publicBaseUrls : [...apiBaseUrls, ...publicBaseUrls];
}
