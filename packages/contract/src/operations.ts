import type { Permission } from './permissions.ts';

/** One operation of the API: a method on a path, and what a caller needs for it. */
export interface Operation {
  /** The stable name, as it stands in logs and in the OpenAPI document. */
  readonly id: OperationId;
  readonly method: 'GET' | 'POST';
  /** The path with its parameters in braces, `/v1/payments/{paymentId}`. */
  readonly path: `/v1/${string}`;
  /** The permission that a role of the client must hold; undefined when any active client may call. */
  readonly permission: Permission | undefined;
  /** What it does, in a few words. */
  readonly summary: string;
}

const table = {
  getWhoami: {
    id: 'getWhoami',
    method: 'GET',
    path: '/v1/whoami',
    permission: undefined,
    summary: 'Show who the caller is and how the service sees the request',
  },
  createPayment: {
    id: 'createPayment',
    method: 'POST',
    path: '/v1/payments',
    permission: 'payments:write',
    summary: 'Create a payment',
  },
  listPayments: {
    id: 'listPayments',
    method: 'GET',
    path: '/v1/payments',
    permission: 'payments:read',
    summary: 'List the payments of the account, newest first',
  },
  getPayment: {
    id: 'getPayment',
    method: 'GET',
    path: '/v1/payments/{paymentId}',
    permission: 'payments:read',
    summary: 'Read one payment',
  },
  cancelPayment: {
    id: 'cancelPayment',
    method: 'POST',
    path: '/v1/payments/{paymentId}/cancel',
    permission: 'payments:write',
    summary: 'Cancel a pending payment',
  },
} as const;

/** The name of an operation. */
export type OperationId = keyof typeof table;

/** Every operation of the API. */
export const operations: Readonly<Record<OperationId, Operation>> = table;
