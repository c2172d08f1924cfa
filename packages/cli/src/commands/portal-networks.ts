import { type Command, defineCommand } from '../command.ts';
import { registryOptions, withRegistry } from '../registry/open-registry.ts';
import { writeJson } from '../terminal/report.ts';

export const portalNetworksClear: Command = defineCommand({
  name: 'portal-networks clear',
  summary: "Empties an account's list of networks from which its people may use the portal.",
  arguments: [{ name: 'ACCOUNT_ID', help: 'The accountId, as the portal and the audit log show it.' }],
  options: registryOptions,
  notes: [
    'For people who have locked themselves out, such as after a move to another office.',
    "Applies to the next request. The account's audit log shows it.",
  ],
  examples: [
    {
      what: 'let people use the account from everywhere',
      line: 'countersign portal-networks clear account_…',
    },
  ],
  async execute({ values, positionals: [accountId = ''] }, io) {
    const removed = await withRegistry(values, io, (registry) => registry.clearPortalNetworks(accountId));
    const entries = removed.map(({ entry }) => entry);
    if (values.json) writeJson(io, { ok: true, data: { accountId, removed: entries } });
    else if (entries.length === 0) io.errors.write('The list was empty already.\n');
    else io.output.write(`Removed ${entries.join(', ')}. The account can be used from everywhere.\n`);
    return 'ok';
  },
});
