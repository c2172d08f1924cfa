import { isProfileId } from '@countersign/signature/profile';
import type { Selectable } from 'kysely';
import {
  directoryAt,
  type DirectoryForm,
  type DirectoryLocation,
  directoryOfSignatureAgent,
  formOfProfile,
} from '../../directories/directory-location.ts';
import type { TrustedOrigins } from '../../directories/directory-url.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';

/** A directory that a client has its keys from, and how it is doing. */
export interface DirectoryRecord extends DirectoryLocation {
  readonly lastAttemptAtMs: number | undefined;
  /** When it is due. */
  readonly nextFetchAtMs: number;
  /** When someone last asked to fetch it at once; undefined for never. */
  readonly refreshedAtMs: number | undefined;
  /** Undefined until it has given keys for the first time. Until then, registered keys of the client still verify. */
  readonly lastSuccessAtMs: number | undefined;
  /** The reason why the last attempt failed, for the owner. */
  readonly problem: string | undefined;
  readonly keyCount: number;
  /** How many entries do not count, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Limits how many slow directories one account can keep the service busy with. */
const accountDirectoriesMax = 100;

/** A directory's URL as someone wrote it, and the origins that the operator trusts. */
export interface WrittenDirectory {
  readonly url: string;
  readonly trustedOrigins: TrustedOrigins;
}

/** Returns what someone wrote as `directoryUrl`; null or undefined for the same. */
export function writtenDirectory<Text extends string | null | undefined>(
  url: Text,
  trustedOrigins: TrustedOrigins,
): WrittenDirectory | Exclude<Text, string> {
  return typeof url === 'string' ? { url, trustedOrigins } : (url as Exclude<Text, string>);
}

/**
 * Reads a directory's URL, for a client with a profile: the URL of a JWK Set; an origin, whose directory is at the well-known
 * path; or, for profiles whose signatures name an actor's key, the URL of the actor.
 *
 * @throws RegistryError `directory_url_not_allowed` or `directory_invalid`, which says what is wrong with it
 */
export function readDirectory({ url, trustedOrigins }: WrittenDirectory, profile: string): DirectoryLocation {
  if (isProfileId(profile))
    throw directoryInvalid(
      `A client with the profile ${profile} has registered keys: give it another profile, or omit the directory.`,
    );
  const reading =
    formOfProfile(profile) === 'actor'
      ? directoryAt('actor', url, trustedOrigins)
      : directoryOfSignatureAgent({ value: url }, trustedOrigins);
  if (!reading.ok)
    throw new RegistryError('directory_url_not_allowed', reading.message, { member: ['directoryUrl'] });
  return reading.location;
}

/**
 * Checks that a client can keep its directory with another profile. Closed profiles name keys by the client alone.
 *
 * @throws RegistryError `directory_invalid`
 */
export function checkKeepsDirectory({ form }: DirectoryLocation, profile: string): void {
  if (isProfileId(profile))
    throw directoryInvalid(
      `A client with the profile ${profile} has registered keys: remove its directory with directoryUrl null, too.`,
      'profile',
    );
  const expected = formOfProfile(profile);
  if (form === expected) return;
  throw directoryInvalid(
    `A client with the profile ${profile} has ${documents[expected]} as its directory, and this one has ${documents[form]}: change directoryUrl, too.`,
    'profile',
  );
}

const documents: Readonly<Record<DirectoryForm, string>> = { 'key-set': 'a JWK Set', actor: 'an actor' };

/**
 * Gives a client a directory, which is due at once.
 *
 * @throws RegistryError `directory_invalid` if another client of the account has it, or if there are too many
 */
export async function insertDirectory(
  transaction: Database,
  { clientId, accountId }: { readonly clientId: string; readonly accountId: string },
  { form, url }: DirectoryLocation,
  nowMs: number,
): Promise<void> {
  const ofAccount = transaction.selectFrom('client_directories').where('account_id', '=', accountId);
  const same = await ofAccount.select('client_id').where('url', '=', url).executeTakeFirst();
  if (same !== undefined)
    throw directoryInvalid(
      `The client ${same.client_id} already has this directory: publish the keys of each client at a URL of its own.`,
    );
  const { count } = await ofAccount
    .select((column) => column.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= accountDirectoriesMax)
    throw directoryInvalid(`An account has at most ${accountDirectoriesMax} directories.`);
  await transaction
    .insertInto('client_directories')
    .values({
      client_id: clientId,
      account_id: accountId,
      form,
      url,
      origin: new URL(url).origin,
      next_fetch_at_ms: nowMs,
      last_attempt_at_ms: null,
      last_success_at_ms: null,
      problem: null,
      key_count: 0,
      skipped: '{}',
    })
    .execute();
}

/** Throws RegistryError `keys_in_directory` for a client whose keys come from a directory. */
export function checkHasNoDirectory(directory: DirectoryRecord | undefined): void {
  if (directory === undefined) return;
  throw new RegistryError(
    'keys_in_directory',
    'The keys of this client come from its directory: change them there, or remove the directory first.',
  );
}

/** Reads a row of the table of directories. */
export function directoryOfRow(row: Selectable<Schema['client_directories']>): DirectoryRecord {
  return {
    form: row.form === 'actor' ? 'actor' : 'key-set',
    url: row.url,
    lastAttemptAtMs: row.last_attempt_at_ms ?? undefined,
    nextFetchAtMs: row.next_fetch_at_ms,
    refreshedAtMs: row.refreshed_at_ms ?? undefined,
    lastSuccessAtMs: row.last_success_at_ms ?? undefined,
    problem: row.problem ?? undefined,
    keyCount: row.key_count,
    skipped: JSON.parse(row.skipped) as Record<string, number>,
  };
}

function directoryInvalid(message: string, member: string = 'directoryUrl'): RegistryError {
  return new RegistryError('directory_invalid', message, { member: [member] });
}
