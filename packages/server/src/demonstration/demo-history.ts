import type { Actor, StoreContext } from '../registry/store/context.ts';
import { moveClient } from '../registry/store/client-states.ts';
import { addClient, updateClient } from '../registry/store/clients.ts';
import { markDemoData } from '../registry/store/demo-data.ts';
import { addKey, expireKey, proveKey } from '../registry/store/key-changes.ts';
import { addNetworkEntry, removeNetworkEntry } from '../registry/store/networks.ts';
import type { Database } from '../storage/transaction.ts';
import { type DemoClient, demoClients, demoMembers } from './demo-clients.ts';
import type { RegisteredDemoClient } from './demo-decisions.ts';
import type { DemoKey } from './demo-keys.ts';
import { pick, type Random } from './seeded-random.ts';

/** A member of the demo account's team, in the order of `demoMembers`. */
export interface DemoActor {
  readonly userId: string;
  readonly name: string;
  readonly address: string;
}

export interface HistoryOptions {
  readonly database: Database;
  readonly accountId: string;
  readonly keys: ReadonlyMap<DemoClient, readonly DemoKey[]>;
  readonly members: readonly DemoActor[];
  readonly random: Random;
  readonly endMs: number;
  readonly signal: AbortSignal;
}

interface Step {
  readonly atMs: number;
  readonly actor: Actor | (() => Actor);
  readonly run: (database: Database, context: StoreContext) => Promise<unknown>;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
const upkeep: Actor = { kind: 'system', id: 'upkeep' };

/**
 * Makes the demo clients' past changes, in order of time, each with the same code as a real change. Each is
 * marked in its own transaction, so that everything written can be removed.
 */
export async function writeHistory(options: HistoryOptions): Promise<RegisteredDemoClient[]> {
  const { database, accountId, endMs, signal } = options;
  const registered = new Map<DemoClient, RegisteredDemoClient>();
  const steps = demoClients
    .flatMap((client) => stepsOf(client, options, registered))
    .filter(({ atMs }) => atMs < endMs)
    .toSorted((one, other) => one.atMs - other.atMs);
  for (const { atMs, actor, run } of steps) {
    signal.throwIfAborted();
    const by = typeof actor === 'function' ? actor() : actor;
    const context = { nowMs: Math.round(atMs), actor: by, keyPolicy: {} };
    await markDemoData(database, accountId, (transaction) => run(transaction, context));
  }
  return [...registered.values()];
}

function stepsOf(
  client: DemoClient,
  { accountId, keys, members, random, endMs }: HistoryOptions,
  registered: Map<DemoClient, RegisteredDemoClient>,
): Step[] {
  const clientKeys = keys.get(client)!;
  const [admin, first, second] = members;
  const developer = (): Actor => actorOf(pick(random, [first!, second!]));
  const known = (): RegisteredDemoClient => registered.get(client)!;
  const learn = (record: Awaited<ReturnType<typeof addKey>>): void => {
    const found = clientKeys.flatMap((key) => {
      const stored = record.keys.find(({ createdAtMs }) => createdAtMs === key.addedAtMs);
      return stored ? [{ ...key, keyId: stored.keyId, fingerprint: stored.fingerprint }] : [];
    });
    registered.set(client, { client, accountId, clientId: record.clientId, keys: found });
  };
  const [firstKey] = clientKeys;
  const { name, network, roles, tags } = client;
  const addedAtMs = firstKey!.addedAtMs;
  const spare = { entry: '192.0.2.240', label: 'Set-up' };
  return [
    {
      atMs: addedAtMs,
      actor: developer(),
      run: async (database, context) =>
        learn(
          await addClient(
            database,
            { accountId, name, network: [...network, spare], roles, tags, publicKey: firstKey!.publicKey },
            context,
          ),
        ),
    },
    {
      atMs: addedAtMs + (20 + random() * 30) * minuteMs,
      actor: developer(),
      run: (database, context) => removeNetworkEntry(database, known().clientId, spare.entry, context),
    },
    ...clientKeys.flatMap((key, index) =>
      keySteps(key, index, { client, clientKeys, known, learn, developer }),
    ),
    ...laterSteps(client, actorOf(admin!), endMs, random, () => known().clientId),
  ];
}

/**
 * Returns the later changes of a client: most get one more network; the client that is disabled loses a role
 * first.
 */
function laterSteps(
  client: DemoClient,
  actor: Actor,
  endMs: number,
  random: Random,
  clientId: () => string,
): Step[] {
  const { addedDaysAgo, disabledDaysAgo } = client;
  if (disabledDaysAgo === undefined) {
    const entry = { entry: `192.0.2.${128 + demoClients.indexOf(client)}`, label: 'Disaster recovery' };
    return [
      {
        atMs: endMs - addedDaysAgo * dayMs * (0.2 + random() * 0.6),
        actor,
        run: (database, context) => addNetworkEntry(database, clientId(), entry, context),
      },
    ];
  }
  const disabledAtMs = endMs - disabledDaysAgo * dayMs;
  return [
    {
      atMs: disabledAtMs,
      actor,
      run: (database, context) => moveClient(database, clientId(), 'disable', context),
    },
    {
      atMs: disabledAtMs + 4 * minuteMs,
      actor,
      run: (database, context) => updateClient(database, clientId(), { roles: ['payments-reader'] }, context),
    },
  ];
}

interface KeyParts {
  readonly client: DemoClient;
  readonly clientKeys: readonly DemoKey[];
  readonly known: () => RegisteredDemoClient;
  readonly learn: (record: Awaited<ReturnType<typeof addKey>>) => void;
  readonly developer: () => Actor;
}

function keySteps(key: DemoKey, index: number, { client, known, learn, developer }: KeyParts): Step[] {
  const keyId = (): string => known().keys[index]!.keyId;
  return [
    ...(index === 0
      ? []
      : [
          {
            atMs: key.addedAtMs,
            actor: developer(),
            run: async (database: Database, context: StoreContext) =>
              learn(await addKey(database, known().clientId, { publicKey: key.publicKey }, context)),
          },
        ]),
    {
      atMs: key.usedFromMs,
      actor: () => ({
        kind: 'client',
        id: known().clientId,
        sourceAddress: client.addresses[0]!.address,
      }),
      run: (database, context) => proveKey(database, known().clientId, keyId(), context),
    },
    {
      atMs: key.endsAtMs,
      actor: upkeep,
      run: (database, context) => expireKey(database, known().clientId, keyId(), context),
    },
  ];
}

/** Returns the team, with made-up ids if there is no portal. */
export function actorsOf(userIds: readonly string[]): DemoActor[] {
  return demoMembers.map(({ name, address }, index) => ({ userId: userIds[index]!, name, address }));
}

function actorOf({ userId, name, address }: DemoActor): Actor {
  return { kind: 'person', id: userId, name, sourceAddress: address };
}
