import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ProblemCode } from '@countersign/contract';
import { bodylessDraft, type Draft, nowMs, paymentDraft } from '@countersign/testing/draft';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { otherKeyPair, type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';
import { waitUntil } from '@countersign/testing/wait-until';
import { sessionCookie } from '../../src/people/sessions/session-cookie.ts';
import { openDatabase } from '../../src/storage/database.ts';

/* A PostgreSQL that keeps its connections but does not respond, as behind a broken network or on a stuck disk. */

describe('while PostgreSQL stands still', { skip: postgresSkip }, () => {
  let server: PostgresServer;
  let running: RunningService;
  let clientId: string;
  before(async () => {
    server = await PostgresServer.start();
    await server.query('create database registry');
    const url = server.url('registry');
    await (await openDatabase({ url })).destroy();
    running = await runService({ COUNTERSIGN_DATABASE_URL: url }, { nowMs });
    ({ clientId } = await running.addClient());
    server.pause();
    await waitUntil(async () => {
      const ready = await running.send({ method: 'GET', url: '/ready' });
      return ready.json()['reason'] === 'the registry is out of date';
    }, 'a registry that is out of date');
  });
  after(async () => {
    server.resume();
    await running.close();
    await server.remove();
  });

  const refusals: Readonly<Record<string, readonly [ProblemCode, (clientId: string) => Draft]>> = {
    'without a signature': [
      'signature_missing',
      (id) => bodylessDraft(id, { signatureInputSent: () => undefined, signatureSent: () => undefined }),
    ],
    'with a signature that cannot be read': [
      'signature_malformed',
      (id) => bodylessDraft(id, { signatureSent: () => 'x' }),
    ],
    'with another algorithm': ['algorithm_not_allowed', (id) => bodylessDraft(id, { alg: 'rsa-pss-sha512' })],
    'with too few components': ['components_invalid', (id) => bodylessDraft(id, { components: ['@method'] })],
    'that is too old': ['created_expired', (id) => bodylessDraft(id, { created: 1 })],
  };
  for (const [what, [code, draft]] of Object.entries(refusals)) {
    test(`a request ${what} is refused for that`, async () => {
      assert.equal(codeOf(await sendDraft(running, draft(clientId))), code);
    });
  }

  test('whatever depends on who may call is refused, and may be tried again', async () => {
    const drafts = [
      paymentDraft(clientId),
      paymentDraft(clientId, { bodySent: '{}' }),
      bodylessDraft(clientId),
      bodylessDraft(clientId, { privateKey: otherKeyPair.privateKey }),
      bodylessDraft('client_unknown'),
    ];
    for (const draft of drafts) {
      const answer = await sendDraft(running, draft);
      assert.equal(codeOf(answer), 'registry_stale');
      assert.equal(answer.headers['retry-after'], '1');
    }
  });

  test('no session is looked up', async () => {
    const Cookie = `${sessionCookie}=${'A'.repeat(43)}`;
    const answer = await running.send({ method: 'GET', url: '/v1/clients', headers: { Cookie } });
    const { code, reason: told } = answer.json();
    assert.deepEqual([code, told], ['storage_unavailable', 'the registry could not be read']);
  });

  test('everybody is served again afterwards', async () => {
    server.resume();
    await waitUntil(
      async () => codeOf(await sendDraft(running, bodylessDraft(clientId))) === '200',
      'a request that is accepted',
    );
  });
});
