import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RequestExplanation, SignatureTest } from '@countersign/contract';
import { createSigner, type Signer } from '@countersign/signature/node';
import {
  type Answer,
  baseUrl,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import { testKey } from '@countersign/testing/test-keys';

const path = '/v1/signature-test';
const explanationIn = (answer: Answer): RequestExplanation =>
  answer.json()['explanation'] as RequestExplanation;

describe('a test of a signature', () => {
  let running: RunningService;
  /** Its record allows explanations. */
  let sandbox: { clientId: string; signer: Signer };
  /** Of the same account; its record does not. */
  let shop: { clientId: string; signer: Signer };
  before(async () => {
    running = await runService();
    sandbox = await running.addClient({ keyPair: testKey(60), roles: [], allowExplanations: true });
    shop = await running.addClient({ keyPair: testKey(61), roles: [] });
  });
  after(() => running.close());

  const signerOf = (keyid: string, key: number): Signer =>
    createSigner({ keyid, privateKey: testKey(key).privateKey });
  /** Signs one URL, and calls the test of signatures. */
  const send = (signer: Signer, signedUrl = `http://api.example.test${path}`): Promise<Answer> =>
    running.send({
      method: 'GET',
      url: path,
      headers: { ...signer.sign({ method: 'GET', url: signedUrl }).headers },
    });

  test('is refused without a signature, with a wrong one, and used twice, as any other request', async () => {
    const bare = await running.send({ method: 'POST', url: path, body: 'x' });
    assert.deepEqual([bare.status, bare.json()['code']], [401, 'signature_missing']);
    assert.equal(bare.json()['explanation'], undefined);
    const { headers } = shop.signer.sign({ method: 'POST', url: baseUrl + path });
    const twice = { method: 'POST', url: path, headers: { ...headers } };
    assert.equal((await running.send(twice)).status, 200);
    assert.equal((await running.send(twice)).json()['code'], 'signature_replayed');
    assert.equal((await running.send({ method: 'OPTIONS', url: path })).json()['code'], 'signature_missing');
  });

  test('answers with what was verified, whatever the method and the body, and needs no role', async () => {
    for (const [method, body] of [
      ['GET', undefined],
      ['GET', 'a body'],
      ['POST', '{"not": JSON'],
      ['PUT', '\u0000\u0001'],
      ['PATCH', undefined],
      ['DELETE', 'x'],
    ] as const) {
      const sentMs = Date.now();
      const answer = await sendSigned(running, shop.signer, {
        method,
        url: `${path}?any=${method}&thing`,
        ...(body !== undefined && { body }),
        headers: { 'Content-Type': 'text/plain' },
      });
      assert.equal(answer.status, 200, `${method}: ${answer.text}`);
      const tested = answer.json() as unknown as SignatureTest;
      assert.equal(tested.clientId, shop.clientId);
      assert.equal(tested.method, method);
      assert.equal(tested.targetUri, `${baseUrl}${path}?any=${method}&thing`);
      assert.match(tested.keyFingerprint, /^SHA256:/);
      // Signatures know whole seconds.
      assert.ok(Math.abs(tested.clockDifferenceSeconds) <= (Date.now() - sentMs) / 1000 + 1);
      const names = ['@method', '@target-uri', ...(body === undefined ? [] : ['content-digest']), 'date'];
      assert.deepEqual(tested.components, names);
      assert.equal(tested.contentDigest !== undefined, body !== undefined);
      const lines = tested.base.split('\n');
      assert.deepEqual(
        lines.map((line) => line.split(':')[0]),
        [...names, '@signature-params'].map((name) => `"${name}"`),
      );
      assert.equal(lines[0], `"@method": ${method}`);
    }
  });

  test('a refusal is explained to whoever names a client that allows it', async () => {
    const answer = await send(sandbox.signer);
    assert.equal(answer.json()['code'], 'signature_invalid');
    const { verdict, findings, base } = explanationIn(answer);
    assert.equal(verdict, 'refused');
    assert.deepEqual(
      findings.map(({ code, certainty }) => [code, certainty]),
      [['url_scheme', 'proven']],
    );
    assert.match(base ?? '', /"@target-uri": https:/);
    const { headers } = sandbox.signer.sign(
      { method: 'GET', url: baseUrl + path },
      { created: Math.floor(Date.now() / 1000) - 7200 },
    );
    const old = await running.send({ method: 'GET', url: path, headers: { ...headers } });
    assert.equal(old.json()['code'], 'created_expired');
    assert.ok(explanationIn(old).findings.length > 0);
  });

  test('a body that differs is explained when it was read', async () => {
    const { headers } = sandbox.signer.sign({ method: 'POST', url: baseUrl + path, body: '{"a":1}' });
    const answer = await running.send({
      method: 'POST',
      url: path,
      headers: { ...headers },
      body: '{"a":1}\n',
    });
    assert.equal(answer.json()['code'], 'digest_mismatch');
    assert.deepEqual(
      explanationIn(answer).findings.map(({ code }) => code),
      ['body_trailing_newline'],
    );
  });

  test('nothing is explained elsewhere, or for a client that does not allow it', async () => {
    const { headers } = sandbox.signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` });
    const elsewhere = await running.send({ method: 'GET', url: '/v1/whoami?', headers: { ...headers } });
    assert.equal(elsewhere.json()['code'], 'signature_invalid');
    assert.equal(elsewhere.json()['explanation'], undefined);
    const refused = await send(shop.signer);
    assert.equal(refused.json()['explanation'], undefined);
  });

  test('a client that does not allow it answers as one that does not exist', async () => {
    const known = await send(signerOf(shop.clientId, 62));
    const unknown = await send(signerOf('client_00000000000000000000000000', 62));
    const told = (answer: Answer): unknown => {
      const { status, headers } = answer;
      const { requestId: _unique, ...body } = answer.json();
      const { date: _date, 'request-id': _id, 'content-length': _length, ...fields } = headers;
      return { status, body, fields };
    };
    assert.deepEqual(told(known), told(unknown));
  });

  test('a stranger learns of no key but those of the named client: others of the account stay unknown', async () => {
    const answer = await send(signerOf(sandbox.clientId, 61), baseUrl + path);
    const { findings } = explanationIn(answer);
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['key_unknown'],
    );
    const shopKey = (await sendSigned(running, shop.signer, { method: 'GET', url: path })).json()[
      'keyFingerprint'
    ] as string;
    for (const secret of [shop.clientId, shopKey]) assert.equal(answer.text.includes(secret), false);
  });

  test('a disabled client allows nothing', async () => {
    const disabled = await running.addClient({ keyPair: testKey(63), roles: [], allowExplanations: true });
    await running.change((registry) => registry.disableClient(disabled.clientId));
    const answer = await send(disabled.signer);
    assert.equal(answer.json()['explanation'], undefined);
  });

  test('many at once: no more are explained than a client may cause, and the others are refused as ever', async () => {
    const busy = await running.addClient({ keyPair: testKey(64), roles: [], allowExplanations: true });
    const answers: Answer[] = [];
    for (let index = 0; index < 25; index += 1) answers.push(await send(busy.signer));
    const explained = answers.filter((answer) => explanationIn(answer) !== undefined).length;
    assert.ok(explained > 0 && explained <= 12, String(explained));
    for (const answer of answers) {
      assert.equal(answer.json()['code'], 'signature_invalid');
      const isWithheld = explanationIn(answer) === undefined;
      assert.equal(/Wait ten seconds/.test(String(answer.json()['explanationWithheld'])), isWithheld);
    }
  });
});
