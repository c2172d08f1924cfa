/*
 * Numbers that the service, its schemas and the portal share. The schema library is not needed for them.
 */

/** The lengths of a list's page. Exports may be longer. */
export const pageLimits = { limitDefault: 25, limitMax: 100, exportLimitMax: 10_000 } as const;

export const keyTimes = {
  overlapSecondsDefault: 259_200,
  overlapSecondsMax: 2_592_000,
  /** A key should be changed after so many days. */
  rotationDays: 90,
  /** The suggested window opens so many days before. */
  rotationWindowDays: 10,
  /** A key that retires or is extended ends within so many days. */
  endDaysMax: 90,
} as const;

/** A revoked client can be restored for so many days. */
export const restorableDays = 7;

export const networkLimits = {
  entriesMax: 1000,
  emptyAdvice:
    'Give at least one address or network that the client calls from, or 0.0.0.0 to allow any address: an empty whitelist rejects every request.',
  tooManyAdvice: 'At most 1000 entries are allowed: combine addresses into networks.',
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

/** The list of clients looks through at most this many for one page. */
export const clientListLimits = { lookedAtMax: 20_000 } as const;

/**
 * How many members and items a body can have, in all its objects and arrays together, unless its operation says otherwise.
 * The largest body of such an operation, a client with all its network entries, has a third of that.
 */
export const bodyMembersMax = 10_000;

/** The number of clients that one request can change or register. */
export const bulkLimits = { clientsMax: 200, importedMax: 100 } as const;

/** How long the link in a mail for a forgotten password works. */
export const passwordResetMinutes = 30;

/** Limits of an answer about refused requests. */
export const failureLimits = {
  groupsMax: 100,
  sourceAddressesMax: 5,
  failureDaysMax: 30,
  addressDays: 7,
} as const;

/** Limits of an answer with statistics. */
export const statisticsLimits = {
  seriesMax: 100,
  clientsMax: 100,
  /** Of all series together: there are fewer series of many points. */
  pointsMax: 20_000,
  hoursMax: 31 * 24,
  daysMax: 400,
} as const;

/** Numbers of the report about who is ready for routes that enforce. */
export const readinessLimits = {
  daysDefault: 7,
  daysMax: 31,
  /** A ready client was not refused for so long. */
  quietHours: 24,
  sourcesMax: 100,
} as const;

/** Acting for an account ends by itself after so many minutes. */
export const actingMinutes = 60;

/** An invitation can be accepted for so many days. */
export const invitationDays = 7;
