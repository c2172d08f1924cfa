import type { Client, ClientRequest, NetworkWhitelistContent } from '@countersign/contract';
import type { NetworkItem } from '../network/network-item.ts';

/** What is edited of a client; its key has a box of its own. */
export interface ClientForm {
  readonly name: string;
  readonly network: readonly NetworkItem[];
  readonly roles: readonly string[];
  readonly allowExplanations: boolean;
  readonly acceptWithoutDate: boolean;
}

/** What a new client begins with. */
export const emptyClientForm: ClientForm = {
  name: '',
  network: [],
  roles: [],
  allowExplanations: false,
  acceptWithoutDate: false,
};

/** A client as it is, to be edited. */
export function clientFormOf(client: Client, whitelist: NetworkWhitelistContent): ClientForm {
  return {
    name: client.name,
    network: whitelist.entries.map(({ entry, label }) => ({ entry, label })),
    roles: client.roles,
    allowExplanations: client.allowExplanations,
    acceptWithoutDate: client.acceptWithoutDate,
  };
}

/** The body that registers it. */
export function clientRequestOf(form: ClientForm, publicKey: string | undefined): ClientRequest {
  const { name, network, roles, allowExplanations, acceptWithoutDate } = form;
  return {
    name: name.trim(),
    networkWhitelist: network.map(({ entry, label }) =>
      label.trim() === '' ? { entry } : { entry, label: label.trim() },
    ),
    roles,
    ...(publicKey !== undefined && { publicKey }),
    ...(allowExplanations && { allowExplanations }),
    ...(acceptWithoutDate && { acceptWithoutDate }),
  };
}

/** What differs between two versions of a client, by the request that saves it. */
export interface ClientFormChanges {
  /** Name, roles or settings. */
  readonly client: boolean;
  readonly network: boolean;
}

/** Compares two versions; the order of roles counts for nothing, that of the network neither. */
export function clientFormChanges(one: ClientForm, other: ClientForm): ClientFormChanges {
  return {
    client:
      one.name.trim() !== other.name.trim() ||
      one.allowExplanations !== other.allowExplanations ||
      one.acceptWithoutDate !== other.acceptWithoutDate ||
      sorted(one.roles) !== sorted(other.roles),
    network: sorted(one.network.map(networkText)) !== sorted(other.network.map(networkText)),
  };
}

function networkText({ entry, label }: NetworkItem): string {
  return JSON.stringify([entry, label.trim()]);
}

function sorted(texts: readonly string[]): string {
  return JSON.stringify(texts.toSorted());
}
