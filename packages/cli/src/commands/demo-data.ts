import { type Command, defineCommand } from '../command.ts';
import { registryOptions, withRegistry } from '../registry/open-registry.ts';
import { writeJson } from '../terminal/report.ts';

export const demoDataRemove: Command = defineCommand({
  name: 'demo-data remove',
  summary: 'Removes the demo data: clients, requests and what came with them.',
  arguments: [],
  options: registryOptions,
  notes: ['Clients, requests and audit events that are not demo data stay.'],
  examples: [{ what: 'start with an empty account', line: 'countersign demo-data remove' }],
  async execute({ values }, io) {
    const removed = await withRegistry(values, io, (registry) => registry.removeDemoData());
    const { clients, requests } = removed;
    if (values.json) writeJson(io, { ok: true, data: removed });
    else if (clients === 0) io.errors.write('There is no demo data.\n');
    else io.output.write(`Removed ${clients} demo clients and ${requests} requests.\n`);
    return 'ok';
  },
});
