import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createPublicKey } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import {
  type Answer,
  apiBaseUrl,
  baseUrl,
  type Call,
  otherKeyPair,
  publishedKeyPair,
  type RunningService,
  runService,
} from '@countersign/testing/running-service';
import { makeKeyPairFor } from '@countersign/testing/key-pair';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { exchange } from '@countersign/testing/wire';
import { type ProblemCode, problems } from '../../packages/contract/src/index.ts';
import { profileListenerLimits } from '../../packages/gate/src/http/listener.ts';
import type { ServiceOverrides } from '../../packages/server/src/assembly/service.ts';
import {
  addApp,
  openPeopleScene,
  type PeopleScene,
  type TestPerson,
  tokenIn,
} from '../../packages/server/test/identity/people-scene.ts';
import {
  defineProfile,
  messageProfiles,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { createSigner, type SignedRequest, type Signer } from '../../packages/signature/src/node.ts';

/**
 * Provokes each problem code: returns the service's response, or raw bytes if nothing could be parsed as a
 * request. Omits codes that need an outage or a race; tests of the server cover those.
 */
export const provocations: Partial<Record<ProblemCode, (t: TestContext) => Promise<Answer | string>>> = {
  request_malformed: (t) => sent(t, { method: 'GET', url: '/v1/whoami', headers: { Host: 'other.example' } }),
  uri_too_long: (t) => sent(t, { method: 'GET', url: `/v1/payments?ids=${'1,'.repeat(5000)}` }),
  headers_too_large: (t) => {
    const many = Array.from({ length: 101 }, (_, index) => [`X-${index}`, '1']).flat();
    return sent(t, { method: 'GET', url: '/v1/whoami', headers: ['Host', new URL(baseUrl).host, ...many] });
  },
  too_many_failures: async (t) => {
    const { running } = await scene(t, { COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '1' });
    await running.send({ method: 'GET', url: '/v1/whoami' });
    return running.send({ method: 'GET', url: '/v1/whoami' });
  },
  signature_missing: (t) => sent(t, { method: 'GET', url: '/v1/whoami' }),
  signature_malformed: async (t) =>
    (await scene(t)).send(
      {},
      header('Signature', (value) => value.replace('=:', '=')),
    ),
  signature_not_selected: async (t) => (await gnapScene(t)).closed(),
  signature_ambiguous: async (t) => (await gnapScene(t)).send(['one', 'two']),
  parameters_invalid: async (t) =>
    (await scene(t)).send(
      {},
      header('Signature-Input', (value) => `${value};tag="shop"`),
    ),
  algorithm_not_allowed: async (t) =>
    (await scene(t)).send(
      {},
      header('Signature-Input', (value) => value.replace('v1_5', 'pss')),
    ),
  components_invalid: async (t) =>
    (await scene(t)).send(
      { body: order },
      header('Signature-Input', (value) => value.replace(' "content-digest"', '')),
    ),
  created_expired: async (t) => (await scene(t)).send({}, unchanged, { created: now - 400 }),
  created_in_future: async (t) => (await scene(t)).send({}, unchanged, { created: now + 90 }),
  signature_expired: async (t) =>
    (await gnapScene(t)).send(['one'], { created: now - 60, expires: now - 10 }),
  date_invalid: async (t) =>
    (await scene(t)).send(
      {},
      header('Date', (value) => value.replace('GMT', 'UTC')),
    ),
  date_mismatch: async (t) =>
    (await scene(t)).send({}, unchanged, { created: now, date: new Date(nowMs - 120_000).toUTCString() }),
  signature_invalid: async (t) => {
    const { running, clientId } = await scene(t);
    const stranger = createSigner({
      keyid: clientId,
      privateKey: otherKeyPair.privateKey,
      nowMs: () => nowMs,
    });
    const { method, headers } = stranger.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
    return running.send({ method, url: '/v1/whoami', headers: { ...headers } });
  },
  directory_mismatch: async (t) => {
    const directory = createServer((_request, response) => {
      const jwk = createPublicKey(gnapKeys.publicKey).export({ format: 'jwk' });
      response.setHeader('Content-Type', 'application/jwk-set+json');
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    const origin = await listenOn(directory);
    t.after(() => closeServer(directory));
    const profile = messageProfiles.webBotAuth01;
    const environment = { COUNTERSIGN_PROFILES: profile.id, COUNTERSIGN_DIRECTORY_ORIGINS: origin };
    const { running, manage } = await scene(t, environment, {}, { roles: ['administrator'] });
    const followed = { profile: profile.id, directoryUrl: `${origin}/keys.json` };
    const { clientId } = (await manage('POST', '/v1/clients', { ...newClient, ...followed })).json();
    await running.service.followDirectories();
    const url = '/v1/whoami';
    const agent = ['Signature-Agent', 'sig="https://elsewhere.example/keys.json"'] as const;
    const { headers } = await signMessage(
      { method: 'GET', targetUri: baseUrl + url, headers: [agent] },
      {
        profile: defineProfile(profile),
        key: signingKey(gnapKeys.privateKey),
        keyid: String(clientId),
        created: now,
        others: ['@method', '@target-uri'],
      },
    );
    return running.send({ method: 'GET', url, headers: { ...Object.fromEntries([agent]), ...headers } });
  },
  profile_not_accepted: async (t) => (await gnapScene(t, {})).closed(),
  client_disabled: async (t) => {
    const { running, send, clientId } = await scene(t);
    await running.change((registry) => registry.disableClient(clientId));
    return send();
  },
  account_suspended: async (t) => {
    const { running, manage } = await scene(t, {}, {}, { roles: ['operator'] }, 'auditor');
    const { publicKey, privateKey } = publishedKeyPair('rsa-2048-a');
    let customer = { clientId: '', accountId: '' };
    await running.change(async (registry) => {
      const { accountId } = await registry.addAccount('Customer');
      const client = { accountId, name: 'Customer', publicKey, network: ['0.0.0.0'], roles: [] };
      customer = await registry.addClient(client);
    });
    const { clientId: keyid, accountId } = customer;
    await manage('POST', `/v1/accounts/${accountId}/suspend`, { reason: 'Unpaid since September' });
    const signer = createSigner({ keyid, privateKey, nowMs: () => nowMs });
    const { method, headers } = signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
    return running.send({ method, url: '/v1/whoami', headers: { ...headers } });
  },
  network_not_allowed: async (t) => (await scene(t, {}, {}, { network: ['203.0.113.0/24'] })).send(),
  permission_denied: async (t) =>
    (await scene(t, {}, {}, { roles: ['payments-reader'] })).send({
      method: 'POST',
      path: '/v1/payments',
      body: order,
    }),
  rate_limited: async (t) => {
    const oneAMinute = {
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1',
      COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '1',
    };
    const { send } = await scene(t, oneAMinute);
    await send();
    return send();
  },
  body_too_large: async (t) =>
    (await scene(t)).send({ method: 'POST', path: '/v1/payments', body: ' '.repeat(1_048_577) }),
  digest_missing: async (t) =>
    (await scene(t)).send({ body: order }, ({ headers, ...signed }) => {
      const { 'Content-Digest': _left, ...others } = headers;
      return { ...signed, headers: others };
    }),
  digest_malformed: async (t) =>
    (await scene(t)).send(
      { body: order },
      header('Content-Digest', (value) => value.replace('sha-256', 'SHA-256')),
    ),
  digest_mismatch: async (t) =>
    (await scene(t)).send({ body: 'x'.repeat(62) }, (signed) => ({ ...signed, body: 'y'.repeat(62) })),
  signature_replayed: async (t) => {
    const { running, signer } = await scene(t);
    const { method, headers } = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments` });
    const call = { method, url: '/v1/payments', headers: { ...headers } };
    await running.send(call);
    return running.send(call);
  },

  not_found: async (t) => (await scene(t)).send({ path: '/v1/payments/' }),
  method_not_allowed: async (t) => (await scene(t)).send({ method: 'DELETE', path: '/v1/payments' }),
  content_type_unsupported: async (t) => create(await scene(t), order, { 'Content-Type': 'text/plain' }),
  body_invalid: async (t) => create(await scene(t), order.replace('EUR', 'Euro')),
  query_invalid: async (t) => (await scene(t)).send({ path: '/v1/payments?limit=0' }),
  cursor_invalid: async (t) => (await scene(t)).send({ path: '/v1/payments?cursor=2' }),
  payment_not_cancellable: async (t) => {
    const shown = await scene(t);
    const { paymentId } = (await create(shown, order)).json();
    const path = `/v1/payments/${String(paymentId)}/cancel`;
    await shown.send({ method: 'POST', path });
    return shown.send({ method: 'POST', path });
  },
  private_key_refused: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] });
    return manage('POST', '/v1/clients', { ...newClient, publicKey: otherKeyPair.privateKey });
  },
  permission_not_held: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['keys-manager'] }, 'payments-operator');
    return manage('POST', '/v1/clients/shop/keys', { publicKey: otherKeyPair.publicKey });
  },
  client_id_taken: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['operator'] }, 'auditor');
    return manage('POST', '/v1/clients', { ...newClient, clientId: 'shop' });
  },
  client_state_conflict: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    await manage('POST', '/v1/clients/shop/revoke');
    return manage('POST', '/v1/clients/shop/enable');
  },
  account_state_conflict: async (t) => {
    const { running, manage } = await scene(t, {}, {}, { roles: ['operator'] }, 'auditor');
    let accountId = '';
    await running.change(async (registry) => {
      accountId = (await registry.listAccounts()).find(({ isOperator }) => isOperator)!.accountId;
    });
    return manage('POST', `/v1/accounts/${accountId}/suspend`, { reason: 'The account of the operator' });
  },
  key_registered: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    await manage('POST', '/v1/clients/shop/keys', { publicKey: otherKeyPair.publicKey });
    return manage('POST', '/v1/clients/shop/keys', { publicKey: otherKeyPair.publicKey });
  },
  keys_too_many: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    for (const name of ['rsa-2048-a', 'rsa-2048-b'] as const)
      await manage('POST', '/v1/clients/shop/keys', { publicKey: publishedKeyPair(name).publicKey });
    return manage('POST', '/v1/clients/shop/keys', { publicKey: otherKeyPair.publicKey });
  },
  key_not_for_profile: async (t) => {
    const environment = { COUNTERSIGN_PROFILES: messageProfiles.curl822.id };
    const { manage } = await scene(t, environment, {}, { roles: ['administrator'] });
    const { publicKey } = otherKeyPair;
    return manage('POST', '/v1/clients', { ...newClient, profile: messageProfiles.curl822.id, publicKey });
  },
  directory_url_not_allowed: async (t) => {
    const environment = { COUNTERSIGN_PROFILES: messageProfiles.curl822.id };
    const { manage } = await scene(t, environment, {}, { roles: ['administrator'] });
    const directoryUrl = 'http://agent.example/keys.json';
    return manage('POST', '/v1/clients', { ...newClient, profile: messageProfiles.curl822.id, directoryUrl });
  },
  webhooks_too_many: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    const webhook = { url: 'https://hooks.example.com/countersign', eventTypes: ['key.expired'] };
    for (let added = 0; added < 20; added++) await manage('POST', '/v1/webhooks', webhook);
    return manage('POST', '/v1/webhooks', webhook);
  },
  alert_rules_too_many: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    const condition = { kind: 'key_due', days: 7 };
    const add = (name: string): ReturnType<typeof manage> =>
      manage('POST', '/v1/alert-rules', { name, condition });
    for (let added = 0; added < 50; added++) await add(`Rule ${added}`);
    return add('One more');
  },
  key_state_conflict: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    const key = await manage('POST', '/v1/clients/shop/keys', { publicKey: otherKeyPair.publicKey });
    const path = `/v1/clients/shop/keys/${String(key.json()['keyId'])}`;
    await manage('POST', `${path}/revoke`, { reason: 'compromised' });
    return manage('POST', `${path}/retire`);
  },
  network_entry_taken: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    return manage('POST', '/v1/clients/shop/network-whitelist', { entry: '0.0.0.0' });
  },
  network_entry_last: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    return manage('DELETE', '/v1/clients/shop/network-whitelist/0.0.0.0');
  },
  network_whitelist_full: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    const entries = Array.from({ length: 1000 }, (_, index) => ({
      entry: `10.0.${index >> 8}.${index & 255}`,
    }));
    await manage('PUT', '/v1/clients/shop/network-whitelist', { entries }, { 'If-Match': '*' });
    return manage('POST', '/v1/clients/shop/network-whitelist', { entry: '0.0.0.0' });
  },
  role_name_taken: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] });
    return manage('POST', '/v1/roles', { name: 'auditor', permissions: ['audit:read'] });
  },
  role_built_in: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] });
    return manage('DELETE', '/v1/roles/auditor', undefined, { 'If-Match': '*' });
  },
  role_in_use: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    const role = await manage('POST', '/v1/roles', { name: 'own', permissions: ['audit:read'] });
    await manage('PATCH', '/v1/clients/shop', { roles: ['own'] }, { 'If-Match': '*' });
    return manage('DELETE', `/v1/roles/${String(role.json()['roleId'])}`, undefined, { 'If-Match': '*' });
  },
  precondition_required: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    return manage('PATCH', '/v1/clients/shop', { name: 'Books' });
  },
  precondition_failed: async (t) => {
    const { manage } = await scene(t, {}, {}, { roles: ['administrator'] }, 'auditor');
    return manage('PATCH', '/v1/clients/shop', { name: 'Books' }, { 'If-Match': '"1"' });
  },

  second_person_required: async (t) => {
    const { people, ann, pendingChange } = await pendingScene(t);
    return ofOwner(people, ann, 'POST', `${pendingChange}/approve`);
  },
  second_person_missing: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    const body = { isSecondPersonRequired: true };
    return ofOwner(people, owner, 'PATCH', '/v1/security-policy', body, { 'If-Match': '*' });
  },
  pending_changes_too_many: async (t) => {
    const { people, ann } = await pendingScene(t);
    for (let count = 1; count <= 49; count += 1) {
      const invitation = { email: `${count}@example.com`, role: 'admin' };
      await ofOwner(people, ann, 'POST', '/v1/invitations', invitation);
    }
    const body = { email: 'one-more@example.com', role: 'admin' };
    return ofOwner(people, ann, 'POST', '/v1/invitations', body);
  },
  pending_change_decided: async (t) => {
    const { people, ben, pendingChange } = await pendingScene(t);
    await ofOwner(people, ben, 'POST', `${pendingChange}/reject`, { reason: 'Not needed' });
    return ofOwner(people, ben, 'POST', `${pendingChange}/approve`);
  },
  pending_change_failed: async (t) => {
    const { people, ben, pendingChange } = await pendingScene(t);
    // Meanwhile, the invited person has an invitation as a viewer.
    const body = { email: 'lee@example.com', role: 'viewer' };
    await ofOwner(people, ben, 'POST', '/v1/invitations', body);
    return ofOwner(people, ben, 'POST', `${pendingChange}/approve`);
  },
  last_owner: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    return ofOwner(people, owner, 'DELETE', `/v1/members/${owner.userId}`);
  },
  member_exists: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    return ofOwner(people, owner, 'POST', '/v1/invitations', { email: owner.email, role: 'viewer' });
  },
  invitation_pending: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    const body = { email: 'lee@example.com', role: 'viewer' };
    await ofOwner(people, owner, 'POST', '/v1/invitations', body);
    return ofOwner(people, owner, 'POST', '/v1/invitations', body);
  },
  invitations_too_many: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    const nowMs = people.nowMs();
    await people.database((database) =>
      database
        .insertInto('invitations')
        .values(
          Array.from({ length: 100 }, (_, index) => ({
            invitation_id: `invitation_${index}`,
            account_id: people.accountId,
            email: `${index}@example.com`,
            role: 'viewer' as const,
            token_hash: String(index),
            invited_by: owner.userId,
            created_at_ms: nowMs,
            expires_at_ms: nowMs + 86_400_000,
            accepted_at_ms: null,
          })),
        )
        .execute(),
    );
    return ofOwner(people, owner, 'POST', '/v1/invitations', { email: 'lee@example.com', role: 'viewer' });
  },
  session_required: async (t) => (await peopleScene(t)).browser().get('profile'),
  credentials_invalid: async (t) =>
    (await peopleScene(t)).browser().post('sign-in', { email: 'ann@example.com', password: 'a guess' }),
  second_factor_invalid: async (t) => {
    const people = await peopleScene(t);
    const browser = await people.signedIn(await people.addPerson());
    await addApp(people, browser);
    return browser.post('step-up', { code: '000000' });
  },
  portal_network_not_allowed: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    await people.database((database) =>
      database
        .insertInto('security_policies')
        .values({
          account_id: people.accountId,
          is_second_factor_required: 0,
          session_hours_max: null,
          portal_networks: JSON.stringify([{ entry: '203.0.113.0/24', label: 'Office' }]),
        })
        .execute(),
    );
    return ofOwner(people, owner, 'GET', '/v1/members');
  },
  own_address_excluded: async (t) => {
    const people = await peopleScene(t);
    const owner = await people.addPerson();
    const body = { portalNetworks: [{ entry: '203.0.113.0/24' }] };
    return ofOwner(people, owner, 'PATCH', '/v1/security-policy', body, { 'If-Match': '*' });
  },
  second_factor_required: async (t) => {
    const people = await peopleScene(t);
    return (await people.signedIn(await people.addPerson())).post('profile/recovery-codes');
  },
  step_up_required: async (t) => {
    const people = await peopleScene(t);
    const browser = await people.signedIn(await people.addPerson());
    people.advance(11 * 60_000);
    return browser.post('profile/totp');
  },
  cross_site_request: async (t) =>
    (await peopleScene(t)).running.send({ method: 'POST', url: '/portal/auth/sign-out', body: '{}' }),
  too_many_attempts: async (t) => {
    const browser = (await peopleScene(t)).browser();
    const guess = (): Promise<Answer> =>
      browser.post('sign-in', { email: 'ann@example.com', password: 'a guess' });
    for (let count = 0; count < 5; count += 1) await guess();
    return guess();
  },
  link_invalid: async (t) =>
    (await peopleScene(t)).browser().post('invitation/check', { token: 'a token that nobody gave' }),
  password_too_weak: async (t) => {
    const people = await peopleScene(t);
    const { email } = await people.addPerson();
    await people.browser().post('password/forgot', { email });
    const token = tokenIn((await people.mails(1))[0]!);
    return people.browser().post('password/reset', { token, password: 'password1234' });
  },
  password_breached: async (t) => {
    const file = join(temporaryFolder(t), 'leaked.txt');
    writeFileSync(file, 'quiet marble 85 lantern\n');
    const people = await openPeopleScene({ environment: { COUNTERSIGN_BREACHED_PASSWORDS_FILE: file } });
    t.after(() => people.close());
    const { email } = await people.addPerson();
    await people.browser().post('password/forgot', { email });
    const token = tokenIn((await people.mails(1))[0]!);
    return people.browser().post('password/reset', { token, password: 'quiet marble 85 lantern' });
  },
  idempotency_key_malformed: async (t) => create(await scene(t), order, { 'Idempotency-Key': 'ä' }),
  idempotency_key_in_use: async (t) => {
    const shown = await scene(t);
    const both = [1, 2].map(() => create(shown, order, { 'Idempotency-Key': 'one' }));
    const answers = await Promise.all(both);
    // The second one may also arrive when the first is done, and then it gets the same response: then ask the table.
    return answers.find(({ status }) => status === 409) ?? problems.idempotency_key_in_use.title;
  },
  idempotency_key_reused: async (t) => {
    const shown = await scene(t);
    await create(shown, order, { 'Idempotency-Key': 'one' });
    return create(shown, order.replace('1250', '1251'), { 'Idempotency-Key': 'one' });
  },

  guard_unavailable: async (t) => {
    const { running, send } = await scene(t);
    // A folder in place of the file that is written first.
    const inTheWay = join(running.dataFolder, 'replay-mark.json.new');
    mkdirSync(inTheWay);
    const answer = await send();
    rmdirSync(inTheWay);
    return answer;
  },
  guard_full: async (t) => {
    const { send } = await scene(t, { COUNTERSIGN_GUARD_ENTRIES_MAX: '1' });
    await send();
    return send();
  },
  recently_restarted: async (t) => {
    const { running, send } = await scene(t);
    await running.service.stop();
    // The leftovers of a crash: a mark, and no record of which signatures of these seconds were used.
    const file = join(running.dataFolder, 'replay-mark.json');
    const mark = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...mark, reserved: [[now, now + 5]], snapshotSha256: null }));
    await running.restart();
    const answer = await send();
    assert.equal(answer.headers['retry-after'], '6');
    return answer;
  },
  registry_stale: async (t) => {
    // A clock that jumps ahead makes every poll of the registry too old.
    let stepMs = 0;
    let monotonicMs = 0;
    const { send } = await scene(t, {}, { monotonicMs: () => (monotonicMs += stepMs) });
    stepMs = 2000;
    return send();
  },
  path_ambiguous: (t) => sentToApi(t, '/orders/a%2Fb'),
  body_unseen: async (t) => {
    const { running, signer } = await scene(
      t,
      {
        COUNTERSIGN_AUTHORIZERS: JSON.stringify({ caddy: { from: ['127.0.0.1'] } }),
        COUNTERSIGN_API_BASE_URLS: apiBaseUrl,
      },
      {},
      { roles: ['api-user'] },
    );
    const signed = signer.sign({ method: 'POST', url: `${apiBaseUrl}/orders`, body: order });
    const { port } = new URL(running.service.authorizerAddress!);
    const { text } = await exchange(
      Number(port),
      {
        method: 'GET',
        target: '/authorize/caddy',
        headers: [
          ['Host', new URL(apiBaseUrl).host],
          ['X-Forwarded-Method', 'POST'],
          ['X-Forwarded-Uri', '/orders'],
          ['X-Forwarded-For', '198.51.100.7'],
          ['X-Original-Body', 'kept'],
          ...Object.entries(signed.headers),
        ],
      },
      { localAddress: '127.0.0.1' },
    );
    return text;
  },
  upgrade_refused: (t) => sentToApi(t, '/orders', { Connection: 'Upgrade', Upgrade: 'websocket' }),
  upstream_unavailable: (t) => sentToApi(t, '/orders'),
  internal_error: async (t) => {
    const { running, send } = await scene(t);
    const database = new DatabaseSync(join(running.dataFolder, 'countersign.sqlite'));
    database.exec('drop table payments');
    database.close();
    return send({ path: '/v1/payments' });
  },
  request_timeout: async (t) => {
    const limits = { ...profileListenerLimits, headersTimeoutMs: 100 };
    const { running } = await scene(t, {}, { limits });
    const socket = connect({ port: Number(new URL(running.service.address).port), host: '127.0.0.1' });
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.write('GET /v1/whoami HTTP/1.1\r\n');
    await once(socket, 'close');
    return answer;
  },
};

const nowMs = Date.parse('2026-11-21T00:01:58.000Z');
const now = nowMs / 1000;
const newClient = { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0' }] };
const order = '{"amount":1250,"currency":"EUR","reference":"example"}';

/** A service with a frozen clock and one client. */
interface Scene {
  readonly running: RunningService;
  readonly signer: Signer;
  readonly clientId: string;
  /** Signs and sends a request, which `change` may alter after signing. */
  readonly send: (
    request?: { method?: string; path?: string; body?: string; headers?: Record<string, string> },
    change?: (signed: SentRequest) => SentRequest,
    time?: { created?: number; date?: string },
  ) => Promise<Answer>;
  /** Signs and sends a call of the management API. */
  readonly manage: (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
}

type SentRequest = Omit<SignedRequest, 'headers' | 'body'> & {
  headers: Record<string, string>;
  body: string | undefined;
};

function unchanged(signed: SentRequest): SentRequest {
  return signed;
}

function header(name: string, change: (value: string) => string): (signed: SentRequest) => SentRequest {
  return (signed) => ({ ...signed, headers: { ...signed.headers, [name]: change(signed.headers[name]!) } });
}

function create({ send }: Scene, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const type = { 'Content-Type': 'application/json' };
  return send({ method: 'POST', path: '/v1/payments', body, headers: { ...type, ...headers } });
}

async function sent(t: TestContext, call: Call): Promise<Answer> {
  return (await scene(t)).running.send(call);
}

const gnapKeys = makeKeyPairFor('ed25519');

/** A service whose client has another profile than the closed one. */
async function gnapScene(
  t: TestContext,
  environment: Record<string, string> = { COUNTERSIGN_PROFILES: messageProfiles.gnap.id },
): Promise<{
  /** Signs by the closed profile. */
  readonly closed: () => Promise<Answer>;
  /** Signs once for each label. */
  readonly send: (labels: readonly string[], time?: { created: number; expires: number }) => Promise<Answer>;
}> {
  const client = { profile: messageProfiles.gnap.id, keyPair: gnapKeys };
  const { running, send, clientId } = await scene(t, environment, {}, client);
  return {
    closed: () => send(),
    async send(labels, time = { created: now, expires: now + 60 }) {
      const lines: string[] = [];
      for (const label of labels) {
        const { headers } = await signMessage(
          { method: 'GET', targetUri: `${baseUrl}/v1/whoami`, headers: [] },
          {
            profile: defineProfile(messageProfiles.gnap),
            key: signingKey(gnapKeys.privateKey),
            keyid: clientId,
            label,
            ...time,
          },
        );
        lines.push(...Object.entries(headers).flat());
      }
      return running.send({
        method: 'GET',
        url: '/v1/whoami',
        headers: ['Host', new URL(baseUrl).host, ...lines],
      });
    },
  };
}

/** Calls a protected API that is down. */
async function sentToApi(
  t: TestContext,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { running, signer } = await scene(
    t,
    { COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9' },
    {},
    { roles: ['api-user'] },
  );
  const url = apiBaseUrl + path;
  return running.send({
    method: 'GET',
    url,
    headers: { ...signer.sign({ method: 'GET', url }).headers, ...headers },
  });
}

/** Calls the API as a person who has just signed in. */
async function ofOwner(
  people: PeopleScene,
  owner: TestPerson,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const browser = await people.signedIn(owner);
  return browser.request(method, path, body, { 'Countersign-Account': people.accountId, ...headers });
}

/** Two owners who need each other, and an invitation that one of them asked for. */
async function pendingScene(t: TestContext): Promise<{
  people: PeopleScene;
  ann: TestPerson;
  ben: TestPerson;
  /** The path of the pending change. */
  pendingChange: string;
}> {
  const people = await peopleScene(t);
  const ann = await people.addPerson();
  const ben = await people.addPerson({ email: 'ben@example.com', name: 'Ben Example' });
  const policy = { isSecondPersonRequired: true };
  await ofOwner(people, ann, 'PATCH', '/v1/security-policy', policy, { 'If-Match': '*' });
  const invitation = { email: 'lee@example.com', role: 'admin' };
  const answer = await ofOwner(people, ann, 'POST', '/v1/invitations', invitation);
  const id = String(answer.json()['pendingChangeId']);
  return { people, ann, ben, pendingChange: `/v1/pending-changes/${id}` };
}

async function peopleScene(t: TestContext): Promise<PeopleScene> {
  const people = await openPeopleScene();
  t.after(() => people.close());
  return people;
}

async function scene(
  t: TestContext,
  environment: Record<string, string> = {},
  overrides: ServiceOverrides = {},
  client: Parameters<RunningService['addClient']>[0] = {},
  roleOfShop?: string,
): Promise<Scene> {
  const running = await runService(environment, { nowMs: () => nowMs, ...overrides });
  t.after(() => running.close());
  const { clientId, signer } = await running.addClient(client);
  if (roleOfShop !== undefined) {
    const shop = { clientId: 'shop', name: 'Shop', network: ['0.0.0.0'], roles: [roleOfShop] };
    await running.change((registry) => registry.addClient(shop));
  }
  const send: Scene['send'] = async (
    { method = 'GET', path = '/v1/whoami', body, headers = {} } = {},
    change = unchanged,
    time = {},
  ) => {
    const signed = signer.sign({ method, url: baseUrl + path, body }, time);
    const changed = change({ ...signed, headers: { ...headers, ...signed.headers }, body });
    return running.send({ method, url: path, headers: changed.headers, body: changed.body });
  };
  return {
    running,
    signer,
    clientId,
    send,
    manage(method, path, body, headers) {
      const type = { 'Content-Type': 'application/json' };
      const text = body && JSON.stringify(body);
      return send({
        method,
        path,
        ...(text !== undefined && { body: text }),
        headers: { ...type, ...headers },
      });
    },
  };
}
