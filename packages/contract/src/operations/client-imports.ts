import { defineOperations } from './operation.ts';

export const clientImportOperations = defineOperations('Clients', {
  importClients: {
    method: 'POST',
    path: '/v1/client-imports',
    summary: 'Register many clients at once, or check them first',
    permission: 'clients:write',
    takesIdempotencyKey: true,
    needsStepUp: true,
    takesLargeBodies: true,
    body: 'ClientsImportRequest',
    answer: 'ClientsImport',
  },
});
