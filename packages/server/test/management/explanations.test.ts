import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ExplanationRequest, RequestExplanation } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { type Answer, baseUrl, sendSigned } from '@countersign/testing/running-service';
import { explanationOf } from './failed-request.ts';
import {
  type Caller,
  type Client,
  type Data,
  type Key,
  managementScene,
  type ManagementScene,
} from './scene.ts';

const codesOf = ({ findings }: RequestExplanation): string[] => findings.map(({ code }) => code);

for (const backend of backends) {
  describe(`explanations on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let caller: Caller;
    let privateKey = '';
    let stranger: Caller & { accountId: string };
    before(async () => {
      scene = await managementScene(backend, { settings: { COUNTERSIGN_SHOWN_QUERY_PARAMETERS: 'limit' } });
      stranger = await scene.addAccount();
      ({ caller, privateKey } = await callerWithKey(scene.administrator));
    });
    after(() => scene.close());

    /** A client whose private key is known here. */
    const callerWithKey = async (
      by: Caller,
    ): Promise<{ caller: Caller; privateKey: string; fingerprint: string }> => {
      const key = scene.freshKey();
      const client = await scene.succeed<Client>(by, 'addClient', {
        body: { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0' }], publicKey: key.publicKey },
      });
      const signer = createSigner({ keyid: client.clientId, privateKey: key.privateKey, nowMs: scene.nowMs });
      return {
        caller: { clientId: client.clientId, signer },
        privateKey: key.privateKey,
        fingerprint: client.keys[0]!.fingerprint,
      };
    };
    const signerOf = (keyid: string, key: string): Signer =>
      createSigner({ keyid, privateKey: key, nowMs: scene.nowMs });
    const kept = async (answer: Answer, reader: Caller = scene.administrator): Promise<RequestExplanation> =>
      (await explanationOf(
        scene,
        reader,
        String(answer.headers['request-id']),
      )) as unknown as RequestExplanation;
    /** Signs one URL and calls another. */
    const callOtherThanSigned = async (signed: string, called: string, body?: string): Promise<Answer> => {
      const method = body === undefined ? 'GET' : 'POST';
      const { headers } = caller.signer.sign({ method, url: baseUrl + signed, body });
      return scene.running.send({ method, url: called, headers: { ...headers }, body });
    };

    test('a refused request is explained, and the proof is kept without values of the query', async () => {
      const answer = await callOtherThanSigned('/v1/payments', '/v1/payments?cursor=very-secret&limit=7');
      assert.equal(answer.json()['explanation'], undefined);
      const explanation = await kept(answer);
      assert.deepEqual(
        explanation.findings.map(({ code, certainty }) => [code, certainty]),
        [['url_no_query', 'proven']],
      );
      assert.equal(explanation.verdict, 'refused');
      const text = JSON.stringify(explanation);
      assert.equal(text.includes('secret'), false, text);
      assert.ok(text.includes('cursor=*&limit=7'), text);
      assert.equal(explanation.base, undefined);
      const checks = Object.fromEntries(explanation.checks.map(({ name, state }) => [name, state]));
      assert.deepEqual([checks['time'], checks['signature']], ['passed', 'failed']);
    });

    test('a body that differs is explained, and neither body nor signature is kept', async () => {
      const signed = caller.signer.sign({
        method: 'POST',
        url: `${baseUrl}/v1/payments`,
        body: '{"amount":4200,"note":"body-secret"}',
      });
      const answer = await scene.running.send({
        method: 'POST',
        url: '/v1/payments',
        headers: { ...signed.headers, 'Content-Type': 'application/json' },
        body: '{ "amount": 4200, "note": "body-secret" }',
      });
      // No role: it is rejected before its body is looked at. A client that may pay gets as far as check 12.
      assert.equal(answer.json()['code'], 'permission_denied');
      const { administrator } = scene;
      const own = administrator.signer.sign({
        method: 'POST',
        url: `${baseUrl}/v1/payments`,
        body: '{"amount":4200,"note":"body-secret"}',
      });
      const other = await scene.running.send({
        method: 'POST',
        url: '/v1/payments',
        headers: { ...own.headers, 'Content-Type': 'application/json' },
        body: '{ "amount": 4200, "note": "body-secret" }',
      });
      assert.equal(other.json()['code'], 'digest_mismatch');
      const explanation = await kept(other);
      assert.ok(codesOf(explanation).includes('body_json_separators'), JSON.stringify(explanation));
      const text = JSON.stringify(explanation);
      assert.equal(text.includes('body-secret'), false);
      assert.equal(text.includes(signatureIn(own.headers).slice(0, 60)), false);
      if (backend.name === 'SQLite') {
        for (const file of ['countersign.sqlite', 'countersign.sqlite-wal']) {
          const bytes = readFileSync(join(scene.running.dataFolder, file), 'latin1');
          assert.equal(bytes.includes('body-secret'), false);
          assert.equal(bytes.includes(signatureIn(own.headers).slice(0, 60)), false);
        }
      }
    });

    test('a signature that will be timely later is not kept, and so cannot be sent again by a reader', async () => {
      const created = Math.floor(scene.nowMs() / 1000) + 100;
      const signed = caller.signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` }, { created });
      const early = { method: 'GET', url: '/v1/whoami', headers: { ...signed.headers } };
      const answer = await scene.running.send(early);
      assert.equal(answer.json()['code'], 'created_in_future');
      const explanation = await kept(answer);
      assert.ok(codesOf(explanation).includes('clock_off'), JSON.stringify(explanation));
      assert.equal(JSON.stringify(explanation).includes(signatureIn(signed.headers).slice(0, 60)), false);
    });

    test('the key of another client of the account is named to who may see keys, and to nobody else', async () => {
      const other = await callerWithKey(scene.administrator);
      const answer = await sendSigned(scene.running, signerOf(caller.clientId, other.privateKey), {
        method: 'GET',
        url: '/v1/whoami',
      });
      const whole = await kept(answer);
      assert.ok(codesOf(whole).includes('key_of_other_client'));
      assert.ok(JSON.stringify(whole).includes(other.fingerprint));
      assert.equal(whole.withheldFindings, 0);
      await scene.succeed(scene.administrator, 'addRole', {
        body: { name: 'requests-reader', permissions: ['requests:read'] },
      });
      const reader = await scene.addCaller(['requests-reader']);
      const part = await kept(answer, reader);
      const text = JSON.stringify(part);
      for (const fact of [other.fingerprint, other.caller.clientId, 'key_', 'keyid_', '2048'])
        assert.equal(text.includes(fact), false, `${fact} in ${text}`);
      assert.equal(part.withheldFindings, whole.findings.length - part.findings.length);
      assert.ok(part.withheldFindings > 0);
    });

    test('a revoked key is named as what it was', async () => {
      const mine = await callerWithKey(scene.administrator);
      const path = { clientId: mine.caller.clientId };
      const { data } = await scene.succeed<Data<Key>>(scene.administrator, 'listKeys', { path });
      await scene.succeed(scene.administrator, 'revokeKey', {
        path: { ...path, keyId: data[0]!.keyId },
        body: { reason: 'compromised' },
      });
      const answer = await sendSigned(scene.running, mine.caller.signer, {
        method: 'GET',
        url: '/v1/whoami',
      });
      assert.ok(codesOf(await kept(answer)).includes('key_revoked'));
    });

    test('nothing is known of another account: its key is unknown here, its explanations are not found', async () => {
      const theirs = await callerWithKey(stranger);
      const forged = signerOf(caller.clientId, theirs.privateKey);
      const answer = await sendSigned(scene.running, forged, { method: 'GET', url: '/v1/whoami' });
      const explanation = await kept(answer);
      const text = JSON.stringify(explanation);
      assert.deepEqual(codesOf(explanation), ['key_unknown']);
      for (const secret of [
        theirs.fingerprint,
        theirs.caller.clientId,
        stranger.clientId,
        stranger.accountId,
      ])
        assert.equal(text.includes(secret), false, text);
      const path = { requestId: String(answer.headers['request-id']) };
      await scene.refused(stranger, 'getRequestExplanation', { path }, 'not_found');
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      await scene.succeed(operator, 'getRequestExplanation', { path });
    });

    test('an accepted request has no explanation, and one that was refused for other reasons neither', async () => {
      const accepted = await scene.call(caller, 'getWhoami');
      const denied = await scene.call(caller, 'listPayments');
      await kept(await callOtherThanSigned('/v1/whoami', '/v1/whoami?'));
      for (const { headers } of [accepted, denied]) {
        const path = { requestId: String(headers['request-id']) };
        await scene.succeed(scene.administrator, 'getRequest', { path });
        await scene.refused(scene.administrator, 'getRequestExplanation', { path }, 'not_found');
      }
    });

    const paste = (signer: Signer, more: Partial<ExplanationRequest> = {}): ExplanationRequest => {
      const { headers } = signer.sign({ method: 'GET', url: 'http://api.example.test/v1/whoami' });
      return {
        method: 'GET',
        targetUri: `${baseUrl}/v1/whoami`,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value: value })),
        bodyText: '',
        ...more,
      };
    };
    const explain = (by: Caller, body: ExplanationRequest): Promise<RequestExplanation> =>
      scene.succeed<RequestExplanation>(by, 'explainRequest', { body });

    test('a pasted request is explained, and nothing is stored', async () => {
      const explanation = await explain(scene.administrator, paste(caller.signer));
      assert.deepEqual(
        explanation.findings.map(({ code, certainty }) => [code, certainty]),
        [['url_scheme', 'proven']],
      );
      assert.match(explanation.base ?? '', /^"@method": GET\n"@target-uri": https:/);
      const right = scene.administrator.signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
      const headers = Object.entries(right.headers).map(([name, value]) => ({ name, value: value }));
      const valid = await explain(scene.administrator, { ...paste(caller.signer), headers });
      assert.deepEqual([valid.verdict, valid.findings], ['valid', []]);
    });

    test('a pasted request of long ago is explained as of its time', async () => {
      const pasted = paste(caller.signer);
      const later = new Date(scene.nowMs() + 7 * 86_400_000).toISOString();
      assert.ok(codesOf(await explain(scene.administrator, { ...pasted, receivedAt: later })).length > 1);
      const then = new Date(scene.nowMs()).toISOString();
      assert.deepEqual(codesOf(await explain(scene.administrator, { ...pasted, receivedAt: then })), [
        'url_scheme',
      ]);
    });

    test('what the caller says it built is compared', async () => {
      const pasted = paste(caller.signer);
      const claimedBase = 'something else';
      const codes = codesOf(await explain(scene.administrator, { ...pasted, claimedBase }));
      assert.ok(codes.includes('base_claimed_not_signed'), codes.join());
    });

    test('a pasted request of another account says nothing of its keys and its clients', async () => {
      const theirs = paste(caller.signer);
      const explanation = await explain(stranger, theirs);
      const none = paste(signerOf(caller.clientId.replace(/.{20}$/, '0'.repeat(20)), privateKey));
      const unknown = await explain(stranger, none);
      // As of a client that does not exist, but for what the request says itself.
      assert.deepEqual(codesOf(explanation), codesOf(unknown));
      assert.equal(JSON.stringify(explanation).includes('SHA256:'), false);
      assert.equal(codesOf(explanation).includes('url_scheme'), false);
    });

    test('who may not see clients is not told their names', async () => {
      const body = { name: 'keys-reader', permissions: ['keys:read'] };
      await scene.succeed(scene.administrator, 'addRole', { body });
      const reader = await scene.addCaller(['keys-reader']);
      const pasted = paste(signerOf(scene.administrator.clientId, privateKey));
      const named = await explain(scene.administrator, pasted);
      assert.ok(JSON.stringify(named).includes('of Shop'), JSON.stringify(named));
      assert.equal(JSON.stringify(await explain(reader, pasted)).includes('Shop'), false);
    });

    test('a private key that is pasted is refused, wherever it stands, and nothing of it is repeated', async () => {
      const secret = scene.freshKey().privateKey;
      const header = (value: string): ExplanationRequest['headers'][number] => ({ name: 'X-Note', value });
      const pasted = paste(caller.signer);
      const many = Array.from({ length: 20 }, () => header(pasted.headers.at(-1)!.value));
      const bodies: readonly ExplanationRequest[] = [
        { ...pasted, bodyText: secret },
        { ...pasted, bodyText: JSON.stringify({ deep: [secret] }) },
        { ...pasted, bodyText: undefined, bodyBase64: Buffer.from(secret).toString('base64') },
        { ...pasted, claimedBase: secret },
        { ...pasted, headers: [...many, header(secret.replaceAll(/-----[^\n]*-----|\n/g, ''))] },
      ];
      for (const body of bodies) {
        const { answer } = await scene.refused(
          scene.administrator,
          'explainRequest',
          { body },
          'private_key_refused',
        );
        assert.equal(answer.text.includes(secret.split('\n')[5]!), false);
      }
    });

    test('what is pasted is bounded, and checked', async () => {
      const pasted = paste(caller.signer);
      const wrong: readonly (readonly [object, string])[] = [
        [{ ...pasted, bodyBase64: 'AAAA' }, '/bodyBase64'],
        [{ ...pasted, bodyText: undefined, bodyBase64: 'AAA' }, '/bodyBase64'],
        [{ ...pasted, method: '' }, '/method'],
        [{ ...pasted, targetUri: 'x'.repeat(10_001) }, '/targetUri'],
        [{ ...pasted, headers: Array.from({ length: 101 }, () => pasted.headers[0]) }, '/headers'],
        [{ ...pasted, headers: [{ name: 'a' }] }, '/headers/0/value'],
        [{ ...pasted, claimedBase: 'x'.repeat(20_001) }, '/claimedBase'],
        [{ ...pasted, receivedAt: 'yesterday' }, '/receivedAt'],
      ];
      for (const [body, pointer] of wrong) {
        const { errors } = await scene.refused(
          scene.administrator,
          'explainRequest',
          { body },
          'body_invalid',
        );
        assert.deepEqual(
          errors.map((error) => error.pointer),
          [pointer],
        );
      }
    });

    test('many at once: some wait, more are told to come later, and the service goes on', async () => {
      const bodies = Array.from({ length: 12 }, () => ({ body: paste(caller.signer) }));
      const answers = await Promise.all(
        bodies.map((options) => scene.call(scene.administrator, 'explainRequest', options)),
      );
      const statuses = answers.map(({ status }) => status);
      assert.ok(statuses.includes(200));
      for (const { status, headers } of answers) {
        assert.ok(status === 200 || status === 429, String(status));
        if (status === 429) assert.equal(headers['retry-after'], '1');
      }
    });
  });
}

function signatureIn(headers: object): string {
  return (headers as { Signature: string }).Signature.slice('sig=:'.length);
}
