import { z } from 'zod';
import { bulkLimits } from '../limits.ts';
import { body, type Shape } from './parts.ts';

const rowsAdvice = `Give 1 to ${bulkLimits.importedMax} clients.`;

const result = z.strictObject({
  outcome: z.enum(['added', 'failed']).describe('Whether it is registered.'),
  clientId: z.optional(z.string()).describe('Its clientId; in a dry run there is none yet.'),
  isNameTaken: z
    .boolean()
    .describe('Whether another client of the account, or of this request, has its name.'),
  errors: z
    .array(
      z.strictObject({
        pointer: z.string().describe('Where in the client, as a JSON Pointer (RFC 6901).'),
        detail: z.string().describe('What to do about it.'),
      }),
    )
    .describe('Why it failed: everything that is wrong with it.'),
});

export const clientImportSchemas = {
  ClientsImportRequest: body(
    {
      clients: z
        .array(z.record(z.string(), z.unknown(), { error: 'Write a client as an object.' }), {
          error: 'Write the clients as a list.',
        })
        .min(1, { error: rowsAdvice })
        .max(bulkLimits.importedMax, { error: rowsAdvice })
        .describe(
          `The clients: at most ${bulkLimits.importedMax}, each with the members of a \`ClientRequest\`, without \`clientId\` and \`accountId\`. Each is checked by itself.`,
        ),
      dryRun: z
        .optional(z.boolean({ error: 'Write true or false.' }))
        .describe('Whether to register nothing, and only tell what would happen. No, unless set.'),
    },
    'The clients to register.',
    {
      clients: [{ name: 'Billing', networkWhitelist: [{ entry: '203.0.113.0/24' }], tags: ['partner'] }],
      dryRun: true,
    },
  ),
  ClientsImport: z
    .strictObject({
      isDryRun: z.boolean().describe('Whether this is only what would happen.'),
      added: z.int().describe('How many clients are registered.'),
      failed: z.int().describe('How many are not.'),
      results: z.array(result).describe('What happened to each client, in the order of the request.'),
    })
    .describe('What an import did. Each client is registered as a whole or not at all.'),
};

export type ClientsImportRequest = Shape<typeof clientImportSchemas.ClientsImportRequest>;
export type ClientsImport = Shape<typeof clientImportSchemas.ClientsImport>;
