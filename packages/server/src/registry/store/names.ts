import { isClientId, isReadableName, searchNameOf } from '@countersign/contract';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { RegistryError } from '../registry-error.ts';

/**
 * Rejects a name that is unreadable or could deceive people: an empty one, or one with more than 100
 * characters, with control or direction characters, or with surrounding white space.
 *
 * @throws RegistryError `name_invalid`
 */
export function checkName(name: string): void {
  if (isReadableName(name)) return;
  throw new RegistryError(
    'name_invalid',
    'Use 1 to 100 characters, without control characters and with no space at the start or end.',
  );
}

/**
 * Rejects a clientId that would need escaping in a signature (RFC 9651 section 3.3.3: quotes and backslashes) or
 * couldn't be used in a path.
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

/**
 * Matches rows whose name contains a text or whose id begins with it. Written so that SQLite and PostgreSQL find the
 * same rows, because their `like` operators handle case differently.
 *
 * @param searchName the column with the result of `searchNameOf`
 */
export function isNamedLike(searchName: string, id: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${searchNameOf(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`(${sql.ref(searchName)} like ${pattern} escape '\\'
    or substr(${sql.ref(id)}, 1, ${sql.lit(text.length)}) = ${text})`;
}
