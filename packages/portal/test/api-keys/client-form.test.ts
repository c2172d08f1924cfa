import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, type ApiErrorCode } from '@countersign/contract';
import {
  checkForm,
  clientChanges,
  clientRequestOf,
  emptyClientForm,
  entryKey,
  mistakesOfRefusal,
} from '../../src/pages/api-keys/form/client-form.ts';

const words = {
  nameMissing: 'no name',
  nameTooLong: (length: number, max: number): string => `${length} of ${max}`,
  networkMissing: 'no network',
  networkPending: 'not added',
};
const form = {
  ...emptyClientForm,
  name: ' Web shop ',
  network: [
    { entry: '203.0.113.7', label: ' Office ' },
    { entry: '198.51.100.0/24', label: '' },
  ],
  roles: ['payments-operator', 'auditor'],
};

describe('the form of a client', () => {
  it('is not sent without name and network, or while an address stands in the field', () => {
    assert.deepEqual(checkForm(emptyClientForm, words), {
      name: 'no name',
      network: 'no network',
    });
    assert.deepEqual(checkForm({ ...form, name: 'x'.repeat(101) }, words), { name: '101 of 100' });
    assert.deepEqual(checkForm({ ...form, draft: '203.0.113.9' }, words), { network: 'not added' });
    assert.deepEqual(checkForm({ ...form, draft: ' ' }, words), {});
  });

  it('becomes the body of the request, and holds a key only when there is one', () => {
    assert.deepEqual(clientRequestOf(form), {
      name: 'Web shop',
      networkWhitelist: [{ entry: '203.0.113.7', label: 'Office' }, { entry: '198.51.100.0/24' }],
      roles: ['payments-operator', 'auditor'],
    });
    const key = {
      publicKeyPem: 'PEM',
      fingerprint: undefined,
      description: '',
      kind: 'rsa',
      claimed: undefined,
      format: 'spki',
    } as const;
    const explained = { ...form, allowExplanations: true };
    assert.equal(clientRequestOf(explained, { key }).publicKey, 'PEM');
    assert.ok(!('algorithm' in clientRequestOf(explained, { key })));
    assert.equal(clientRequestOf(explained, { key, algorithm: 'PS256' }).algorithm, 'PS256');
  });

  it('is changed by what counts, not by order and spaces', () => {
    const same = {
      ...form,
      name: 'Web shop',
      network: form.network.toReversed(),
      roles: form.roles.toReversed(),
    };
    assert.deepEqual(clientChanges(form, same), { client: false, network: false });
    assert.deepEqual(clientChanges(form, { ...form, roles: [] }), { client: true, network: false });
    assert.deepEqual(clientChanges(form, { ...form, network: form.network.slice(1) }), {
      client: false,
      network: true,
    });
    const relabelled = { ...form, network: form.network.map((item) => ({ ...item, label: 'New' })) };
    assert.equal(clientChanges(form, relabelled).network, true);
  });
});

describe('what the service refuses', () => {
  const refusal = (
    code: ApiErrorCode,
    errors: readonly { pointer: string; detail: string }[] = [],
  ): ApiError => new ApiError({ code, status: 400, title: 'title', detail: 'what to do', errors });

  it('is tied to the field that the JSON Pointer names, and to the entry', () => {
    const mistakes = mistakesOfRefusal(
      refusal('body_invalid', [
        { pointer: '/name', detail: 'bad name' },
        { pointer: '/networkWhitelist/1/entry', detail: 'bad entry' },
        { pointer: '/roles/0', detail: 'no such role' },
      ]),
      form,
    );
    assert.deepEqual(mistakes, {
      name: 'bad name',
      network: 'bad entry',
      [entryKey('198.51.100.0/24')]: 'bad entry',
      roles: 'no such role',
    });
    assert.deepEqual(Object.keys(emptyClientForm).slice(0, 4), ['name', 'network', 'publicKey', 'roles']);
  });

  it('is tied by its code where that is about one field', () => {
    assert.deepEqual(mistakesOfRefusal(refusal('key_registered'), form), { publicKey: 'what to do' });
    assert.deepEqual(mistakesOfRefusal(refusal('permission_not_held'), form), { roles: 'what to do' });
  });

  it('is about the whole form otherwise', () => {
    assert.equal(mistakesOfRefusal(refusal('storage_unavailable'), form), undefined);
    assert.equal(
      mistakesOfRefusal(refusal('body_invalid', [{ pointer: '/constructor', detail: 'x' }]), form),
      undefined,
    );
    assert.equal(mistakesOfRefusal(new Error('x'), form), undefined);
  });
});
