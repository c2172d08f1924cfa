import { z } from 'zod';
import { networkLimits } from '../limits.ts';
import { readNetworkEntry, readPortalNetworkEntry } from '../network/network-entry.ts';
import { isNetworkLabel, plainPatterns } from '../readable-text.ts';
import { body, createdAt, type Shape, timestamp } from './parts.ts';
import { text } from './query-parameters.ts';

const labelAdvice = 'Write a label of at most 100 characters, without control characters, or leave it out.';

const entryObject = {
  error: ({ code }: { readonly code?: string }) =>
    code === 'invalid_type' ? 'Write an entry as an object with the field entry.' : undefined,
};

const label = z
  .optional(
    z
      .string({ error: labelAdvice })
      .refine(isNetworkLabel, { error: labelAdvice })
      .meta({ maxLength: 100, pattern: plainPatterns.line }),
  )
  .describe('A label: at most 100 characters.');

/** One entry in a request. */
export const networkEntry = z
  .strictObject(
    {
      entry: entryText(readNetworkEntry).describe(
        'An address, a network such as `203.0.113.0/24`, or `0.0.0.0` for any address. Stored in canonical form.',
      ),
      label,
    },
    entryObject,
  )
  .meta({
    description: 'A whitelist entry.',
    examples: [{ entry: '2001:db8::/32', label: 'Office' }],
  });

/** One of the networks from which an account's people may use the portal, in a request. */
export const portalNetworkEntry = z
  .strictObject(
    {
      entry: entryText(readPortalNetworkEntry).describe(
        'An address, or a network such as `203.0.113.0/24`. Stored in canonical form.',
      ),
      label,
    },
    entryObject,
  )
  .describe('An allowed network.');

function entryText(read: typeof readNetworkEntry): z.ZodString {
  return z
    .string({ error: 'Write an address or network as text.' })
    .check((context) => {
      const reading = read(context.value);
      if (!reading.ok)
        context.issues.push({ code: 'custom', message: reading.message, input: context.value });
    })
    .meta({ minLength: 1 });
}

export const networkWhitelistSchemas = {
  NetworkWhitelist: z
    .strictObject({
      entries: z
        .array(
          z.strictObject({
            entry: z.string().describe('An address or a network.'),
            label: z.string().describe('Its name.'),
            createdAt: createdAt.describe('When it was added.'),
            lastSeenAt: z
              .optional(timestamp)
              .describe(
                'When the last accepted request came from there; updated with a delay of some seconds.',
              ),
          }),
        )
        .describe('The entries, in canonical form.'),
    })
    .describe('Where a client can call from.'),
  NetworkEntryRequest: networkEntry,
  NetworkWhitelistRequest: body(
    {
      entries: z
        .array(networkEntry, { error: 'Write the entries as a list.' })
        .min(1, { error: networkLimits.emptyAdvice })
        .max(networkLimits.entriesMax, { error: networkLimits.tooManyAdvice })
        .describe('All entries: 1 to 1,000.'),
    },
    'The whole whitelist.',
    { entries: [{ entry: '203.0.113.7' }] },
  ),
  NetworkAddressTest: z
    .strictObject({
      address: z.string().describe('The address in canonical form.'),
      isAllowed: z.boolean().describe('Whether a request from there is allowed.'),
      entries: z.array(z.string()).describe('The entries that allow it.'),
    })
    .describe('Whether a whitelist allows an address.'),
};

export const networkWhitelistQueries = {
  NetworkAddressQuery: {
    address: {
      ...text('address', 45, 'The IPv4 or IPv6 address that a request would come from'),
      isRequired: true,
    },
  },
} as const;

export type NetworkWhitelistContent = Shape<typeof networkWhitelistSchemas.NetworkWhitelist>;
export type WhitelistEntry = NetworkWhitelistContent['entries'][number];
export type NetworkEntryRequest = Shape<typeof networkEntry>;
export type NetworkWhitelistRequest = Shape<typeof networkWhitelistSchemas.NetworkWhitelistRequest>;
export type NetworkAddressTest = Shape<typeof networkWhitelistSchemas.NetworkAddressTest>;
