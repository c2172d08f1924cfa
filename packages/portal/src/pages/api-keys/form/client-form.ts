import {
  type Client,
  type ClientRequest,
  type NetworkWhitelistContent,
  ApiError,
} from '@countersign/contract';
import type { NetworkItem } from '../../../network/network-item.ts';
import type { FieldError } from '../../../components/form-summary.tsx';

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

/** The parts of the form that something can be wrong with. */
type ClientField = 'name' | 'network' | 'publicKey' | 'roles';

/** What is wrong, by field, and with single entries of the network by their text. */
export interface ClientFormErrors {
  readonly fields: Readonly<Partial<Record<ClientField, string>>>;
  readonly entries: ReadonlyMap<string, string>;
}

/** Nothing is wrong. */
export const noErrors: ClientFormErrors = { fields: {}, entries: new Map() };

/** The ids of the inputs, for labels, links and tests. */
export const fieldIds: Readonly<Record<ClientField, string>> = {
  name: 'client-name',
  network: 'client-network',
  publicKey: 'client-public-key',
  roles: 'client-roles',
};

/** The words for what is wrong before anything is sent. */
interface FormErrorWords {
  readonly nameMissing: string;
  readonly nameWrong: string;
  readonly networkMissing: string;
  readonly networkPending: string;
}

const nameLengthMax = 100;

/** What can be told without the service. */
export function checkForm(form: ClientForm, draft: string, words: FormErrorWords): ClientFormErrors {
  const name = form.name.trim();
  const fields: Partial<Record<ClientField, string>> = {};
  if (name === '') fields.name = words.nameMissing;
  else if (name.length > nameLengthMax) fields.name = words.nameWrong;
  if (draft.trim() !== '') fields.network = words.networkPending;
  else if (form.network.length === 0) fields.network = words.networkMissing;
  return { fields, entries: new Map() };
}

/** Whether the form can be sent. */
export function isFaultless({ fields, entries }: ClientFormErrors): boolean {
  return Object.keys(fields).length === 0 && entries.size === 0;
}

/** What the service refused, tied to the fields by the JSON Pointer of each member; undefined when it is about no field. */
export function errorsOfRefusal(error: unknown, form: ClientForm): ClientFormErrors | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const ofCode = fieldOfCode[error.code];
  const fields: Partial<Record<ClientField, string>> = ofCode === undefined ? {} : { [ofCode]: error.detail };
  const entries = new Map<string, string>();
  for (const { pointer, detail } of error.errors) {
    const index = /^\/(?:networkWhitelist|entries)\/(\d+)(?:\/|$)/.exec(pointer)?.[1];
    const item = index === undefined ? undefined : form.network[Number(index)];
    if (item !== undefined) entries.set(item.entry, detail);
    const field = fieldOfPointer(pointer);
    if (field !== undefined) fields[field] ??= detail;
  }
  return Object.keys(fields).length === 0 ? undefined : { fields, entries };
}

/** The errors in the order of the fields, for the summary at the top of the form. */
export function summaryOf({ fields }: ClientFormErrors): readonly FieldError[] {
  const order: readonly ClientField[] = ['name', 'network', 'publicKey', 'roles'];
  return order.flatMap((field) => {
    const message = fields[field];
    return message === undefined ? [] : [{ fieldId: fieldIds[field], message }];
  });
}

function fieldOfPointer(pointer: string): ClientField | undefined {
  if (pointer === '/name') return 'name';
  if (pointer === '/publicKey') return 'publicKey';
  if (/^\/(?:networkWhitelist|entries)(?:\/|$)/.test(pointer)) return 'network';
  return /^\/roles(?:\/|$)/.test(pointer) ? 'roles' : undefined;
}

/** Codes that are about one field, whatever the body. */
const fieldOfCode: Readonly<Record<string, ClientField | undefined>> = {
  key_registered: 'publicKey',
  keys_too_many: 'publicKey',
  private_key_refused: 'publicKey',
  permission_not_held: 'roles',
  network_whitelist_full: 'network',
};
