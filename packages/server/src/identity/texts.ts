import { isReadableName, passwordLimits } from '@countersign/contract';
import { z } from 'zod';

const emailAdvice = 'Write one email address, such as lee@example.com.';
const codeAdvice = 'Write the six digits of the authenticator app.';
const recoveryCodeAdvice = 'Write a recovery code as it was shown.';
const nameAdvice =
  'Write a name of 1 to 100 characters, without control characters and without space around it.';
const passwordAdvice = `Write a password of ${passwordLimits.charactersMin} to ${passwordLimits.charactersMax} characters.`;

/** An email address to sign in with, or to be made a person of. */
export const emailSchema: z.ZodType<string> = z
  .string({ error: emailAdvice })
  .trim()
  .max(254, { error: emailAdvice })
  .pipe(z.email({ error: emailAdvice }));

/** The name of a person. */
export const personNameSchema: z.ZodType<string> = z
  .string({ error: nameAdvice })
  .refine(isReadableName, { error: nameAdvice });

/** A password that is compared with the one that is kept: anything that could be one. */
export const givenPasswordSchema: z.ZodType<string> = z
  .string({ error: passwordAdvice })
  .min(1, { error: passwordAdvice })
  .max(1000, { error: passwordAdvice });

/** A code of an authenticator app; people write a space in the middle. */
export const codeSchema: z.ZodType<string> = z
  .string({ error: codeAdvice })
  .transform((text) => text.replaceAll(/\s/g, ''))
  .refine((text) => /^[0-9]{6}$/.test(text), { error: codeAdvice });

/** A recovery code, with its hyphens or without. */
export const recoveryCodeSchema: z.ZodType<string> = z
  .string({ error: recoveryCodeAdvice })
  .min(1, { error: recoveryCodeAdvice })
  .max(64, { error: recoveryCodeAdvice });

/** The token of a link. */
export const tokenSchema: z.ZodType<string> = z
  .string({ error: 'Send the token of the link.' })
  .min(1, { error: 'Send the token of the link.' })
  .max(200, { error: 'Send the token of the link.' });
