import {
  ApiError,
  type Client,
  type ClientRequest,
  type NetworkWhitelistContent,
} from '@countersign/contract';
import { emptyKeyInputState, type KeyInputState } from '../../../components/key-input/key-input-state.ts';
import type { NetworkItem } from '../../../network/network-item.ts';

/** The part of a client that its forms save, apart from its key. */
export interface ClientContent {
  readonly name: string;
  readonly network: readonly NetworkItem[];
  readonly roles: readonly string[];
  readonly profile: string;
  readonly allowExplanations: boolean;
}

export interface ClientForm extends ClientContent {
  readonly publicKey: KeyInputState;
  /** The text in the field for the next network entry. */
  readonly draft: string;
}

/** The members in the order of the page, which the summary of mistakes follows. */
export const emptyClientForm: ClientForm = {
  name: '',
  network: [],
  publicKey: emptyKeyInputState,
  roles: [],
  profile: 'countersign',
  allowExplanations: false,
  draft: '',
};

export function clientContentOf(client: Client, whitelist: NetworkWhitelistContent): ClientContent {
  return {
    name: client.name,
    network: whitelist.entries.map(({ entry, label }) => ({ entry, label })),
    roles: client.roles,
    allowExplanations: client.allowExplanations,
    profile: client.profile,
  };
}

/** Returns the body that registers the client. */
export function clientRequestOf(
  content: ClientContent,
  { key, algorithm }: Pick<KeyInputState, 'key' | 'algorithm'> = emptyKeyInputState,
): ClientRequest {
  const { name, network, roles, allowExplanations, profile } = content;
  return {
    name: name.trim(),
    networkWhitelist: network.map(({ entry, label }) =>
      label.trim() === '' ? { entry } : { entry, label: label.trim() },
    ),
    roles,
    ...(key !== undefined && { publicKey: key.publicKeyPem }),
    ...(key !== undefined && algorithm !== undefined && { algorithm }),
    ...(allowExplanations && { allowExplanations }),
    ...(profile !== 'countersign' && { profile }),
  };
}

/** Differences between two versions, by the request that saves them. */
export interface ClientChanges {
  /** Name, roles or settings. */
  readonly client: boolean;
  readonly network: boolean;
}

/** Compares two versions. The order of roles and network entries does not matter. */
export function clientChanges(one: ClientContent, other: ClientContent): ClientChanges {
  return {
    client:
      one.name.trim() !== other.name.trim() ||
      one.allowExplanations !== other.allowExplanations ||
      one.profile !== other.profile ||
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

type ClientField = 'name' | 'network' | 'publicKey' | 'roles' | 'profile';

/** By field; a single network entry has the key that `entryKey` returns. */
export type ClientMistakes = Readonly<Record<string, string>>;

export function entryKey(entry: string): string {
  return `network ${entry}`;
}

export interface ClientFormWords {
  readonly nameMissing: string;
  readonly nameTooLong: (length: number, max: number) => string;
  readonly networkMissing: string;
  readonly networkPending: string;
}

const nameLengthMax = 100;

/** Returns the mistakes that can be found without the service. */
export function checkForm({ name, network, draft }: ClientForm, words: ClientFormWords): ClientMistakes {
  const mistakes: Partial<Record<ClientField, string>> = {};
  if (name.trim() === '') mistakes.name = words.nameMissing;
  else if (name.trim().length > nameLengthMax)
    mistakes.name = words.nameTooLong(name.trim().length, nameLengthMax);
  if (draft.trim() !== '') mistakes.network = words.networkPending;
  else if (network.length === 0) mistakes.network = words.networkMissing;
  return mistakes;
}

/** Assigns a rejection to the fields that its code or JSON Pointers name. Undefined if it concerns none. */
export function mistakesOfRefusal(error: unknown, form: ClientContent): ClientMistakes | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const ofCode = fieldOfCode[error.code];
  const mistakes: Record<string, string> = ofCode === undefined ? {} : { [ofCode]: error.detail };
  for (const { pointer, detail } of error.errors) {
    const index = /^\/(?:networkWhitelist|entries)\/(\d+)(?:\/|$)/.exec(pointer)?.[1];
    const item = index === undefined ? undefined : form.network[Number(index)];
    if (item !== undefined) mistakes[entryKey(item.entry)] = detail;
    const field = fieldOfPointer(pointer);
    if (field !== undefined) mistakes[field] ??= detail;
  }
  return Object.keys(mistakes).length === 0 ? undefined : mistakes;
}

function fieldOfPointer(pointer: string): ClientField | undefined {
  if (pointer === '/name') return 'name';
  if (pointer === '/publicKey' || pointer === '/algorithm') return 'publicKey';
  if (pointer === '/profile') return 'profile';
  if (/^\/(?:networkWhitelist|entries)(?:\/|$)/.test(pointer)) return 'network';
  return /^\/roles(?:\/|$)/.test(pointer) ? 'roles' : undefined;
}

/** Codes that concern one field, whatever the body. */
const fieldOfCode: Readonly<Record<string, ClientField | undefined>> = {
  key_registered: 'publicKey',
  keys_too_many: 'publicKey',
  private_key_refused: 'publicKey',
  permission_not_held: 'roles',
  network_whitelist_full: 'network',
};
