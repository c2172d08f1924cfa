/*
 * Numbers that the service, its schemas and the portal share, in a module that does not load the schema
 * library.
 */

/** The page sizes of a list. Exports may be longer. */
export const pageLimits = { limitDefault: 25, limitMax: 100, exportLimitMax: 10_000 } as const;

export const keyTimes = {
  overlapSecondsDefault: 259_200,
  overlapSecondsMax: 2_592_000,
  /** The recommended maximum age of a key, in days. */
  rotationDays: 90,
  /** The number of days before that at which the suggested window opens. */
  rotationWindowDays: 10,
  /** The maximum number of days until a key that retires or is extended ends. */
  endDaysMax: 90,
} as const;

/** The number of days within which a revoked client can be restored. */
export const restorableDays = 7;

export const networkLimits = {
  entriesMax: 1000,
  emptyAdvice:
    'Give at least one address or network that the client calls from, or 0.0.0.0 to allow any address: an empty whitelist rejects every request.',
  tooManyAdvice: 'At most 1000 entries are allowed: combine addresses into networks.',
} as const;

/** Limits of the networks from which an account's people may use the portal: every request of theirs reads them all. */
export const portalNetworkLimits = {
  entriesMax: 200,
  tooManyAdvice: 'At most 200 entries are allowed: combine addresses into networks.',
} as const;

/** The number of roles that a client can have. */
export const clientRolesMax = 20;

/** Limits on a client's tags and metadata. */
export const clientLabelLimits = {
  tagsMax: 20,
  tagCharactersMax: 40,
  metadataEntriesMax: 20,
  metadataKeyCharactersMax: 40,
  metadataValueCharactersMax: 500,
} as const;

/** The maximum number of clients that the list examines for one page. */
export const clientListLimits = { lookedAtMax: 20_000 } as const;

/**
 * The maximum number of members and items in a body, in all its objects and arrays together, unless its
 * operation sets another. The largest body of such an operation, a client with all its network entries, has a
 * third of that.
 */
export const bodyMembersMax = 10_000;

/** The maximum number of members of one object in a body: a schema compares them all at once. */
export const objectMembersMax = 1000;

/** The number of clients that one request can change or register. */
export const bulkLimits = { clientsMax: 200, importedMax: 100 } as const;

/** The lifetime of the link in a password reset mail. */
export const passwordResetMinutes = 30;

/** The number of requests that a count of requests searches at most, newest first. */
export const requestsCountedMax = 100_000;

/** Limits of a response about rejected requests. */
export const failureLimits = {
  groupsMax: 100,
  sourceAddressesMax: 5,
  failureDaysMax: 30,
  addressDays: 7,
} as const;

/** Limits of a response with statistics. */
export const statisticsLimits = {
  seriesMax: 100,
  clientsMax: 100,
  /** The total over all series: the more points, the fewer series. */
  pointsMax: 20_000,
  hoursMax: 31 * 24,
  daysMax: 400,
} as const;

/** Limits of a response with analytics. */
export const analyticsLimits = {
  /** The number of values that each fact has in a response. */
  valuesMax: 50,
} as const;

/** Numbers of the report on which clients are ready for enforcing routes. */
export const readinessLimits = {
  daysDefault: 7,
  daysMax: 31,
  /** The number of days without a rejection after which a client is ready. */
  quietHours: 24,
  sourcesMax: 100,
} as const;

/** The number of minutes after which acting for an account ends by itself. */
export const actingMinutes = 60;

/** The number of days within which an invitation can be accepted. */
export const invitationDays = 7;

/** The number of characters that a name can have. */
export const nameCharactersMax = 100;

/** Limits of changes that wait for a second person. */
export const pendingChangeLimits = {
  /** The number of changes of one account that wait at once. */
  waitingMax: 50,
  /** Those that one person asked for, so that nobody uses up the room of all others. */
  waitingOfPersonMax: 20,
  /** The number of days within which a change can be approved. */
  days: 7,
  /** The number of days for which changes that have ended are kept. */
  keptDays: 90,
  bodyBytesMax: 65_536,
  /** What the second person sees, as JSON, in characters. */
  descriptionCharactersMax: 131_072,
  /** A key that is retired to end sooner than this is as good as revoked. */
  keyEndHours: 24,
} as const;

/** Limits of saved views of the request log. */
export const savedViewLimits = {
  perPersonMax: 50,
  sharedPerAccountMax: 100,
  queryCharactersMax: 4000,
} as const;

/** Limits of webhooks and their deliveries. */
export const webhookLimits = {
  perAccountMax: 20,
  urlCharactersMax: 1024,
  descriptionCharactersMax: 200,
  /** The bytes of a receiver's answer that are kept. */
  answerBytesMax: 4096,
  /** The number of deliveries of the last day that are counted. */
  countedMax: 500,
  /** The number of deliveries that one request sends again. */
  recoveredMax: 1000,
  /** The number of days for which events, deliveries and attempts are kept. */
  keptDays: 30,
  /** The number of days without a success after which a webhook is disabled. */
  failingDaysMax: 5,
  /** How long the previous secret still signs after a rotation. */
  overlapSecondsDefault: 86_400,
  overlapSecondsMax: 604_800,
  listenersPerAccountMax: 5,
  /** A listener that does not pull for so long has ended. */
  listenerSeconds: 60,
  /** The events of one pull. */
  pulledMax: 100,
  pullSecondsMax: 10,
  headersMax: 10,
  headerNameCharactersMax: 64,
  headerValueCharactersMax: 1024,
  attemptsPerMinuteMax: 6000,
} as const;
