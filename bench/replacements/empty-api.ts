import { operations } from '@countersign/contract';
import type { Api } from '../../packages/server/src/api/api.ts';

/** Replaces `createApi` with an API that responds to every request with 204. */
export function createApi(): Api {
  return {
    find: () => ({ operation: operations.createPayment, parameters: {}, handler: () => ({ status: 204 }) }),
  };
}
