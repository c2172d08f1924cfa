import { isId, newId, type Payment, type PaymentList, paymentRequestSchema } from '@countersign/contract';
import type { ColumnType, Selectable } from 'kysely';
import type { Fixed, TimeMs } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { Idempotency } from '../idempotency.ts';
import { readPage, writeCursor } from '../page.ts';
import { readBodyAs, refuseBody } from '../request-body.ts';
import { readQuery } from '../request-query.ts';
import { clientCaller } from '../caller.ts';
import type { ApiRequest, Handler } from '../handler.ts';
import { ProblemError } from '@countersign/gate';

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
  /** `pending` also stands for completed: that follows from `completes_at_ms` when it is read. */
  status: ColumnType<'pending' | 'cancelled', 'pending', 'cancelled'>;
  created_at_ms: Fixed<TimeMs>;
  completes_at_ms: Fixed<TimeMs>;
  cancelled_at_ms: TimeMs | null;
}

/** What the payments need. */
export interface PaymentParts {
  readonly database: Database;
  readonly idempotency: Idempotency;
  /** How long a payment stays pending, unless it is cancelled. */
  readonly completeAfterMs: number;
}

/** `POST /v1/payments` */
export function createPayment({ idempotency, completeAfterMs }: PaymentParts): Handler {
  return (request) => {
    readQuery(request.query, []);
    const { amount, currency, reference, description } = readBodyAs(request, paymentRequestSchema);
    const { nowMs } = request;
    const { accountId, client } = clientCaller(request);
    const row: PaymentRow = {
      payment_id: newId('payment', nowMs),
      account_id: accountId,
      client_id: client.clientId,
      amount,
      currency,
      reference,
      description: description ?? null,
      status: 'pending',
      created_at_ms: nowMs,
      // Kept with the payment, so that changing the setting does not change what has happened.
      completes_at_ms: nowMs + completeAfterMs,
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
  };
}

/** `GET /v1/payments`: newest first. A payment that is made while a caller pages stands before the first page. */
export function listPayments({ database }: PaymentParts): Handler {
  return async (request) => {
    refuseBody(request);
    const { limit, afterId } = readPage(request.query, 'payment');
    let query = database
      .selectFrom('payments')
      .selectAll()
      .where('account_id', '=', request.caller.accountId)
      .orderBy('payment_id', 'desc')
      .limit(limit + 1);
    if (afterId !== undefined) query = query.where('payment_id', '<', afterId);
    const rows = await query.execute();
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    const body: PaymentList = {
      data: page.map((row) => paymentOf(row, request.nowMs)),
      nextCursor: last === undefined ? null : writeCursor(last.payment_id),
    };
    return { status: 200, body };
  };
}

/** `GET /v1/payments/{paymentId}` */
export function getPayment({ database }: PaymentParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return { status: 200, body: paymentOf(await readPayment(database, request), request.nowMs) };
  };
}

/** `POST /v1/payments/{paymentId}/cancel` */
export function cancelPayment({ database }: PaymentParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const { nowMs } = request;
    // One statement decides and changes, so of several at once one succeeds.
    const cancelled = await database
      .updateTable('payments')
      .set({ status: 'cancelled', cancelled_at_ms: nowMs })
      .where('payment_id', '=', paymentIdOf(request))
      .where('account_id', '=', request.caller.accountId)
      .where('status', '=', 'pending')
      .where('completes_at_ms', '>', nowMs)
      .returningAll()
      .executeTakeFirst();
    if (cancelled !== undefined) return { status: 200, body: paymentOf(cancelled, nowMs) };
    const { status } = paymentOf(await readPayment(database, request), nowMs);
    throw new ProblemError('payment_not_cancellable', { members: { reason: `the payment is ${status}` } });
  };
}

type PaymentRow = Selectable<PaymentsTable>;

async function readPayment(database: Database, request: ApiRequest): Promise<PaymentRow> {
  const row = await database
    .selectFrom('payments')
    .selectAll()
    .where('payment_id', '=', paymentIdOf(request))
    .where('account_id', '=', request.caller.accountId)
    .executeTakeFirst();
  // The payment of another account is as unknown as one that does not exist.
  if (row === undefined) throw new ProblemError('not_found');
  return row;
}

function paymentIdOf({ parameters }: ApiRequest): string {
  const paymentId = parameters['paymentId'] ?? '';
  if (!isId('payment', paymentId)) throw new ProblemError('not_found');
  return paymentId;
}

/** A payment as it is at a time: one that was not cancelled in time is completed, without anything having to run. */
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

function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
