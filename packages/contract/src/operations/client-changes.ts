import { defineOperations } from './operation.ts';

export const clientChangeOperations = defineOperations('Clients', {
  changeClients: {
    method: 'POST',
    path: '/v1/client-changes',
    summary: 'Change many clients of the account at once, or preview that',
    permission: 'clients:write',
    needsStepUp: true,
    body: 'ClientsChangeRequest',
    answer: 'ClientsChange',
  },
});
