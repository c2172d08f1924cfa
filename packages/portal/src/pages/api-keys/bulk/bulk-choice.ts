import type { ClientsChangeRequest } from '@countersign/contract';

/** The clients that a person has chosen: by their IDs, or all that the filters of the list find. */
export type BulkChoice =
  | { readonly clients: readonly { readonly clientId: string }[] }
  | { readonly filter: NonNullable<ClientsChangeRequest['filter']> };
