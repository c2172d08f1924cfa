import type { ClientRecord, LocalRegistry } from '@countersign/server/local-registry';
import { type Command, defineCommand } from '../command.ts';
import { finishWithClient } from '../registry/finish-client.ts';
import { registryOptions, withRegistry } from '../registry/open-registry.ts';
import { clientAsJson } from '../registry/show-client.ts';
import { tableLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';

const clientId = { name: 'CLIENT_ID', help: 'The clientId, as "countersign clients list" shows it.' };
const pageLength = 100;

/** `countersign clients list` */
export const clientsList: Command = defineCommand({
  name: 'clients list',
  summary: 'Lists the clients, with the state of each.',
  arguments: [],
  options: registryOptions,
  examples: [{ what: 'all clients of the service in this folder', line: 'countersign clients list' }],
  async execute({ values }, io) {
    const clients = await withRegistry(values, io, readAll);
    if (values.json) writeJson(io, { ok: true, data: clients.map(clientAsJson) });
    else if (clients.length === 0)
      io.errors.write('There are no clients yet: countersign clients add --help\n');
    else io.output.write(tableLines(['CLIENT ID', 'STATUS', 'KEYS', 'ROLES', 'NAME'], clients.map(row)));
    return 'ok';
  },
});

/** `countersign clients show` */
export const clientsShow: Command = defineCommand({
  name: 'clients show',
  summary: 'Shows a client: its keys with their fingerprints, its network and its roles.',
  arguments: [clientId],
  options: registryOptions,
  examples: [{ what: 'one client', line: 'countersign clients show client_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.showClient(id));
    return finishWithClient(client, undefined, values.json, io);
  },
});

/** `countersign clients disable` */
export const clientsDisable: Command = defineCommand({
  name: 'clients disable',
  summary: 'Refuses the requests of a client from now on, until it is enabled again.',
  arguments: [clientId],
  options: registryOptions,
  notes: ['A running service refuses its requests within a second.'],
  examples: [{ what: 'stop a client', line: 'countersign clients disable client_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.disableClient(id));
    return finishWithClient(client, 'The client is disabled.', values.json, io);
  },
});

/** `countersign clients enable` */
export const clientsEnable: Command = defineCommand({
  name: 'clients enable',
  summary: 'Accepts the requests of a disabled client again.',
  arguments: [clientId],
  options: registryOptions,
  examples: [{ what: 'let it call again', line: 'countersign clients enable client_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.enableClient(id));
    return finishWithClient(client, 'The client is enabled.', values.json, io);
  },
});

async function readAll(registry: LocalRegistry): Promise<ClientRecord[]> {
  const clients: ClientRecord[] = [];
  for (;;) {
    const last = clients.at(-1);
    const page = await registry.listClients({
      limit: pageLength,
      ...(last !== undefined && { afterClientId: last.clientId }),
    });
    clients.push(...page);
    if (page.length < pageLength) return clients;
  }
}

function row({ clientId: id, status, keys, roles, name }: ClientRecord): string[] {
  const usable = keys.filter((key) => key.status !== 'revoked').length;
  return [id, status, String(usable), roles.join(','), name];
}
