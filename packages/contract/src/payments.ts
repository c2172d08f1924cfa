import { z } from 'zod';
import { currencies } from './currencies.ts';
import { type Page, pageSchema, timestampSchema as timestamp } from './pages.ts';

/** The body of `POST /v1/payments`. */
export interface PaymentRequest {
  /** Whole minor units of the currency (cents of EUR, yen of JPY). */
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** The caller's own name for the payment; it need not be unique. */
  readonly reference: string;
  readonly description?: string | undefined;
}

/** Where a payment stands. `completed` and `cancelled` are final. */
export type PaymentStatus = 'pending' | 'completed' | 'cancelled';

/** A payment as the API shows it. Times are RFC 3339 in UTC. */
export interface Payment {
  readonly paymentId: string;
  /** The client that created it. */
  readonly clientId: string;
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly description?: string | undefined;
  readonly createdAt: string;
  /** Only when completed. */
  readonly completedAt?: string | undefined;
  /** Only when cancelled. */
  readonly cancelledAt?: string | undefined;
}

/** The answer of `GET /v1/payments`. */
export type PaymentList = Page<Payment>;

const amountMax = 999_999_999_999;

// Letters, marks, numbers, punctuation, symbols, and spaces inside: what can be seen. Control and formatting characters
// and halves of surrogate pairs are none of these, so text cannot hide anything or be changed by storage.
const reference = z
  .string({ error: 'Write the reference as text.' })
  .regex(/^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}(?<! )$/u, {
    error: 'Write 1 to 64 visible characters, with spaces only between them.',
  });
const description = z
  .string({ error: 'Write the description as text, or leave it out.' })
  .regex(/^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}(?<! )$/u, {
    error: 'Write 1 to 256 visible characters, with spaces only between them, or leave the description out.',
  });
const amountAdvice = `Write the amount as a whole number of minor units from 1 to ${amountMax}.`;
const amount = z
  .int({ error: amountAdvice })
  .min(1, { error: amountAdvice })
  .max(amountMax, { error: amountAdvice });
const currency = z.enum(currencies, {
  error: 'Write the currency as an ISO 4217 code in capitals, such as EUR.',
});

/** Checks the body of `POST /v1/payments`: unknown members are refused. */
export const paymentRequestSchema: z.ZodType<PaymentRequest> = z.strictObject(
  { amount, currency, reference, description: z.optional(description) },
  { error: (issue) => (issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined) },
);

/** Describes a payment in answers. */
export const paymentSchema: z.ZodType<Payment> = z.strictObject({
  paymentId: z.string().regex(/^payment_[0-9a-z]{26}$/),
  clientId: z.string(),
  status: z.enum(['pending', 'completed', 'cancelled']),
  amount,
  currency,
  reference,
  description: z.optional(description),
  createdAt: timestamp,
  completedAt: z.optional(timestamp),
  cancelledAt: z.optional(timestamp),
});

/** Describes the answer of `GET /v1/payments`. */
export const paymentListSchema: z.ZodType<PaymentList> = pageSchema(paymentSchema);
