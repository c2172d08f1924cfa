import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, type ApiErrorCode } from '@countersign/contract';
import {
  checkForm,
  clientChangeOf,
  clientRequestOf,
  emptyClientForm,
  entryKey,
  mistakesOfRefusal,
} from '../../src/pages/api-keys/form/client-form.ts';
import { changedMembers } from '../../src/pages/api-keys/form/client-merge.ts';

const words = {
  nameMissing: 'no name',
  nameTooLong: (length: number, max: number): string => `${length} of ${max}`,
  networkMissing: 'no network',
  networkPending: 'not added',
  tagsWrong: 'no tag',
  metadataWrong: (line: number): string => `line ${line}`,
  limitWrong: 'no number',
  limitTooHigh: (max: number): string => `above ${max}`,
  keyEndPast: 'over',
  keyEndWithoutKey: 'no key',
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

  it('is not sent with tags, notes or limits that the service would reject', () => {
    const further = {
      tags: ['No Tag'],
      metadata: 'a = 1\nb',
      requestsPerMinuteMax: '0',
      requestsBurstMax: '1e3',
    };
    assert.deepEqual(checkForm({ ...form, ...further }, words), {
      tags: 'no tag',
      metadata: 'line 2',
      requestsPerMinuteMax: 'no number',
      requestsBurstMax: 'no number',
    });
    assert.deepEqual(checkForm({ ...form, requestsBurstMax: '10000001' }, words), {
      requestsBurstMax: 'no number',
    });
    assert.deepEqual(
      checkForm({ ...form, tags: ['eu'], metadata: '', requestsPerMinuteMax: ' 60 ' }, words),
      {},
    );
  });

  it('sends no more of a client than what was changed', () => {
    const before = { ...form, metadata: 'owner = Ada\nteam = 1', requestsPerMinuteMax: '60' };
    const after = { ...before, tags: ['eu'], metadata: 'owner = Ben', requestsPerMinuteMax: '' };
    assert.deepEqual(clientChangeOf(before, before), {});
    assert.deepEqual(clientChangeOf(before, after), {
      tags: ['eu'],
      metadata: { team: null, owner: 'Ben' },
      requestsPerMinuteMax: null,
    });
  });

  it('is changed by what counts, not by order and spaces', () => {
    const same = {
      ...form,
      name: 'Web shop',
      network: form.network.toReversed(),
      roles: form.roles.toReversed(),
    };
    assert.deepEqual(changedMembers(form, same), []);
    assert.deepEqual(changedMembers(form, { ...form, roles: [] }), ['roles']);
    assert.deepEqual(changedMembers(form, { ...form, network: form.network.slice(1) }), ['network']);
    const relabelled = { ...form, network: form.network.map((item) => ({ ...item, label: 'New' })) };
    assert.deepEqual(changedMembers(form, relabelled), ['network']);
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

  it('has an expiry for a key, which must be in the future', () => {
    const publicKey = { ...emptyClientForm.publicKey, key: { publicKeyPem: 'PEM' } as never };
    const far = '2999-12-31T12:00';
    assert.deepEqual(checkForm({ ...form, keyEnd: '2020-01-01T12:00', publicKey }, words), {
      keyEnd: 'over',
    });
    assert.deepEqual(checkForm({ ...form, keyEnd: 'no time', publicKey }, words), { keyEnd: 'over' });
    assert.deepEqual(checkForm({ ...form, keyEnd: far }, words), { keyEnd: 'no key' });
    assert.deepEqual(checkForm({ ...form, keyEnd: far, publicKey }, words), {});
    const { keyEndsAt = '' } = clientRequestOf(form, publicKey, far);
    assert.ok(Math.abs(Date.parse(keyEndsAt) - Date.parse(`${far}Z`)) <= 86_400_000, keyEndsAt);
    assert.equal(clientRequestOf(form, publicKey).keyEndsAt, undefined);
    assert.equal(clientRequestOf(form, emptyClientForm.publicKey, far).keyEndsAt, undefined);
    const refused = refusal('body_invalid', [{ pointer: '/keyEndsAt', detail: 'too early' }]);
    assert.deepEqual(mistakesOfRefusal(refused, form), { keyEnd: 'too early' });
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
