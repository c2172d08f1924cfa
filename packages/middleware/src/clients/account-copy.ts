import { NetworkWhitelist } from '@countersign/contract/network';
import { countsIn, type Permission } from '@countersign/contract/permissions';
import { readStoredKey, type RegisteredClient } from '@countersign/gate';
import type { AuditEvent, Client, Key, NetworkWhitelistContent, Page, Role } from '@countersign/contract';
import { isProfileId, profileOf } from '@countersign/signature/profile';
import { KnownClient } from './known-client.ts';
import type { ManagementReader } from './management-reader.ts';

/** A copy of one account's clients. */
export interface AccountCopy {
  clientById(clientId: string): RegisteredClient | undefined;
  /**
   * Brings the copy up to date. Rejects if the service cannot be read; the copy is then unchanged and out of
   * date.
   */
  look(): Promise<void>;
}

/**
 * Copies an account. Every change of the registry has an audit event, written together with it, so the newest
 * event shows whether anything has changed, and the events since then show what.
 *
 * @param accountId the signer's own account if undefined
 * @param onError receives what makes a client unusable here
 */
export async function openAccountCopy(
  read: ManagementReader,
  accountId: string | undefined,
  onError: (error: unknown) => void,
): Promise<AccountCopy> {
  const copy = new FollowedAccount(read, accountId, onError);
  await copy.look();
  return copy;
}

class FollowedAccount implements AccountCopy {
  readonly #read: ManagementReader;
  readonly #ofAccount: string;
  /** A Map, because any name is a legal clientId, even `__proto__`. */
  #records = new Map<string, ClientDetails>();
  #clients = new Map<string, KnownClient>();
  #permissionsByRole: ReadonlyMap<string, readonly Permission[]> = new Map();
  /** Undefined until everything was read, and after a failed read. */
  #lastEventId: string | undefined;
  #pollCount = 0;
  readonly #onError: (error: unknown) => void;
  readonly #reported = new Set<string>();

  constructor(read: ManagementReader, accountId: string | undefined, onError: (error: unknown) => void) {
    this.#read = read;
    this.#onError = onError;
    this.#ofAccount = accountId === undefined ? '' : `&accountId=${encodeURIComponent(accountId)}`;
  }

  clientById(clientId: string): RegisteredClient | undefined {
    return this.#clients.get(clientId);
  }

  async look(): Promise<void> {
    const last = this.#lastEventId;
    // A time that no event has reached only changes the URL, so that no two polls have the same signature.
    const to = new Date(endOfTimeMs + (this.#pollCount++ % pollsMax)).toISOString();
    const { data: events } = await this.#page<AuditEvent>(`/v1/audit-events?limit=100&to=${to}`);
    const newest = events[0]?.eventId ?? '';
    if (newest === last) return;
    // If anything fails on the way, the next poll reads everything.
    this.#lastEventId = undefined;
    const known = events.findIndex(({ eventId }) => eventId === last);
    const isOfAll = ({ action }: AuditEvent): boolean => /^(account|policy)\./.test(action);
    const since = events.slice(0, Math.max(known, 0));
    if (known < 0 || since.some(isOfAll)) await this.#readAll();
    else await this.#readChanged(since);
    this.#lastEventId = newest;
  }

  async #readAll(): Promise<void> {
    await this.#readRoles();
    const clients = await this.#list<Client>('/v1/clients?limit=100');
    const records = new Map<string, ClientDetails>();
    for (let start = 0; start < clients.length; start += readsAtOnce) {
      const some = clients.slice(start, start + readsAtOnce);
      for (const details of await Promise.all(some.map((client) => this.#details(client))))
        records.set(details.client.clientId, details);
    }
    this.#records = records;
    this.#use();
  }

  async #readChanged(events: readonly AuditEvent[]): Promise<void> {
    const targets = events.flatMap((event) => event.targets);
    const isOfRoles = targets.some(({ type }) => type === 'role');
    const clientIds = new Set(targets.flatMap(({ type, id }) => (type === 'client' ? [id] : [])));
    if (isOfRoles) await this.#readRoles();
    for (const clientId of clientIds) {
      const client = (await this.#read(pathOf(clientId))) as Client | undefined;
      if (client) this.#records.set(clientId, await this.#details(client));
      else this.#records.delete(clientId);
    }
    this.#use(isOfRoles ? undefined : clientIds);
  }

  async #readRoles(): Promise<void> {
    const roles = await this.#list<Role>('/v1/roles?limit=100');
    this.#permissionsByRole = new Map(
      roles.map(({ name, permissions, unknownPermissions = [] }) => [
        name,
        permissions.filter(
          (permission) =>
            !unknownPermissions.includes(permission) && countsIn({ isOperator: false }, permission),
        ),
      ]),
    );
  }

  async #details(client: Client): Promise<ClientDetails> {
    const path = pathOf(client.clientId);
    const [keys, network] = await Promise.all([
      this.#list<Key>(`${path}/keys?limit=100`, ''),
      this.#read(`${path}/network-whitelist`) as Promise<NetworkWhitelistContent | undefined>,
    ]);
    // A client that disappeared meanwhile has an event that the next poll finds.
    return { client, keys, network: network?.entries.map(({ entry }) => entry) ?? [] };
  }

  /** Rebuilds these clients, or all. Nothing is awaited, so a request sees all of the changes or none. */
  #use(clientIds: ReadonlySet<string> = new Set([...this.#records.keys(), ...this.#clients.keys()])): void {
    for (const clientId of clientIds) {
      const details = this.#records.get(clientId);
      if (details === undefined || details.client.status === 'revoked') this.#clients.delete(clientId);
      else this.#clients.set(clientId, this.#clientOf(details));
    }
  }

  #clientOf({ client, keys, network }: ClientDetails): KnownClient {
    const { clientId, accountId, name, roles, allowExplanations } = client;
    // A service from before profiles says it with a switch.
    const profile: string = client.profile ?? profileOf({ acceptWithoutDate: client.acceptWithoutDate });
    const isProfileKnown = isProfileId(profile);
    if (!isProfileKnown) this.#reportOnce(clientId, profile);
    const parts = {
      clientId,
      accountId,
      name,
      status: client.status === 'active' && isProfileKnown ? ('active' as const) : ('disabled' as const),
      profile: isProfileKnown ? profile : ('countersign' as const),
      allowExplanations,
      roles,
      permissions: new Set(roles.flatMap((role) => this.#permissionsByRole.get(role) ?? [])),
      network: NetworkWhitelist.fromTexts(network),
      storedKeys: keys.filter(isUsable).flatMap((key) => storedKeyOf(key) ?? []),
    };
    return new KnownClient(parts, Date.now);
  }

  /** A newer service may have profiles whose rules are not known here. */
  #reportOnce(clientId: string, profile: string): void {
    if (this.#reported.has(clientId)) return;
    this.#reported.add(clientId);
    const cause = `has the profile ${JSON.stringify(profile)}, which this version of the middleware does not know`;
    this.#onError(
      new Error(`The client ${clientId} ${cause}. Its requests are rejected: update the middleware.`),
    );
  }

  async #list<Element>(target: string, ofAccount: string = this.#ofAccount): Promise<Element[]> {
    const elements: Element[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page<Element> = await this.#page(`${target}${cursor}`, ofAccount);
      elements.push(...page.data);
      cursor = page.nextCursor === null ? null : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    return elements;
  }

  async #page<Element>(target: string, ofAccount: string = this.#ofAccount): Promise<Page<Element>> {
    const page = (await this.#read(`${target}${ofAccount}`)) as Page<Element> | undefined;
    if (page === undefined) throw new Error(`The service does not know GET ${target}${ofAccount}.`);
    return page;
  }
}

/** What the API says about a client, in three responses. */
interface ClientDetails {
  readonly client: Client;
  readonly keys: readonly Key[];
  readonly network: readonly string[];
}

function isUsable({ status }: Key): boolean {
  return status !== 'revoked' && status !== 'expired';
}

function storedKeyOf(key: Key): ReturnType<typeof readStoredKey> {
  return readStoredKey({
    keyId: key.keyId,
    fingerprint: key.fingerprint,
    spkiPem: key.publicKeyPem ?? '',
    algorithm: key.algorithm,
    isPending: key.status === 'pending',
    startsAtMs: timeOf(key.startsAt),
    endsAtMs: timeOf(key.endsAt),
  });
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function pathOf(clientId: string): string {
  return `/v1/clients/${encodeURIComponent(clientId)}`;
}

const endOfTimeMs = Date.UTC(9999, 0);
/** Fewer than the milliseconds left in that year. */
const pollsMax = 1e10;
const readsAtOnce = 8;
