import { randomBytes } from 'node:crypto';
import type { Database } from '../storage/transaction.ts';

/**
 * The secret that secrets of authenticator apps are encrypted with: the one of the settings, or one that is made once and
 * kept in the database, where all nodes find it.
 */
export async function peopleSecret(database: Database, configured: string | undefined): Promise<string> {
  if (configured !== undefined) return configured;
  await database
    .insertInto('people_secret')
    .values({ singleton: 1, secret: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.column('singleton').doNothing())
    .execute();
  const { secret } = await database.selectFrom('people_secret').select('secret').executeTakeFirstOrThrow();
  return secret;
}
