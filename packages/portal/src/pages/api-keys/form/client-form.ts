import {
  ApiError,
  type Client,
  type ClientChange,
  type ClientRequest,
  isTag,
  nameCharactersMax,
  type NetworkWhitelistContent,
  type RequestLimits,
} from '@countersign/contract';
import { emptyKeyInputState, type KeyInputState } from '../../../components/key-input/key-input-state.ts';
import { isNoFutureTime, readLocalTimeInUtc } from '../../../components/time-words.ts';
import type { NetworkItem } from '../../../network/network-item.ts';
import { changedMembers } from './client-merge.ts';
import { metadataChange, metadataText, readMetadataText } from './metadata-text.ts';

/** The part of a client that its forms save, apart from its key. */
export interface ClientContent {
  readonly name: string;
  readonly network: readonly NetworkItem[];
  readonly roles: readonly string[];
  readonly profile: string;
  readonly allowExplanations: boolean;
  readonly tags: readonly string[];
  /** One `key = value` a line. */
  readonly metadata: string;
  /** As people write them; empty for the account's limit. */
  readonly requestsPerMinuteMax: string;
  readonly requestsBurstMax: string;
}

export interface ClientForm extends ClientContent {
  readonly publicKey: KeyInputState;
  /** When a new key expires, in the person's time zone, as `<input type="datetime-local">` has it; empty for never. */
  readonly keyEnd: string;
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
  tags: [],
  metadata: '',
  requestsPerMinuteMax: '',
  requestsBurstMax: '',
  keyEnd: '',
  draft: '',
};

export function clientContentOf(client: Client, whitelist: NetworkWhitelistContent): ClientContent {
  return {
    name: client.name,
    network: whitelist.entries.map(({ entry, label }) => ({ entry, label })),
    roles: client.roles,
    allowExplanations: client.allowExplanations,
    profile: client.profile,
    tags: client.tags,
    metadata: metadataText(client.metadata),
    requestsPerMinuteMax: client.requestsPerMinuteMax?.toString() ?? '',
    requestsBurstMax: client.requestsBurstMax?.toString() ?? '',
  };
}

/** Returns the body that registers the client. */
export function clientRequestOf(
  content: ClientContent,
  { key, algorithm }: Pick<KeyInputState, 'key' | 'algorithm'> = emptyKeyInputState,
  keyEnd = '',
): ClientRequest {
  const { name, network, roles, allowExplanations, profile, tags } = content;
  const metadata = metadataOf(content);
  const perMinute = limitOf(content.requestsPerMinuteMax);
  const burst = limitOf(content.requestsBurstMax);
  return {
    name: name.trim(),
    networkWhitelist: entriesOf(network),
    roles,
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(perMinute !== null && { requestsPerMinuteMax: perMinute }),
    ...(burst !== null && { requestsBurstMax: burst }),
    ...(key !== undefined && { publicKey: key.publicKeyPem }),
    ...(key !== undefined && algorithm !== undefined && { algorithm }),
    ...(key !== undefined && keyEnd !== '' && { keyEndsAt: readLocalTimeInUtc(keyEnd) }),
    ...(allowExplanations && { allowExplanations }),
    ...(profile !== 'countersign' && { profile }),
  };
}

/** Returns the entries of a whitelist as requests have them. */
export function entriesOf(network: readonly NetworkItem[]): ClientRequest['networkWhitelist'] {
  return network.map(({ entry, label }) =>
    label.trim() === '' ? { entry } : { entry, label: label.trim() },
  );
}

/** Returns the change that leads from one version to another, apart from the network whitelist. */
export function clientChangeOf(before: ClientContent, after: ClientContent): ClientChange {
  const changed = new Set(changedMembers(before, after));
  return {
    ...(changed.has('name') && { name: after.name.trim() }),
    ...(changed.has('roles') && { roles: after.roles }),
    ...(changed.has('allowExplanations') && { allowExplanations: after.allowExplanations }),
    // The service rejects a profile that it no longer accepts, even one that stays as it was.
    ...(changed.has('profile') && { profile: after.profile }),
    ...(changed.has('tags') && { tags: after.tags }),
    ...(changed.has('metadata') && { metadata: metadataChange(metadataOf(before), metadataOf(after)) }),
    ...(changed.has('requestsPerMinuteMax') && {
      requestsPerMinuteMax: limitOf(after.requestsPerMinuteMax),
    }),
    ...(changed.has('requestsBurstMax') && { requestsBurstMax: limitOf(after.requestsBurstMax) }),
  };
}

function metadataOf({ metadata }: ClientContent): Readonly<Record<string, string>> {
  const reading = readMetadataText(metadata);
  return reading.ok ? reading.metadata : {};
}

function limitOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text.trim());
}

type ClientField = Exclude<keyof ClientForm, 'allowExplanations' | 'draft'>;

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
  readonly tagsWrong: string;
  readonly metadataWrong: (line: number) => string;
  readonly limitWrong: string;
  readonly limitTooHigh: (max: number) => string;
  readonly keyEndPast: string;
  readonly keyEndWithoutKey: string;
}

/**
 * Returns the mistakes that can be found without the service.
 *
 * @param limits what the client can get; undefined if that is not known
 */
export function checkForm(form: ClientForm, words: ClientFormWords, limits?: RequestLimits): ClientMistakes {
  const { name, network, draft, tags, keyEnd, publicKey } = form;
  const mistakes: Partial<Record<ClientField, string>> = {};
  if (name.trim() === '') mistakes.name = words.nameMissing;
  else if (name.trim().length > nameCharactersMax)
    mistakes.name = words.nameTooLong(name.trim().length, nameCharactersMax);
  if (draft.trim() !== '') mistakes.network = words.networkPending;
  else if (network.length === 0) mistakes.network = words.networkMissing;
  if (!tags.every(isTag)) mistakes.tags = words.tagsWrong;
  const reading = readMetadataText(form.metadata);
  if (!reading.ok) mistakes.metadata = words.metadataWrong(reading.line);
  if (isNoFutureTime(keyEnd)) mistakes.keyEnd = words.keyEndPast;
  else if (keyEnd !== '' && publicKey.key === undefined) mistakes.keyEnd = words.keyEndWithoutKey;
  for (const limit of ['requestsPerMinuteMax', 'requestsBurstMax'] as const) {
    const max = limits?.[limit].max ?? Infinity;
    if (!isLimit(form[limit])) mistakes[limit] = words.limitWrong;
    else if (Number(form[limit]) > max) mistakes[limit] = words.limitTooHigh(max);
  }
  return mistakes;
}

const limitMax = 10_000_000;

function isLimit(text: string): boolean {
  const figure = text.trim();
  return figure === '' || (/^[1-9][0-9]{0,7}$/.test(figure) && Number(figure) <= limitMax);
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
  if (pointer === '/keyEndsAt') return 'keyEnd';
  const [, member] =
    /^\/(profile|tags|metadata|requestsPerMinuteMax|requestsBurstMax)(?:\/|$)/.exec(pointer) ?? [];
  if (member !== undefined) return member as ClientField;
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
