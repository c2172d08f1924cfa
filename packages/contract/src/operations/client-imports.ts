import { bulkLimits, clientLabelLimits, clientRolesMax, networkLimits } from '../limits.ts';
import { defineOperations } from './operation.ts';

const { tagsMax, metadataEntriesMax } = clientLabelLimits;
/** The number of its other members, with some to spare. */
const otherMembersMax = 40;
/** A network entry is an item with two members. */
const clientMembersMax =
  3 * networkLimits.entriesMax + clientRolesMax + tagsMax + metadataEntriesMax + otherMembersMax;

export const clientImportOperations = defineOperations('Clients', {
  importClients: {
    method: 'POST',
    path: '/v1/client-imports',
    summary: 'Register many clients at once, or check them first',
    permission: 'clients:write',
    takesIdempotencyKey: true,
    needsStepUp: true,
    takesLargeBodies: true,
    bodyMembersMax: bulkLimits.importedMax * clientMembersMax,
    body: 'ClientsImportRequest',
    answer: 'ClientsImport',
  },
});
