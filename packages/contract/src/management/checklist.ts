import { z } from 'zod';

/** How far an account has come with its first client. */
export interface Checklist {
  readonly hasClient: boolean;
  /** The oldest client that is there. */
  readonly firstClientId?: string | undefined;
  /** Whether a request of a client was ever accepted. */
  readonly hasAcceptedRequest: boolean;
  /** Whether there are clients, and none of them may call from everywhere. */
  readonly hasRestrictedNetwork: boolean;
  /** Whether a key was ever replaced by another one. */
  readonly hasRotatedKey: boolean;
}

/** Describes a checklist in answers. */
export const checklistSchema: z.ZodType<Checklist> = z.strictObject({
  hasClient: z.boolean(),
  firstClientId: z.optional(z.string()),
  hasAcceptedRequest: z.boolean(),
  hasRestrictedNetwork: z.boolean(),
  hasRotatedKey: z.boolean(),
});
