import type { ClientReadiness, Page, UnattributedRequests } from '@countersign/contract';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { type ExitName, usageError } from '../exits.ts';
import { baseUrlOption, type ManagementApi, openManagementApi } from '../sending/call-api.ts';
import { credentialNote, credentialOptions } from '../signing/credentials.ts';
import { requestOptions } from '../signing/outgoing-request.ts';
import type { Io } from '../terminal/io.ts';
import { tableLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';

const options = {
  days: { type: 'string', placeholder: 'NUMBER', help: 'How many days to look back: 1 to 31. Default 7.' },
  unattributed: {
    type: 'boolean',
    help: 'Also list where requests come from that name no client. For the operator only.',
  },
  account: {
    type: 'string',
    placeholder: 'ID',
    help: 'The account whose clients to list, for the operator. Default: the one that the credentials belong to.',
  },
  'base-url': baseUrlOption,
  ...credentialOptions,
  nonce: requestOptions.nonce,
} as const satisfies OptionTable;

export const routesReady: Command = defineCommand({
  name: 'routes ready',
  summary: 'Shows which clients are ready for enforcing routes, based on what observing routes let through.',
  arguments: [],
  options,
  notes: [
    'A client is ready if one of its requests was accepted in this time, and none was rejected in the last 24 ' +
      'hours. "silent" is a client that sent none. Exits with 0 if all clients are ready, and with 1 if not; ' +
      'silent disabled clients and the client that signs do not count. With --unattributed, requests without a ' +
      'client also count as not ready.',
    credentialNote,
  ],
  examples: [
    { what: 'who is ready?', line: 'countersign routes ready --credentials admin.json' },
    {
      what: 'in a script, before "mode": "enforce"',
      line: 'countersign routes ready --credentials operator.json --unattributed --json && ./enforce.sh',
    },
  ],
  execute,
});

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<ExitName> {
  const from = beginning(values.days ?? '7', io.nowMs());
  const api = await openManagementApi(values, io);
  const clients = await readAll(api, from, values.account);
  const unattributed = values.unattributed
    ? await api.read<UnattributedRequests>('/v1/unattributed-requests', { from })
    : undefined;
  const isReady = areAllReady(clients, api.clientId) && !hasRequests(unattributed);
  if (values.json) {
    writeJson(io, { ok: isReady, from, data: clients, ...(unattributed && { unattributed }) });
  } else {
    io.output.write(clients.length === 0 ? 'There are no clients yet.\n' : clientTable(clients));
    if (unattributed) io.output.write(`\n${sourceText(unattributed)}`);
  }
  return isReady ? 'ok' : 'refused';
}

function beginning(text: string, nowMs: number): string {
  const days = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 31) throw usageError('--days must be a whole number from 1 to 31.');
  return new Date(nowMs - days * 86_400_000).toISOString();
}

async function readAll(
  api: ManagementApi,
  from: string,
  accountId: string | undefined,
): Promise<ClientReadiness[]> {
  const clients: ClientReadiness[] = [];
  for (let cursor: string | undefined; ;) {
    const query = { limit: '100', from, accountId, cursor };
    const { data, nextCursor } = await api.read<Page<ClientReadiness>>('/v1/readiness', query);
    clients.push(...data);
    if (nextCursor === null) return clients;
    cursor = nextCursor;
  }
}

/**
 * Returns true if there are clients and all are ready. A client that may not call has nothing to prove, and
 * the signing client has just proved it.
 */
function areAllReady(clients: readonly ClientReadiness[], ownClientId: string): boolean {
  const hasProved = ({ clientId, status, readiness }: ClientReadiness): boolean =>
    readiness === 'ready' || (readiness === 'silent' && (status === 'disabled' || clientId === ownClientId));
  return clients.length > 0 && clients.every(hasProved);
}

function hasRequests(unattributed: UnattributedRequests | undefined): boolean {
  return unattributed !== undefined && unattributed.items.length + unattributed.otherRequests > 0;
}

const readyWords = { ready: 'yes', not_ready: 'no', silent: 'silent' } as const;

function clientTable(clients: readonly ClientReadiness[]): string {
  const rows = clients.map(({ clientId, name, accepted, refused, codes, lastRefusal, readiness }) => [
    clientId,
    String(accepted),
    String(refused),
    lastRefusal?.outcome ?? codes[0]?.outcome ?? '-',
    readyWords[readiness],
    name,
  ]);
  return tableLines(['CLIENT ID', 'ACCEPTED', 'REFUSED', 'LAST CODE', 'READY', 'NAME'], rows);
}

function sourceText({ items, otherRequests }: UnattributedRequests): string {
  if (items.length + otherRequests === 0) return 'No request without a client was let through.\n';
  const rows = items.map(({ source, requests, codes, lastAt }) => [
    source,
    String(requests),
    codes.map(({ outcome }) => outcome).join(', '),
    lastAt,
  ]);
  const others = otherRequests === 0 ? '' : `${otherRequests} more came from elsewhere.\n`;
  return `Requests that name no client:\n${tableLines(['FROM', 'REQUESTS', 'CODES', 'LAST'], rows)}${others}`;
}
