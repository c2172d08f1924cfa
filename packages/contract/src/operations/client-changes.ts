import { defineOperations } from './operation.ts';

export const clientChangeOperations = defineOperations('Clients', {
  changeClients: {
    method: 'POST',
    path: '/v1/client-changes',
    summary: 'Change many clients at once, or preview the change',
    permission: 'clients:write',
    needsStepUp: true,
    takesLargeBodies: true,
    body: 'ClientsChangeRequest',
    answer: 'ClientsChange',
  },
});
