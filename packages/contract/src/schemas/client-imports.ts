import { z } from 'zod';
import { bulkLimits } from '../limits.ts';
import { body, type Shape } from './parts.ts';

const rowsAdvice = `Give 1 to ${bulkLimits.importedMax} clients.`;

const result = z.strictObject({
  outcome: z.enum(['added', 'failed']).describe('Whether it was registered.'),
  clientId: z.optional(z.string()).describe('Its client ID; none in a dry run.'),
  isNameTaken: z
    .boolean()
    .describe('Whether another client in the account or in this request has the same name.'),
  errors: z
    .array(
      z.strictObject({
        pointer: z.string().describe('The field of the client, as a JSON Pointer (RFC 6901).'),
        detail: z.string().describe('How to fix it.'),
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
          `The clients: at most ${bulkLimits.importedMax}, each with the fields of a \`ClientRequest\`, except \`clientId\` and \`accountId\`. Each is checked separately.`,
        ),
      dryRun: z
        .optional(z.boolean({ error: 'Write true or false.' }))
        .describe('Whether to register nothing and only return what would happen. Default: false.'),
    },
    'The clients to register.',
    {
      clients: [{ name: 'Billing', networkWhitelist: [{ entry: '203.0.113.0/24' }], tags: ['partner'] }],
      dryRun: true,
    },
  ),
  ClientsImport: z
    .strictObject({
      isDryRun: z.boolean().describe('Whether this was a dry run.'),
      added: z.int().describe('How many clients were registered.'),
      failed: z.int().describe('How many were not.'),
      results: z.array(result).describe('What happened to each client, in the order of the request.'),
    })
    .describe('The result of an import. Each client is registered completely or not at all.'),
};

export type ClientsImportRequest = Shape<typeof clientImportSchemas.ClientsImportRequest>;
export type ClientsImport = Shape<typeof clientImportSchemas.ClientsImport>;
