import { pageLimits } from '@countersign/contract';
import { ClientOrder } from '../../registry/store/client-order.ts';
import { searchClients } from '../../registry/store/client-search.ts';
import { listedAccount } from '../caller-scope.ts';
import { showClients } from '../management/client-view.ts';
import { readCursor, writeCursor } from '../page.ts';
import { defineReports } from './report-handlers.ts';

export const clientListReports = defineReports((database) => ({
  /** By ID unless another order is requested, so clients created here appear in order of creation. */
  listClients: async ({ query }, request) => {
    const order = new ClientOrder(query.sort);
    const cursor = readCursor(query.cursor, (text) => order.readPlace(text) !== undefined);
    const { clients, next, total } = await searchClients(database, {
      accountId: await listedAccount(request, query.accountId, database),
      status: query.status,
      role: query.role,
      tag: query.tag,
      search: query.search,
      rotation: query.rotation,
      order,
      after: cursor === undefined ? undefined : order.readPlace(cursor),
      limit: query.limit ?? pageLimits.limitDefault,
      nowMs: request.nowMs,
    });
    const data = await showClients(database, clients, request.nowMs);
    const nextCursor = next === undefined ? null : writeCursor(order.writePlace(next));
    return { status: 200, body: { data, nextCursor, ...(total !== undefined && { total }) } };
  },
}));
