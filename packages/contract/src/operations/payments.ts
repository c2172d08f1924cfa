import { defineOperations } from './operation.ts';

export const paymentOperations = defineOperations('Payments', {
  createPayment: {
    method: 'POST',
    path: '/v1/payments',
    summary: 'Create a payment',
    permission: 'payments:write',
    takesIdempotencyKey: true,
    callers: 'clients',
    body: 'PaymentRequest',
    takesPrivateKeys: true,
    status: 201,
    answer: 'Payment',
    headers: ['Location'],
  },
  listPayments: {
    method: 'GET',
    path: '/v1/payments',
    summary: "List the account's payments, newest first",
    permission: 'payments:read',
    callers: 'clients',
    query: 'PageQuery',
    answer: 'PaymentPage',
  },
  getPayment: {
    method: 'GET',
    path: '/v1/payments/{paymentId}',
    summary: 'Read a payment',
    permission: 'payments:read',
    callers: 'clients',
    answer: 'Payment',
  },
  cancelPayment: {
    method: 'POST',
    path: '/v1/payments/{paymentId}/cancel',
    summary: 'Cancel a pending payment',
    permission: 'payments:write',
    callers: 'clients',
    answer: 'Payment',
    problems: ['payment_not_cancellable'],
  },
});
