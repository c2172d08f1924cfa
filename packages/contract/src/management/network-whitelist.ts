import { z } from 'zod';
import { readNetworkEntry } from '../network/network-entry.ts';
import { timestampSchema } from '../pages.ts';
import { type QueryParameter, text } from '../query-parameters.ts';
import { isReadableText } from '../readable-text.ts';

/** What a whitelist may hold. */
export const networkLimits: {
  readonly entriesMax: number;
  readonly emptyAdvice: string;
  readonly tooManyAdvice: string;
} = {
  entriesMax: 1000,
  emptyAdvice:
    'Give at least one address or network that the client calls from, or 0.0.0.0 for everyone: an empty whitelist would refuse every request.',
  tooManyAdvice: 'Give at most 1000 entries: use networks for many addresses.',
};

/** An entry as it is given. */
export interface NetworkEntryRequest {
  /** An address, a network such as `203.0.113.0/24`, or `0.0.0.0` for everyone. It is kept in its canonical text. */
  readonly entry: string;
  /** What people call it. */
  readonly label?: string | undefined;
}

/** An entry as it is shown. */
export interface WhitelistEntry {
  readonly entry: string;
  readonly label: string;
  readonly createdAt: string;
  /** When the last accepted request came from there; written in batches, so some seconds late. */
  readonly lastSeenAt?: string | undefined;
}

/** The network whitelist of a client. */
export interface NetworkWhitelistContent {
  readonly entries: readonly WhitelistEntry[];
}

/** The body of `PUT /v1/clients/{clientId}/network-whitelist`. */
export interface NetworkWhitelistRequest {
  readonly entries: readonly NetworkEntryRequest[];
}

/** The answer of `GET /v1/clients/{clientId}/network-whitelist/test`. */
export interface NetworkAddressTest {
  /** The address in its canonical text. */
  readonly address: string;
  readonly isAllowed: boolean;
  /** The entries that allow it. */
  readonly entries: readonly string[];
}

const labelAdvice = 'Write a label of at most 100 characters, without control characters, or leave it out.';

/** Whether a text can be the label of an entry. */
export function isNetworkLabel(label: string): boolean {
  return isReadableText(label, 100);
}

/** Checks one entry. */
export const networkEntryRequestSchema: z.ZodType<NetworkEntryRequest> = z.strictObject(
  {
    entry: z.string({ error: 'Write an address or network as text.' }).check((context) => {
      const reading = readNetworkEntry(context.value);
      if (!reading.ok)
        context.issues.push({ code: 'custom', message: reading.message, input: context.value });
    }),
    label: z.optional(z.string({ error: labelAdvice }).refine(isNetworkLabel, { error: labelAdvice })),
  },
  {
    error: (issue) =>
      issue.code === 'invalid_type' ? 'Write an entry as an object with the member entry.' : undefined,
  },
);

/** Checks the body that replaces a whitelist. */
export const networkWhitelistRequestSchema: z.ZodType<NetworkWhitelistRequest> = z.strictObject(
  {
    entries: z
      .array(networkEntryRequestSchema, { error: 'Write the entries as a list.' })
      .min(1, { error: networkLimits.emptyAdvice })
      .max(networkLimits.entriesMax, { error: networkLimits.tooManyAdvice }),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'Send one JSON object.' : undefined) },
);

/** Describes a whitelist in answers. */
export const networkWhitelistSchema: z.ZodType<NetworkWhitelistContent> = z.strictObject({
  entries: z.array(
    z.strictObject({
      entry: z.string(),
      label: z.string(),
      createdAt: timestampSchema,
      lastSeenAt: z.optional(timestampSchema),
    }),
  ),
});

/** Describes the answer of the test of an address. */
export const networkAddressTestSchema: z.ZodType<NetworkAddressTest> = z.strictObject({
  address: z.string(),
  isAllowed: z.boolean(),
  entries: z.array(z.string()),
});

/** The query of the test of an address. */
export const networkTestParameters: {
  readonly address: QueryParameter<string> & { readonly isRequired: true };
} = {
  address: {
    ...text('address', 45, 'The IPv4 or IPv6 address that a request would come from'),
    isRequired: true,
  },
};
