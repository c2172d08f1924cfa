import { isClientId, isReadableName } from '@countersign/contract';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { RegistryError } from '../registry-error.ts';

/**
 * Refuses a name that people could not read or could be deceived by: empty, longer than 100 characters, with control
 * or direction characters, or with space around it.
 *
 * @throws RegistryError `name_invalid`
 */
export function checkName(name: string): void {
  if (isReadableName(name)) return;
  throw new RegistryError(
    'name_invalid',
    'Write a name of 1 to 100 characters, without control characters and without space at its start or end.',
  );
}

/**
 * Refuses a clientId that could not stand in a signature as it is (RFC 9651 section 3.3.3: quotes and backslashes
 * would have to be escaped there), or in a path.
 *
 * @throws RegistryError `client_id_invalid`
 */
export function checkClientId(clientId: string): void {
  if (isClientId(clientId)) return;
  throw new RegistryError(
    'client_id_invalid',
    'Write a clientId of 1 to 256 visible ASCII characters, without spaces, double quotes and backslashes.',
  );
}

/** A name as it is searched in and for: without differences of case, of width and of accents. */
export function searchNameOf(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * Whether a name contains a text, or an id begins with it. Written so that SQLite and PostgreSQL find the same: their `like`
 * differ in what they know of upper and lower case.
 *
 * @param searchName the column of what `searchNameOf` made
 */
export function isNamedLike(searchName: string, id: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${searchNameOf(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`(${sql.ref(searchName)} like ${pattern} escape '\\'
    or substr(${sql.ref(id)}, 1, ${sql.lit(text.length)}) = ${text})`;
}
