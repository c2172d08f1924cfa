import { ApiError } from '@countersign/contract';
import type { FieldError } from '../../../components/form-summary.tsx';
import type { ClientForm } from './client-form.ts';

/** The parts of the form that something can be wrong with. */
export type ClientField = 'name' | 'network' | 'publicKey' | 'roles';

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
export interface FormErrorWords {
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
