import { newId, type Payment } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { ColumnType, Selectable } from 'kysely';
import type { Fixed, TimeMs } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { clientCaller } from '../caller.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { pageOf, placeOf } from '../page.ts';
import { timestamp } from '../timestamp.ts';

declare module '../../storage/schema.ts' {
  interface Schema {
    payments: PaymentsTable;
  }
}

interface PaymentsTable {
  payment_id: Fixed<string>;
  account_id: Fixed<string>;
  client_id: Fixed<string>;
  amount: Fixed<number>;
  currency: Fixed<string>;
  reference: Fixed<string>;
  description: Fixed<string | null>;
  /** `pending` also stands for completed payments: reading one compares `completes_at_ms`. */
  status: ColumnType<'pending' | 'cancelled', 'pending', 'cancelled'>;
  created_at_ms: Fixed<TimeMs>;
  completes_at_ms: Fixed<TimeMs>;
  cancelled_at_ms: TimeMs | null;
}

export const paymentHandlers = defineHandlers(({ database, idempotency, paymentsCompleteAfterSeconds }) => ({
  createPayment: ({ body }, request) => {
    const { nowMs } = request;
    const { accountId, client } = clientCaller(request);
    const row: PaymentRow = {
      payment_id: newId('payment', nowMs),
      account_id: accountId,
      client_id: client.clientId,
      amount: body.amount,
      currency: body.currency,
      reference: body.reference,
      description: body.description ?? null,
      status: 'pending',
      created_at_ms: nowMs,
      // Stored with the payment, so that changing the setting does not change the past.
      completes_at_ms: nowMs + paymentsCompleteAfterSeconds * 1000,
      cancelled_at_ms: null,
    };
    return idempotency.run(request, async (transaction) => {
      await transaction
        .insertInto('payments')
        .values({ ...row, status: 'pending' })
        .execute();
      return {
        status: 201,
        headers: { Location: `/v1/payments/${row.payment_id}` },
        body: paymentOf(row, nowMs),
      };
    });
  },

  /** A payment created while a caller pages appears before the first page. */
  listPayments: async ({ query: place }, { caller, nowMs }) => {
    const { limit, afterId } = placeOf(place, 'payment');
    let query = database
      .selectFrom('payments')
      .selectAll()
      .where('account_id', '=', caller.accountId)
      .orderBy('payment_id', 'desc')
      .limit(limit + 1);
    if (afterId !== undefined) query = query.where('payment_id', '<', afterId);
    const rows = await query.execute();
    const body = pageOf(
      rows,
      limit,
      (row) => row.payment_id,
      (row) => paymentOf(row, nowMs),
    );
    return { status: 200, body };
  },

  getPayment: async (_input, request) => ({
    status: 200,
    body: paymentOf(await readPayment(database, request), request.nowMs),
  }),

  cancelPayment: async (_input, request) => {
    const { nowMs } = request;
    // One statement checks and changes the payment, so only one of several simultaneous requests succeeds.
    const cancelled = await database
      .updateTable('payments')
      .set({ status: 'cancelled', cancelled_at_ms: nowMs })
      .where('payment_id', '=', idInPath(request, 'paymentId', 'payment'))
      .where('account_id', '=', request.caller.accountId)
      .where('status', '=', 'pending')
      .where('completes_at_ms', '>', nowMs)
      .returningAll()
      .executeTakeFirst();
    if (cancelled !== undefined) return { status: 200, body: paymentOf(cancelled, nowMs) };
    const { status } = paymentOf(await readPayment(database, request), nowMs);
    throw new ProblemError('payment_not_cancellable', { members: { reason: `the payment is ${status}` } });
  },
}));

type PaymentRow = Selectable<PaymentsTable>;

async function readPayment(database: Database, request: ApiRequest): Promise<PaymentRow> {
  const row = await database
    .selectFrom('payments')
    .selectAll()
    .where('payment_id', '=', idInPath(request, 'paymentId', 'payment'))
    .where('account_id', '=', request.caller.accountId)
    .executeTakeFirst();
  // Another account's payment is reported as if it did not exist.
  if (row === undefined) throw new ProblemError('not_found');
  return row;
}

/**
 * Returns a payment as of a time: one that was not cancelled in time is completed, without anything having to
 * run.
 */
function paymentOf(row: PaymentRow, nowMs: number): Payment {
  const isCompleted = row.status === 'pending' && nowMs >= row.completes_at_ms;
  return {
    paymentId: row.payment_id,
    clientId: row.client_id,
    status: isCompleted ? 'completed' : row.status,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    ...(row.description === null ? {} : { description: row.description }),
    createdAt: timestamp(row.created_at_ms),
    ...(isCompleted ? { completedAt: timestamp(row.completes_at_ms) } : {}),
    ...(row.cancelled_at_ms === null ? {} : { cancelledAt: timestamp(row.cancelled_at_ms) }),
  };
}
