import { z } from 'zod';
import { isReadableName } from './readable-text.ts';

const nameAdvice =
  'Write a name of 1 to 100 characters, without control characters and without space at its start or end.';

/** A name that people read. */
export const nameSchema: z.ZodType<string, string> = z
  .string({ error: nameAdvice })
  .refine(isReadableName, { error: nameAdvice });

/**
 * Whether a text can be a clientId: visible ASCII that can stand in a signature as it is (RFC 9651 section 3.3.3:
 * quotes and backslashes would have to be escaped there), and no segment that means something else in a path.
 */
export function isClientId(text: string): boolean {
  return /^[!#-[\]-~]{1,256}$/.test(text) && text !== '.' && text !== '..';
}

/** A clientId that the operator chooses, for a client that moves here from elsewhere. */
export const clientIdSchema: z.ZodType<string, string> = z
  .string({ error: 'Write the clientId as text, or leave it out.' })
  .refine(isClientId, {
    error:
      'Write a clientId of 1 to 256 visible ASCII characters, without spaces, double quotes and backslashes.',
  });

const roleNameAdvice =
  'Write the name of a role with 1 to 64 lower-case letters, digits and single hyphens between them.';

/** The name of a role, as clients are given it. */
export const roleNameSchema: z.ZodType<string, string> = z
  .string({ error: roleNameAdvice })
  .max(64, { error: roleNameAdvice })
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: roleNameAdvice });
