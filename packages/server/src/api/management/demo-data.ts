import { countDemoData, removeDemoData } from '../../registry/store/demo-data.ts';
import { defineHandlers } from '../handlers.ts';

export const demoDataHandlers = defineHandlers(({ database, change }) => ({
  getDemoData: async (_input, { caller }) => ({
    status: 200,
    body: await countDemoData(database, caller.accountId),
  }),

  removeDemoData: (_input, request) =>
    change(request, async (transaction, context) => ({
      status: 200,
      body: await removeDemoData(transaction, request.caller.accountId, context),
    })),
}));
