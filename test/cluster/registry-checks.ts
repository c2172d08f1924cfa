import type { AuditTarget } from '@countersign/contract';
import type { Signer } from '@countersign/signature/node';
import type { PostgresServer } from '@countersign/testing/postgres-server';
import { baseUrl } from '@countersign/testing/running-service';
import type { Answer } from '../crash/caller.ts';
import type { NodeProcess } from './node-process.ts';
import { type ClientSubject, differenceOfClient, differenceOfRole, type Subject } from './subjects.ts';
import type { Writer } from './writer.ts';

/** Nothing may change during the checks. */
export interface CheckParts {
  readonly server: PostgresServer;
  readonly database: string;
  readonly nodes: readonly NodeProcess[];
  readonly writers: readonly Writer[];
  readonly onViolation: (text: string) => void;
}

interface EventRow {
  readonly version: string;
  readonly action: string;
  readonly actor_kind: string;
  readonly targets: string;
  readonly request_id: string | null;
}

/** Checks that the writers' changes, the audit events, the version log and what each node shows agree. */
export async function checkRegistry(parts: CheckParts): Promise<{ readonly events: number }> {
  const events = await checkEvents(parts);
  await Promise.all(parts.nodes.map((node) => checkNode(parts, node)));
  return { events };
}

async function checkEvents({ server, database, writers, onViolation }: CheckParts): Promise<number> {
  const events = await server.query<EventRow>(
    'select version, action, actor_kind, targets, request_id from audit_events order by version',
    database,
  );
  const changes = await server.query<{ version: string; of_event: string | null; last: string }>(
    `select registry_changes.version, audit_events.version as of_event,
      (select version from registry_version) as last
    from registry_changes left join audit_events using (version) order by version`,
    database,
  );
  for (const [index, { version, of_event: event }] of changes.entries()) {
    if (event === null) onViolation(`change ${version} has no audit event`);
    if (Number(version) !== index + 1) onViolation(`version ${index + 1} is missing`);
  }
  if (Number(changes.at(-1)?.last) !== changes.length || events.length !== changes.length)
    onViolation(`${events.length} events and ${changes.length} changes up to ${changes.at(-1)?.last}`);
  checkRequests(events, writers, onViolation);
  checkSubjects(events, writers, onViolation);
  return events.length;
}

/** Checks that each acknowledged request has one event, and no rejected request has any. */
function checkRequests(
  events: readonly EventRow[],
  writers: readonly Writer[],
  onViolation: (text: string) => void,
): void {
  const byRequest = Map.groupBy(events, (event) => event.request_id);
  for (const { acknowledged, refused } of writers) {
    for (const [requestId, action] of acknowledged) {
      const actions = byRequest.get(requestId)?.map((event) => event.action);
      if (actions?.join() !== action) onViolation(`${requestId} has done ${action}: ${String(actions)}`);
    }
    for (const requestId of refused)
      if (byRequest.has(requestId)) onViolation(`${requestId} was refused, and is in the audit log`);
  }
}

/** Checks that each client and role went through its writer's changes, once each and in order. */
function checkSubjects(
  events: readonly EventRow[],
  writers: readonly Writer[],
  onViolation: (text: string) => void,
): void {
  const known = new Map<string, Subject>(
    writers.flatMap(({ clients, roles }) => [...clients, ...roles]).map((subject) => [subject.id, subject]),
  );
  // A key becomes active by its first use, and the operator's additions were there before.
  const made = events.filter(
    ({ actor_kind: kind, action }) => kind === 'client' && action !== 'key.activated',
  );
  const bySubject = Map.groupBy(made, ({ targets }) => (JSON.parse(targets) as AuditTarget[]).at(-1)!.id);
  for (const id of bySubject.keys()) if (!known.has(id)) onViolation(`nobody knows ${id}, which was changed`);
  for (const { id, actions } of known.values()) {
    const found = (bySubject.get(id) ?? []).map(({ action }) => action);
    if (found.join() !== actions.join())
      onViolation(`${id}: events ${found.join()}, and changes ${actions.join()}`);
  }
}

/** Checks that a node shows the writers' state and decides by it. */
async function checkNode({ writers, onViolation }: CheckParts, node: NodeProcess): Promise<void> {
  for (const { administrator, clients, roles } of writers) {
    const read = (path: string): Promise<Answer> => get(node, administrator.signer, path);
    for (const client of clients) {
      const path = `/v1/clients/${client.id}`;
      const differs = differenceOfClient(client, await read(path), await read(`${path}/network-whitelist`));
      if (differs !== undefined) onViolation(`${client.id} is ${differs}`);
    }
    for (const role of roles) {
      const differs = differenceOfRole(role, await read(`/v1/roles/${role.id}`));
      if (differs !== undefined) onViolation(`${role.id} is ${differs}`);
    }
    const whoami = await get(node, administrator.clientSigner, '/v1/whoami');
    const { client } = administrator;
    const expected = decisionOn(client);
    const decision = whoami.code ?? JSON.stringify([whoami.body['name'], whoami.body['roles']]);
    if (decision !== expected) onViolation(`${client.id} is answered ${decision} instead of ${expected}`);
  }
}

function decisionOn({ isDisabled, entries, name, roles }: ClientSubject): string {
  if (isDisabled) return 'client_disabled';
  return entries.includes('127.0.0.1') ? JSON.stringify([name, roles]) : 'network_not_allowed';
}

async function get(node: NodeProcess, signer: Signer, path: string): Promise<Answer> {
  return node.send({ signed: signer.sign({ method: 'GET', url: baseUrl + path }) });
}
