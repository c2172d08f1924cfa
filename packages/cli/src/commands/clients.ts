import { isProfileName } from '@countersign/contract/ids';
import { publicKeyForms } from '@countersign/signature/node';
import { isProfileId } from '@countersign/signature/profile';
import type { ClientRecord, LocalRegistry } from '@countersign/server/local-registry';
import type { OptionTable } from '../arguments/options.ts';
import { readTime } from '../arguments/read-arguments.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import { checkedAlgorithm, keyAlgorithmOption } from '../registry/key-algorithm-option.ts';
import { registryOptions, withRegistry } from '../registry/open-registry.ts';
import { withRoutes } from '../registry/open-routes.ts';
import { clientAsJson, finishWithClient } from '../registry/show-client.ts';
import type { Io } from '../terminal/io.ts';
import { metadataOf } from '../registry/metadata-option.ts';
import { tableLines } from '../terminal/layout.ts';
import { writeJson, writeNote } from '../terminal/report.ts';

const clientId = { name: 'CLIENT_ID', help: 'The clientId, as "countersign clients list" shows it.' };
const pageLength = 100;

export const clientsList: Command = defineCommand({
  name: 'clients list',
  summary: 'Lists the clients and their state.',
  arguments: [],
  options: {
    tag: { type: 'string', placeholder: 'TAG', help: 'Only clients with this tag.' },
    ...registryOptions,
  },
  examples: [
    { what: 'all clients of the service in this folder', line: 'countersign clients list' },
    { what: 'those with a tag', line: 'countersign clients list --tag partner' },
  ],
  async execute({ values }, io) {
    const { tag } = values;
    const all = await withRegistry(values, io, readAll);
    const clients = tag === undefined ? all : all.filter(({ tags }) => tags.includes(tag));
    if (values.json) writeJson(io, { ok: true, data: clients.map(clientAsJson) });
    else if (all.length > 0 && clients.length === 0) io.errors.write('No client has this tag.\n');
    else if (clients.length === 0)
      io.errors.write('There are no clients yet: countersign clients add --help\n');
    else
      io.output.write(tableLines(['CLIENT ID', 'STATUS', 'KEYS', 'ROLES', 'TAGS', 'NAME'], clients.map(row)));
    return 'ok';
  },
});

export const clientsShow: Command = defineCommand({
  name: 'clients show',
  summary: 'Shows a client: keys with fingerprints, network whitelist and roles.',
  arguments: [clientId],
  options: registryOptions,
  examples: [{ what: 'one client', line: 'countersign clients show client_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.showClient(id));
    return finishWithClient(client, undefined, values.json, io);
  },
});

export const clientsDisable: Command = defineCommand({
  name: 'clients disable',
  summary: "Rejects a client's requests until it is enabled again.",
  arguments: [clientId],
  options: registryOptions,
  notes: ['A running service rejects its requests within a second.'],
  examples: [{ what: 'stop a client', line: 'countersign clients disable client_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.disableClient(id));
    return finishWithClient(client, 'The client is disabled.', values.json, io);
  },
});

export const clientsEnable: Command = defineCommand({
  name: 'clients enable',
  summary: "Accepts a disabled client's requests again.",
  arguments: [clientId],
  options: registryOptions,
  examples: [{ what: 'let it call again', line: 'countersign clients enable client_…' }],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.enableClient(id));
    return finishWithClient(client, 'The client is enabled.', values.json, io);
  },
});

export const clientsRefreshDirectory: Command = defineCommand({
  name: 'clients refresh-directory',
  summary: "Fetches a client's directory of keys now, instead of when it is due.",
  arguments: [clientId],
  options: registryOptions,
  notes: ['A running service fetches it within seconds. Possible once a minute for each client.'],
  examples: [
    { what: 'after the client has a new key', line: 'countersign clients refresh-directory client_…' },
  ],
  async execute({ values, positionals: [id = ''] }, io) {
    const client = await withRegistry(values, io, (registry) => registry.refreshDirectory(id));
    return finishWithClient(client, 'The service fetches the directory within seconds.', values.json, io);
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

function row({ clientId: id, status, keys, roles, tags, name }: ClientRecord): string[] {
  const usable = keys.filter((key) => key.status !== 'revoked').length;
  return [id, status, String(usable), roles.join(','), tags.join(','), name];
}

const options = {
  name: { type: 'string', placeholder: 'NAME', help: 'Name for people.' },
  key: {
    type: 'string',
    placeholder: 'FILE',
    help: `Public key: ${publicKeyForms}.`,
  },
  algorithm: keyAlgorithmOption,
  network: {
    type: 'string',
    multiple: true,
    placeholder: 'ADDRESS',
    help: 'An address or network it calls from, such as 203.0.113.7 or 203.0.113.0/24. 0.0.0.0 allows any address.',
  },
  role: { type: 'string', multiple: true, placeholder: 'ROLE', help: 'A role, such as payments-operator.' },
  tag: {
    type: 'string',
    multiple: true,
    placeholder: 'TAG',
    help: 'A tag to group clients by, such as partner.',
  },
  metadata: {
    type: 'string',
    multiple: true,
    placeholder: 'KEY=VALUE',
    help: 'A note about the client, such as owner=Ada.',
  },
  'client-id': {
    type: 'string',
    placeholder: 'ID',
    help: 'Its clientId, when it moves here from elsewhere.',
  },
  account: {
    type: 'string',
    placeholder: 'ID',
    help: 'The account it belongs to. Not needed when there is one.',
  },
  profile: {
    type: 'string',
    placeholder: 'NAME',
    help: 'The rules for its signatures, if it does not sign by the closed profile, such as curl-8.22.',
  },
  'accept-without-date': {
    type: 'boolean',
    help: 'Accept its signatures in the earlier form, which does not sign Date: --profile countersign-without-date.',
  },
  'key-ends-at': {
    type: 'string',
    placeholder: 'TIME',
    help: 'When its key expires: RFC 3339, such as 2027-01-31T08:00:00Z, or Unix seconds.',
  },
  'expires-at': {
    type: 'string',
    placeholder: 'TIME',
    help: 'When the client and its keys expire for good. Default: never.',
  },
  create: { type: 'boolean', help: 'Create an empty registry if the data folder has none.' },
  ...registryOptions,
} as const satisfies OptionTable;

export const clientsAdd: Command = defineCommand({
  name: 'clients add',
  summary: 'Registers a client with its public key, and prints its clientId.',
  arguments: [],
  options,
  notes: [
    'A running service accepts the client within a second. Private keys are rejected: register only the public key.',
    'The service rejects the requests of a client whose profile it does not accept. With the same COUNTERSIGN_PROFILES or ' +
      'COUNTERSIGN_CONFIGURATION_FILE as the service, such a profile is rejected here.',
  ],
  examples: [
    {
      what: 'a client that may make payments from anywhere',
      line: 'countersign clients add --name Shop --key public.pem --network 0.0.0.0 --role payments-operator',
    },
    {
      what: 'two places to call from',
      line:
        'countersign clients add --name Books --key public.pem --network 203.0.113.7 --network 2001:db8::/32 --role ' +
        'payments-reader',
    },
    {
      what: 'a client for one evening',
      line:
        'countersign clients add --name Audit --key public.pem --network 203.0.113.7 --role payments-reader ' +
        '--expires-at 2027-01-31T22:00:00Z',
    },
    {
      what: 'a caller that signs with curl, where the service accepts that',
      line: 'countersign clients add --name Cron --key public.pem --network 203.0.113.7 --profile curl-8.22',
    },
  ],
  execute,
});

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  const { name, key, network, role, data, create } = values;
  if (name === undefined) throw usageError('The name is missing: pass --name NAME.');
  if (key === undefined) throw usageError('The public key is missing: pass --key FILE.');
  if (network.length === 0) {
    throw usageError(
      'The network whitelist is missing: pass --network ADDRESS for each address, or --network 0.0.0.0 to allow ' +
        'any address.',
    );
  }
  const profile = profileOf(values);
  const isChecked = await isAccepted(profile, io);
  const algorithm = checkedAlgorithm(values.algorithm);
  const publicKey = await readTextFile(io, key, 'public key');
  const client = await withRegistry({ data, createIfMissing: create }, io, (registry) =>
    registry.addClient({
      name,
      publicKey,
      algorithm,
      network,
      roles: role,
      tags: values.tag,
      metadata: metadataOf(values.metadata),
      clientId: values['client-id'],
      accountId: values.account,
      profile,
      keyEndsAtMs: timeMsOf(values['key-ends-at']),
      expiresAtMs: timeMsOf(values['expires-at']),
    }),
  );
  if (!isChecked)
    writeNote(
      io,
      `this command cannot ask the service which profiles it accepts: its setting profiles must name ${profile}. With the same COUNTERSIGN_PROFILES or COUNTERSIGN_CONFIGURATION_FILE as the service, this command checks that`,
    );
  if (role.length === 0)
    writeNote(
      io,
      'the client has no role, so it may only ask who it is, and call routes that need no permission (--role)',
    );
  return finishWithClient(client, 'The client is registered.', values.json, io);
}

function timeMsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readTime(text) * 1000;
}

/** Returns the profile for the client; undefined for the usual one. */
function profileOf(values: Invocation<typeof options>['values']): string | undefined {
  const { profile } = values;
  if (profile === undefined) return values['accept-without-date'] ? 'countersign-without-date' : undefined;
  if (values['accept-without-date'])
    throw usageError('Pass --profile or --accept-without-date, not both: each names a profile.');
  if (!isProfileName(profile)) {
    throw usageError(
      'A profile has a name of lower-case letters, digits, hyphens and dots: pass --profile NAME, such as --profile curl-8.22.',
    );
  }
  return profile;
}

/**
 * Returns true if the service accepts a profile, and false if its settings are not known here.
 *
 * @throws CommandError if it does not accept it
 */
async function isAccepted(profile: string | undefined, io: Io): Promise<boolean> {
  if (profile === undefined || isProfileId(profile)) return true;
  const accepted = await withRoutes({}, io, ({ acceptedProfileNames }, environment) =>
    acceptedProfileNames(environment),
  );
  if (accepted === undefined) return false;
  if (accepted.includes(profile)) return true;
  throw new CommandError(
    'local',
    'profile_invalid',
    `The service does not accept the profile ${profile}. Its setting profiles accepts: ${accepted.join(', ')}.`,
  );
}
