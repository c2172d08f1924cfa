import { isReadableName, passwordLimits } from '@countersign/contract';
import { z } from 'zod';

const emailAdvice = 'Write one email address, such as lee@example.com.';
const codeAdvice = 'Write the six digits of the authenticator app.';
const recoveryCodeAdvice = 'Write a recovery code as it was shown.';
const nameAdvice =
  'Write a name of 1 to 100 characters, without control characters and with no space at the start or end.';
const passwordAdvice = `Write a password of ${passwordLimits.charactersMin} to ${passwordLimits.charactersMax} characters.`;

export const emailSchema: z.ZodType<string> = z
  .string({ error: emailAdvice })
  .trim()
  .max(254, { error: emailAdvice })
  .pipe(z.email({ error: emailAdvice }));

export const personNameSchema: z.ZodType<string> = z
  .string({ error: nameAdvice })
  .refine(isReadableName, { error: nameAdvice });

export const codeSchema: z.ZodType<string> = z
  .string({ error: codeAdvice })
  // People type a space in the middle.
  .transform((text) => text.replaceAll(/\s/g, ''))
  .refine((text) => /^[0-9]{6}$/.test(text), { error: codeAdvice });

/** Accepts anything that could be a password; new ones are also checked for strength. */
export const givenPasswordSchema: z.ZodType<string> = textSchema(1000, passwordAdvice);
export const recoveryCodeSchema: z.ZodType<string> = textSchema(64, recoveryCodeAdvice);
export const tokenSchema: z.ZodType<string> = textSchema(200, 'Send the token of the link.');

function textSchema(charactersMax: number, error: string): z.ZodType<string> {
  return z.string({ error }).min(1, { error }).max(charactersMax, { error });
}
