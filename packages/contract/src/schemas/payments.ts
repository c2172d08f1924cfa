import { z } from 'zod';
import { currencies } from '../currencies.ts';
import { plainPatterns } from '../readable-text.ts';
import { body, createdAt, page, type Shape, timestamp } from './parts.ts';

const amountMax = 999_999_999_999;

// Visible characters only: letters, marks, numbers, punctuation, symbols, and spaces inside. Control and
// formatting characters and halves of surrogate pairs would hide something, or change in storage.
const reference = z
  .string({ error: 'Write the reference as text.' })
  .regex(/^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}(?<! )$/u, {
    error: 'Write 1 to 64 visible characters, with spaces only between them.',
  })
  .meta({ minLength: 1, maxLength: 64, pattern: plainPatterns.name })
  .describe("The caller's own name for the payment; need not be unique.");
const description = z
  .optional(
    z
      .string({ error: 'Write the description as text, or leave it out.' })
      .regex(/^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}(?<! )$/u, {
        error:
          'Write 1 to 256 visible characters, with spaces only between them, or leave the description out.',
      })
      .meta({ minLength: 1, maxLength: 256, pattern: plainPatterns.name }),
  )
  .describe('What it is for.');
const amountAdvice = `Write the amount as a whole number of minor units from 1 to ${amountMax}.`;
const amount = z
  .int({ error: amountAdvice })
  .min(1, { error: amountAdvice })
  .max(amountMax, { error: amountAdvice })
  .describe("The amount in the currency's minor unit, as a whole number: cents for EUR, yen for JPY.");
const currency = z
  .enum(currencies, { error: 'Write the currency as an ISO 4217 code in capitals, such as EUR.' })
  .describe('An ISO 4217 code.');

const payment = z
  .strictObject({
    paymentId: z
      .string()
      .regex(/^payment_[0-9a-z]{26}$/)
      .describe("The payment's ID."),
    clientId: z.string().describe('The client that created it.'),
    status: z
      .enum(['pending', 'completed', 'cancelled'])
      .describe('Its status; `completed` and `cancelled` are final.'),
    amount,
    currency,
    reference,
    description,
    createdAt,
    completedAt: z.optional(timestamp).describe('When it was completed, if it was.'),
    cancelledAt: z.optional(timestamp).describe('When it was cancelled, if it was.'),
  })
  .describe('A sandbox payment.');

export const paymentSchemas = {
  Payment: payment,
  PaymentPage: page(payment, 'A page of payments.', 'The payments, newest first.'),
  PaymentRequest: body({ amount, currency, reference, description }, 'The payment to create.', {
    amount: 1250,
    currency: 'EUR',
    reference: 'Invoice 7',
  }),
};

export type Payment = Shape<typeof payment>;
export type PaymentStatus = Payment['status'];
export type PaymentRequest = Shape<typeof paymentSchemas.PaymentRequest>;
