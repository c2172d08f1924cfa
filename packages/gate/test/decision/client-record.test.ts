import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodylessDraft, type Draft, nowMs, paymentDraft } from '@countersign/testing/draft';
import { publishedKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';

/*
 * The decisions that depend on a client's record: its keys, status, networks and roles, and whether it may
 * omit Date.
 */

const oldPair = publishedKeyPair('rsa-2048-a');
const newPair = publishedKeyPair('rsa-3072-a');

let running: RunningService;
let clientId: string;

before(async () => {
  running = await runService({}, { nowMs });
  ({ clientId } = await running.addClient({ keyPair: oldPair }));
});
after(() => running.close());

const codeFor = async (changes: Partial<Draft> = {}, localAddress?: string): Promise<string> => {
  const draft = bodylessDraft(clientId, { privateKey: oldPair.privateKey, ...changes });
  return codeOf(await sendDraft(running, draft, localAddress));
};

test('status: a disabled client is refused by the next request, an enabled one accepted', async () => {
  assert.equal(await codeFor(), '200');
  await running.change((registry) => registry.disableClient(clientId));
  assert.equal(await codeFor(), 'client_disabled');
  await running.change((registry) => registry.enableClient(clientId));
  assert.equal(await codeFor(), '200');
});

describe('networks', () => {
  const cases: { whitelist: string[]; from: string; code: string }[] = [
    { whitelist: ['0.0.0.0'], from: '127.0.0.9', code: '200' },
    { whitelist: ['127.0.0.1'], from: '127.0.0.2', code: 'network_not_allowed' },
    { whitelist: ['127.0.0.1'], from: '127.0.0.1', code: '200' },
    { whitelist: ['192.0.2.1', '127.0.0.2'], from: '127.0.0.2', code: '200' },
    { whitelist: ['127.0.1.0/24'], from: '127.0.0.1', code: 'network_not_allowed' },
    { whitelist: ['127.0.1.0/24'], from: '127.0.1.77', code: '200' },
    { whitelist: ['::1', '2001:db8::/32'], from: '127.0.0.1', code: 'network_not_allowed' },
    { whitelist: ['::ffff:127.0.0.1'], from: '127.0.0.1', code: '200' },
  ];
  for (const { whitelist, from, code } of cases) {
    test(`${whitelist.join(' ')} and a call from ${from}: ${code}`, async () => {
      await running.change((registry) =>
        registry.setNetwork(
          clientId,
          whitelist.map((entry) => ({ entry })),
        ),
      );
      assert.equal(await codeFor({}, from), code);
    });
  }

  test('a header that names an allowed address means nothing from a stranger', async () => {
    await running.change((registry) => registry.setNetwork(clientId, [{ entry: '127.0.0.1' }]));
    const headers = { 'X-Forwarded-For': '127.0.0.1', 'X-Real-IP': '127.0.0.1', Forwarded: 'for=127.0.0.1' };
    assert.equal(await codeFor({ headers }, '127.0.0.2'), 'network_not_allowed');
    await running.change((registry) => registry.setNetwork(clientId, [{ entry: '0.0.0.0' }]));
  });
});

describe('behind trusted proxies', () => {
  let proxied: RunningService;
  let behind: string;
  before(async () => {
    proxied = await runService({ COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1, 127.0.1.0/24' }, { nowMs });
    ({ clientId: behind } = await proxied.addClient({ network: ['198.51.100.7'] }));
  });
  after(() => proxied.close());

  const seenFrom = async (lines: Record<string, string>, from = '127.0.0.1'): Promise<string> => {
    return codeOf(await sendDraft(proxied, bodylessDraft(behind, { headers: lines }), from));
  };

  const refused: [string, Record<string, string>, string?][] = [
    ['no header', {}],
    ['an empty header', { 'X-Forwarded-For': '' }],
    ['an allowed address left of another', { 'X-Forwarded-For': '198.51.100.7, 203.0.113.9' }],
    ['an allowed address left of nonsense', { 'X-Forwarded-For': '198.51.100.7, unknown' }],
    [
      'an allowed address in an earlier line',
      { 'X-Forwarded-For': '198.51.100.7', 'x-forwarded-for': '203.0.113.9' },
    ],
    ['an allowed address from somebody who is no proxy', { 'X-Forwarded-For': '198.51.100.7' }, '127.0.0.2'],
    ['another header', { Forwarded: 'for=198.51.100.7', 'X-Real-IP': '198.51.100.7' }],
  ];
  for (const [name, headers, from] of refused) {
    test(`refused: ${name}`, async () => {
      assert.equal(await seenFrom(headers, from), 'network_not_allowed');
    });
  }
  const accepted: [string, Record<string, string>, string?][] = [
    ['the right-most address', { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' }],
    ['the right-most address that is no proxy', { 'X-Forwarded-For': '198.51.100.7, 127.0.1.4, 127.0.0.1' }],
    ['over another proxy', { 'X-Forwarded-For': '198.51.100.7' }, '127.0.1.200'],
    ['in two lines', { 'X-Forwarded-For': '203.0.113.9', 'x-forwarded-for': '198.51.100.7' }],
    ['with a port', { 'X-Forwarded-For': '198.51.100.7:4711' }],
    ['in IPv6 form', { 'X-Forwarded-For': '::ffff:198.51.100.7' }],
  ];
  for (const [name, headers, from] of accepted) {
    test(`accepted: ${name}`, async () => {
      assert.equal(await seenFrom(headers, from), '200');
    });
  }
});

describe('roles', () => {
  const permits = async (roles: string[]): Promise<Record<string, string>> => {
    await running.change((registry) => registry.setRoles(clientId, roles));
    const draft = paymentDraft(clientId, { privateKey: oldPair.privateKey });
    return {
      whoami: await codeFor(),
      read: await codeFor({ target: '/v1/payments' }),
      write: codeOf(await sendDraft(running, draft)),
    };
  };
  test('none', async () => {
    assert.deepEqual(await permits([]), {
      whoami: '200',
      read: 'permission_denied',
      write: 'permission_denied',
    });
  });
  test('payments-reader', async () => {
    assert.deepEqual(await permits(['payments-reader']), {
      whoami: '200',
      read: '200',
      write: 'permission_denied',
    });
  });
  test('payments-operator', async () => {
    assert.deepEqual(await permits(['payments-operator']), { whoami: '200', read: '200', write: '201' });
  });
});

describe('keys', () => {
  const signedWith = async (privateKey: string): Promise<string> =>
    codeOf(await sendDraft(running, paymentDraft(clientId, { privateKey })));

  test('each usable key verifies, one that was revoked does not, however often it comes', async () => {
    assert.equal(await signedWith(newPair.privateKey), 'signature_invalid');
    await running.change((registry) => registry.addKey(clientId, newPair.publicKey));
    assert.equal(await signedWith(newPair.privateKey), '201');
    assert.equal(await signedWith(oldPair.privateKey), '201');
    await running.change(async (registry) => {
      const { keys } = await registry.showClient(clientId);
      await registry.revokeKey(clientId, keys.find(({ bits }) => bits === 2048)!.keyId);
    });
    assert.equal(await signedWith(oldPair.privateKey), 'signature_invalid');
    assert.equal(await signedWith(oldPair.privateKey), 'signature_invalid');
    assert.equal(await signedWith(newPair.privateKey), '201');
  });

  test('whoami names the key that signed', async () => {
    let active: string | undefined;
    await running.change(async (registry) => {
      const { keys } = await registry.showClient(clientId);
      active = keys.find(({ status }) => status === 'active')?.fingerprint;
    });
    const draft = bodylessDraft(clientId, { privateKey: newPair.privateKey });
    const { keyFingerprint } = (await sendDraft(running, draft)).json();
    assert.equal(keyFingerprint, active);
    assert.match(String(active), /^SHA256:/);
  });
});

describe('signatures without Date', () => {
  const pair = publishedKeyPair('rsa-2048-b');
  let early: string;
  before(async () => {
    ({ clientId: early } = await running.addClient({ keyPair: pair, acceptWithoutDate: true }));
  });
  const withoutDate = { components: ['@method', '@target-uri'], date: undefined };

  test('refused from a client whose record does not say so', async () => {
    assert.equal(await codeFor({ privateKey: newPair.privateKey, ...withoutDate }), 'components_invalid');
  });
  test('accepted from one whose record does, with a Date that is not covered and without one', async () => {
    const call = async (changes: Partial<Draft>): Promise<string> =>
      codeOf(await sendDraft(running, bodylessDraft(early, { privateKey: pair.privateKey, ...changes })));
    assert.equal(await call(withoutDate), '200');
    assert.equal(await call({ ...withoutDate, date: 'yesterday' }), '200');
    assert.equal(await call({}), '200', 'a covered Date is welcome');
    assert.equal(await call({ date: 'yesterday' }), 'date_invalid', 'a covered Date must be one');
  });
  test('accepted with a body', async () => {
    const components = ['@method', '@target-uri', 'content-digest'];
    const draft = paymentDraft(early, { privateKey: pair.privateKey, components, date: undefined });
    assert.equal(codeOf(await sendDraft(running, draft)), '201');
    assert.equal(codeOf(await sendDraft(running, draft)), 'signature_replayed');
  });
});
