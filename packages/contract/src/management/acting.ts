import { z } from 'zod';
import { timestampSchema } from '../pages.ts';
import { isReadableText } from '../readable-text.ts';

/** How long somebody acts for an account before it ends by itself. */
export const actingMinutes = 60;

/** Somebody of the operator acts for an account, as the management API shows it. */
export interface Acting {
  readonly accountId: string;
  readonly accountName: string;
  readonly reason: string;
  readonly endsAt: string;
}

/** The body of `POST /v1/acting`. */
export interface ActingRequest {
  readonly accountId: string;
  /** It stands in the audit log of the account. */
  readonly reason: string;
}

const object = {
  error: (issue: { code?: string | undefined }): string | undefined =>
    issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined,
};
const accountAdvice = 'Write the accountId of a customer.';
const reasonAdvice =
  'Write a reason of 10 to 500 characters, without control characters and without space at its start or end.';

/** Checks the body of `POST /v1/acting`. */
export const actingRequestSchema: z.ZodType<ActingRequest> = z.strictObject(
  {
    accountId: z.string({ error: accountAdvice }).max(64, { error: accountAdvice }),
    reason: z
      .string({ error: reasonAdvice })
      .min(10, { error: reasonAdvice })
      .refine((text) => isReadableText(text, 500) && text.trim() === text, { error: reasonAdvice }),
  },
  object,
);

/** Describes it in answers. */
export const actingSchema: z.ZodType<Acting> = z.strictObject({
  accountId: z.string(),
  accountName: z.string(),
  reason: z.string(),
  endsAt: timestampSchema,
});
