import { z } from 'zod';
import { nameSchema } from '../names.ts';
import { timestampSchema } from '../pages.ts';
import { pageParameters, type PageParameters, type QueryParameter, text } from '../query-parameters.ts';

/** An account as the management API shows it. */
export interface Account {
  readonly accountId: string;
  readonly name: string;
  /** Whether it is the operator's: only there the permissions for accounts count. */
  readonly isOperator: boolean;
  /** After so many days a key of the account stops verifying; null when age alone ends no key. */
  readonly keyAgeDaysMax: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The body of `POST /v1/accounts`. */
export interface AccountRequest {
  readonly name: string;
  readonly keyAgeDaysMax?: number | null | undefined;
}

/** The body of `PATCH /v1/accounts/{accountId}` (RFC 7396): what is left out stays as it is. */
export interface AccountChange {
  readonly name?: string | undefined;
  readonly keyAgeDaysMax?: number | null | undefined;
}

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};
const daysAdvice = 'Write whole days from 1 to 3650, or null for no limit.';
const keyAgeDaysMax = z.nullable(
  z.int({ error: daysAdvice }).min(1, { error: daysAdvice }).max(3650, { error: daysAdvice }),
);

/** Checks the body of `POST /v1/accounts`. */
export const accountRequestSchema: z.ZodType<AccountRequest> = z.strictObject(
  { name: nameSchema, keyAgeDaysMax: z.optional(keyAgeDaysMax) },
  object,
);

/** Checks the body of `PATCH /v1/accounts/{accountId}`. */
export const accountChangeSchema: z.ZodType<AccountChange> = z.strictObject(
  { name: z.optional(nameSchema), keyAgeDaysMax: z.optional(keyAgeDaysMax) },
  object,
);

/** The query of `GET /v1/accounts`. */
export interface AccountListParameters extends PageParameters {
  readonly search: QueryParameter<string>;
}

/** Search and pages of the list of accounts. */
export const accountListParameters: AccountListParameters = {
  ...pageParameters,
  search: text(
    'search',
    100,
    'Only accounts whose name contains this, in any case, or whose accountId begins with it',
  ),
};

/** Describes an account in answers. */
export const accountSchema: z.ZodType<Account> = z.strictObject({
  accountId: z.string(),
  name: z.string(),
  isOperator: z.boolean(),
  keyAgeDaysMax: z.nullable(z.int()),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
