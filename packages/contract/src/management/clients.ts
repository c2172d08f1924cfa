import { z } from 'zod';
import { clientIdSchema, nameSchema, roleNameSchema } from '../names.ts';
import { timestampSchema } from '../pages.ts';
import {
  oneOf,
  type PageParameters,
  pageParameters,
  type QueryParameter,
  text,
} from '../query-parameters.ts';
import { type Key, keyRotations, type KeyRotation, keySchema } from './keys.ts';
import { publicKeySchema } from './public-key-text.ts';
import { type NetworkEntryRequest, networkEntryRequestSchema, networkLimits } from './network-whitelist.ts';

/** Where a client stands. `revoked` can be restored for 7 days; after that the client is gone, and its clientId stays taken. */
export type ClientStatus = 'active' | 'disabled' | 'revoked';

/** How long a revoked client can be restored. */
export const restorableDays = 7;

/** A client as the management API shows it. Times are RFC 3339 in UTC. */
export interface Client {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: ClientStatus;
  readonly roles: readonly string[];
  /** Whether its signatures may leave out `date`, as an earlier signer does. */
  readonly acceptWithoutDate: boolean;
  /** Whether a refusal by `/v1/signature-test` is explained to whoever names it. */
  readonly allowExplanations: boolean;
  /** Its keys that are neither expired nor revoked: two at most. */
  readonly keys: readonly Key[];
  readonly createdAt: string;
  readonly updatedAt: string;
  /** How wide its network whitelist is. */
  readonly network: ClientNetwork;
  /** When its last accepted request came; written in batches, so some seconds late. */
  readonly lastUsedAt?: string | undefined;
  /** Where that request came from. */
  readonly lastUsedFrom?: string | undefined;
  /** Only when revoked. */
  readonly revokedAt?: string | undefined;
  readonly restorableUntil?: string | undefined;
}

/** A network whitelist in short. */
export interface ClientNetwork {
  readonly entries: number;
  /** Whether one of them allows every address, or every one of IPv4 or IPv6. */
  readonly isEveryone: boolean;
}

/** The body of `POST /v1/clients`. */
export interface ClientRequest {
  readonly name: string;
  readonly networkWhitelist: readonly NetworkEntryRequest[];
  /** PEM, bare Base64, certificate, JWK or `ssh-rsa` line. Without one the client cannot call until a key is added. */
  readonly publicKey?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly acceptWithoutDate?: boolean | undefined;
  readonly allowExplanations?: boolean | undefined;
  /** For the operator only: the clientId of a client that moves here from elsewhere. */
  readonly clientId?: string | undefined;
  /** For the operator only: the account that the client belongs to, the operator's own unless set. */
  readonly accountId?: string | undefined;
}

/** The body of `PATCH /v1/clients/{clientId}` (RFC 7396): what is left out stays as it is. */
export interface ClientChange {
  readonly name?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly acceptWithoutDate?: boolean | undefined;
  readonly allowExplanations?: boolean | undefined;
}

const roles = z
  .array(roleNameSchema, { error: 'Write the roles as a list of names.' })
  .max(20, { error: 'Give at most 20 roles.' });
const acceptWithoutDate = z.boolean({ error: 'Write true or false.' });
const allowExplanations = z.boolean({ error: 'Write true or false.' });
const objectAdvice = (issue: { code?: string | undefined }): string | undefined =>
  issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined;

/** Checks the body of `POST /v1/clients`. */
export const clientRequestSchema: z.ZodType<ClientRequest> = z.strictObject(
  {
    name: nameSchema,
    networkWhitelist: z
      .array(networkEntryRequestSchema, { error: 'Write the network whitelist as a list of entries.' })
      .min(1, { error: networkLimits.emptyAdvice })
      .max(networkLimits.entriesMax, { error: networkLimits.tooManyAdvice }),
    publicKey: z.optional(publicKeySchema),
    roles: z.optional(roles),
    acceptWithoutDate: z.optional(acceptWithoutDate),
    allowExplanations: z.optional(allowExplanations),
    clientId: z.optional(clientIdSchema),
    accountId: z.optional(z.string({ error: 'Write the accountId as text, or leave it out.' })),
  },
  { error: objectAdvice },
);

/** Checks the body of `PATCH /v1/clients/{clientId}`. */
export const clientChangeSchema: z.ZodType<ClientChange> = z.strictObject(
  {
    name: z.optional(nameSchema),
    roles: z.optional(roles),
    acceptWithoutDate: z.optional(acceptWithoutDate),
    allowExplanations: z.optional(allowExplanations),
  },
  { error: objectAdvice },
);

/** Describes a client in answers. */
export const clientSchema: z.ZodType<Client> = z.strictObject({
  clientId: z.string(),
  accountId: z.string(),
  name: z.string(),
  status: z.enum(['active', 'disabled', 'revoked']),
  roles: z.array(z.string()),
  acceptWithoutDate: z.boolean(),
  allowExplanations: z.boolean(),
  keys: z.array(keySchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  network: z.strictObject({ entries: z.int(), isEveryone: z.boolean() }),
  lastUsedAt: z.optional(timestampSchema),
  lastUsedFrom: z.optional(z.string()),
  revokedAt: z.optional(timestampSchema),
  restorableUntil: z.optional(timestampSchema),
});

/** The query of `GET /v1/clients`. */
export interface ClientListParameters extends PageParameters {
  readonly status: QueryParameter<ClientStatus>;
  readonly role: QueryParameter<string>;
  readonly search: QueryParameter<string>;
  readonly rotation: QueryParameter<KeyRotation>;
  readonly accountId: QueryParameter<string>;
}

/** Filters and pages of the list of clients. */
export const clientListParameters: ClientListParameters = {
  ...pageParameters,
  status: oneOf('status', ['active', 'disabled', 'revoked'], 'Only clients in this state'),
  role: text('role', 64, 'Only clients that have the role of this name'),
  search: text(
    'search',
    256,
    'Only clients whose name contains this, in any case, or whose clientId begins with it',
  ),
  rotation: oneOf('rotation', keyRotations, 'Only clients with a key in this state of rotation'),
  accountId: text(
    'accountId',
    64,
    "For the operator only: the clients of this account; the caller's own unless set",
  ),
};
