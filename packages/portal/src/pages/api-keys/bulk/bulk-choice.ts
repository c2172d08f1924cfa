import type { ClientsChangeRequest } from '@countersign/contract';

/** The clients that a person has selected: by ID, or all that the list's filters match. */
export type BulkChoice =
  | { readonly clients: readonly { readonly clientId: string }[] }
  | { readonly filter: NonNullable<ClientsChangeRequest['filter']> };
