import type { Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { RequestFigures } from '../request-figures.ts';
import type { RequestFiguresTable } from '../request-tables.ts';

export type StoredFigures = Selectable<RequestFiguresTable>;
/** The place of figures in storage. */
export type FiguresPlace = Omit<StoredFigures, 'figures'>;

/**
 * Changes the figures at some places, a hundred at most and each at most once. They stay locked until the transaction
 * ends, so that no other node's figures are lost.
 *
 * @param change gets the figures of the place with this index, which may be empty
 */
export async function changeFigures(
  transaction: Transaction<Schema>,
  places: readonly FiguresPlace[],
  change: (figures: RequestFigures, place: number) => void,
): Promise<void> {
  if (places.length === 0) return;
  // All nodes lock in the same order, so that simultaneous changes don't deadlock.
  const ordered = [...places.entries()].toSorted(([, one], [, other]) =>
    nameOf(one) < nameOf(other) ? -1 : 1,
  );
  const locked = await transaction
    .insertInto('request_figures')
    .values(
      ordered.map(([, { account_id, span, starts_at_ms, client_id }]) => ({
        account_id,
        span,
        starts_at_ms,
        client_id,
        figures: '',
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(keyColumns).doUpdateSet((row) => ({ figures: row.ref('request_figures.figures') })),
    )
    .returningAll()
    .execute();
  const byName = new Map(locked.map((row) => [nameOf(row), row]));
  const changed = ordered.map(([index, place]): StoredFigures => {
    const row = byName.get(nameOf(place))!;
    const figures = RequestFigures.fromText(row.figures);
    change(figures, index);
    return { ...row, figures: figures.toText() };
  });
  await transaction
    .insertInto('request_figures')
    .values(changed)
    .onConflict((conflict) =>
      conflict.columns(keyColumns).doUpdateSet((row) => ({ figures: row.ref('excluded.figures') })),
    )
    .execute();
}

/** Removes the figures of some clients, and subtracts them from the sums over all clients of the account. */
export async function forgetFigures(
  transaction: Transaction<Schema>,
  accountId: string,
  clientIds: readonly string[],
): Promise<void> {
  const removed = await transaction
    .deleteFrom('request_figures')
    .where('account_id', '=', accountId)
    .where('client_id', 'in', clientIds)
    .returningAll()
    .execute();
  const bySum = [...Map.groupBy(removed, (row) => nameOf({ ...row, client_id: '' })).values()];
  for (let start = 0; start < bySum.length; start += placesMax) {
    const some = bySum.slice(start, start + placesMax);
    const places = some.map((rows) => ({ ...rows[0]!, client_id: '' }));
    await changeFigures(transaction, places, (sum, place) => {
      for (const { figures } of some[place]!) sum.subtract(RequestFigures.fromText(figures));
    });
  }
  await transaction
    .deleteFrom('request_figures')
    .where('account_id', '=', accountId)
    .where('client_id', '=', '')
    .where('figures', '=', '')
    .execute();
}

const keyColumns = ['account_id', 'span', 'starts_at_ms', 'client_id'] as const;
const placesMax = 100;

/** Names a place; no part contains a space. */
function nameOf({
  account_id: accountId,
  span,
  starts_at_ms: startsAtMs,
  client_id: clientId,
}: FiguresPlace): string {
  return `${accountId} ${span} ${startsAtMs} ${clientId}`;
}
