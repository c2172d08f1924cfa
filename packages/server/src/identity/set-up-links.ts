import { type Database, inTransaction } from '../storage/transaction.ts';
import { isAnybodyThere } from './persons.ts';
import { newToken, tokenHash } from './tokens.ts';

/**
 * Makes a link for the first person, which works until it is used; undefined when there is somebody already. The links of
 * earlier starts end, but those of other nodes that have started lately: their consoles show them now.
 *
 * @returns the token
 */
export async function newSetUpLink(
  database: Database,
  nowMs: number,
  hasOtherNodes: boolean,
): Promise<string | undefined> {
  return inTransaction(database, async (transaction) => {
    if (await isAnybodyThere(transaction)) return undefined;
    const token = newToken();
    const endedMs = hasOtherNodes ? nowMs - otherNodesMs : nowMs;
    await transaction.deleteFrom('set_up_links').where('created_at_ms', '<=', endedMs).execute();
    await transaction
      .insertInto('set_up_links')
      .values({ token_hash: tokenHash(token), created_at_ms: nowMs })
      .execute();
    return token;
  });
}

/** Whether the token is that of a link which works. */
export async function isSetUpLink(database: Database, token: string): Promise<boolean> {
  const row = await database
    .selectFrom('set_up_links')
    .select('token_hash')
    .where('token_hash', '=', tokenHash(token))
    .executeTakeFirst();
  return row !== undefined && !(await isAnybodyThere(database));
}

const otherNodesMs = 3_600_000;
