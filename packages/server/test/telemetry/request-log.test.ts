import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { bodylessDraft, type Draft, nowMs, paymentDraft, requestOf } from '@countersign/testing/draft';
import { openConnection, type RawAnswer } from '@countersign/testing/raw-connection';
import {
  baseUrl,
  keyPair,
  otherKeyPair,
  publishedKeyPair,
  type RunningService,
  runService,
} from '@countersign/testing/running-service';
import { addParty, answerTo, settingFor, signed } from '@countersign/testing/profiled-requests';
import { sendDraft } from '@countersign/testing/send-draft';
import { waitFor } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';

const { curl822 } = messageProfiles;

type Line = Record<string, unknown>;

let folder: string;
let file: string;
let running: RunningService;
let clientId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-log-'));
  file = join(folder, 'log.jsonl');
  running = await runService(settingFor([curl822]), { nowMs }, createLogger('info', file));
  ({ clientId } = await running.addClient());
});
after(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

/** The line about a request; it is written after the answer, so it may take a moment. */
function lineOf(matches: (line: Line) => boolean): Promise<{ line: Line; text: string }> {
  return waitFor(async () => {
    const texts = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    const found = texts
      .map((text) => ({ text, line: JSON.parse(text) as Line }))
      .filter(({ line }) => matches(line));
    assert.ok(found.length <= 1, 'one line for each request');
    return found[0];
  }, 'the line about a request');
}

const lineAbout = ({ headers }: RawAnswer): Promise<{ line: Line; text: string }> =>
  lineOf(({ requestId }) => requestId === headers['request-id']);

const logged = async (draft: Draft): Promise<{ line: Line; text: string }> =>
  lineAbout(await sendDraft(running, draft));

/** Fails when a line has something that no log may have. */
function assertDiscreet(text: string, draft: Draft): void {
  const { head, body } = requestOf(draft);
  const values = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.slice(line.indexOf(': ') + 2));
  const signature = /sig=:(.{20})/.exec(head)?.[1] ?? 'sig=:';
  const query = draft.target.split('?')[1];
  for (const secret of [...values, signature, body, query, keyPair.privateKey.slice(40, 80)]) {
    if (secret === undefined || secret.length < 3) continue;
    assert.ok(!text.includes(JSON.stringify(secret).slice(1, -1)), `the log has ${secret}: ${text}`);
  }
}

describe('the line of a refused request', () => {
  test('has the code, the reason and what was claimed', async () => {
    const draft = paymentDraft(clientId, { created: 1, target: '/v1/payments?secret=query' });
    const { line, text } = await logged(draft);
    const { time, durationMs, ...rest } = line;
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(typeof durationMs, 'number');
    assert.deepEqual(rest, {
      level: 'info',
      requestId: line['requestId'],
      outcome: 'created_expired',
      status: 401,
      method: 'POST',
      path: '/v1/payments',
      sourceAddress: '127.0.0.1',
      claimedClientId: clientId,
      reason: line['reason'],
      msg: 'request',
    });
    assert.match(String(line['reason']), /^created is \d+ s old; the limit is 300 s$/);
    assertDiscreet(text, draft);
  });

  test('signature_invalid: has the true reason, which the caller is not told', async () => {
    const unknown = await logged(bodylessDraft('client_unknown'));
    assert.equal(unknown.line['reason'], 'no client has this keyid');
    assert.equal(unknown.line['claimedClientId'], 'client_unknown');
    assert.equal(unknown.line['clientId'], undefined);
    const wrongKey = await logged(bodylessDraft(clientId, { privateKey: otherKeyPair.privateKey }));
    assert.equal(wrongKey.line['reason'], 'the signature does not match any working key of this client');
    assert.equal(wrongKey.line['claimedClientId'], clientId);
    assert.equal(wrongKey.line['clientId'], undefined);
    assert.equal(wrongKey.line['keyFingerprint'], undefined);
  });

  test('of a proved caller: has who it is', async () => {
    const { line } = await logged(paymentDraft(clientId, { bodySent: '{}' }));
    assert.equal(line['outcome'], 'digest_mismatch');
    assert.equal(line['clientId'], clientId);
    assert.match(String(line['keyFingerprint']), /^SHA256:/);
  });

  test('of a caller with another profile: has its name, rejected or accepted', async () => {
    const party = await addParty({ running }, curl822, 'ed25519', { roles: ['payments-operator'] });
    const seen = async (draft: Parameters<typeof signed>[1]): Promise<unknown[]> => {
      const answer = await answerTo({ running }, await signed(party, { ...draft, lines: [] }));
      const { line } = await lineOf(({ requestId }) => requestId === answer.headers['request-id']);
      return [line['outcome'], line['clientId'], line['profile']];
    };
    const url = `${baseUrl}/v1/whoami`;
    assert.deepEqual(await seen({ url }), ['accepted', party.clientId, 'curl-8.22']);
    const posted = { method: 'POST', url: `${baseUrl}/v1/payments`, body: '{}' };
    assert.deepEqual(await seen(posted), ['components_invalid', party.clientId, 'curl-8.22']);
    const other = await signed(party, { url: `${url}?x`, lines: [] });
    const forged = await answerTo({ running }, { ...other, url });
    const { line } = await lineOf(({ requestId }) => requestId === forged.headers['request-id']);
    assert.deepEqual([line['outcome'], 'profile' in line], ['signature_invalid', false]);
  });

  test('of a network that is not allowed: has the address', async () => {
    await running.change((registry) => registry.setNetwork(clientId, [{ entry: '192.0.2.1' }]));
    const { line } = await logged(bodylessDraft(clientId));
    await running.change((registry) => registry.setNetwork(clientId, [{ entry: '0.0.0.0' }]));
    assert.equal(line['outcome'], 'network_not_allowed');
    assert.equal(line['reason'], 'the source address is 127.0.0.1; it is not on the network whitelist');
  });

  test('never has query, body, signature, digest, date or another header, whatever is wrong', async () => {
    const headers = {
      Cookie: 'session=secret',
      Authorization: 'Bearer secret',
      'User-Agent': 'secret agent',
      'Content-Type': 'application/json',
    };
    const target = '/v1/payments?token=secret-query';
    const drafts = [
      paymentDraft(clientId, { target, headers }),
      paymentDraft(clientId, { target, headers, alg: 'secret-alg' }),
      paymentDraft(clientId, { target, headers, date: 'secret date' }),
      paymentDraft(clientId, { target, headers, contentDigest: 'secret digest' }),
      paymentDraft(clientId, { target, headers, components: ['secret-component'] }),
      paymentDraft(clientId, { target, headers, host: 'secret.example' }),
      paymentDraft(clientId, { target, headers, signatureSent: () => 'sig=:secret' }),
      paymentDraft(clientId, { target, headers, body: '{"amount":"secret"}' }),
      bodylessDraft(clientId, { target: '/v1/whoami?secret=query', headers }),
    ];
    for (const draft of drafts) {
      const { text } = await logged(draft);
      assertDiscreet(text, draft);
      assert.doesNotMatch(text, /secret/);
    }
  });

  test("is no longer than ours, however long a stranger's texts are", async () => {
    const long = await logged(bodylessDraft(clientId, { target: `/${'a'.repeat(8000)}`, created: 1 }));
    assert.ok(long.text.length < 2000, long.text);
    assert.ok(String(long.line['path']).startsWith('/aaaa'));
    const names = Array.from({ length: 500 }, (_, index) => `;x${index}`).join('');
    const parameters = await logged(bodylessDraft(clientId, { moreParameters: names }));
    assert.equal(parameters.line['outcome'], 'parameters_invalid');
    assert.ok(parameters.text.length < 2000, parameters.text);
  });

  test('of another host: has where it came from', async () => {
    const { line } = await logged(bodylessDraft(clientId, { host: 'evil.example' }));
    assert.equal(line['outcome'], 'request_malformed');
    assert.equal(line['sourceAddress'], '127.0.0.1');
  });

  test('is there for bytes that are no request', async () => {
    const connection = await openConnection(running.port);
    connection.write('nonsense\r\n\r\n');
    const { line } = await lineAbout(await connection.answer());
    const { time, requestId, reason, ...rest } = line;
    assert.ok(time !== undefined && requestId !== undefined);
    assert.match(String(reason), /^HPE_/);
    assert.deepEqual(rest, {
      level: 'info',
      outcome: 'request_malformed',
      status: 400,
      method: '',
      path: '',
      sourceAddress: '127.0.0.1',
      msg: 'request',
    });
  });

  test('is there for a body that ended too early', async () => {
    const connection = await openConnection(running.port);
    const draft = paymentDraft(clientId, { headers: { Expect: '100-continue' }, target: '/v1/cut' });
    connection.write(requestOf(draft).head);
    assert.equal((await connection.answer()).status, 100);
    connection.cut();
    const { line } = await lineOf(({ path }) => path === '/v1/cut');
    assert.equal(line['outcome'], 'connection_closed');
    assert.equal(line['status'], 0);
    assert.equal(line['clientId'], clientId);
  });
});

describe('the line of an accepted request', () => {
  test('has who called, with which key, and how its clock goes', async () => {
    const { clientId: other } = await running.addClient({ keyPair: publishedKeyPair('rsa-2048-a') });
    const draft = bodylessDraft(other, {
      privateKey: publishedKeyPair('rsa-2048-a').privateKey,
      target: '/v1/payments?limit=77',
    });
    const { line, text } = await logged(draft);
    assert.equal(line['outcome'], 'accepted');
    assert.equal(line['status'], 200);
    assert.equal(line['method'], 'GET');
    assert.equal(line['path'], '/v1/payments');
    assert.equal(line['clientId'], other);
    assert.match(String(line['keyFingerprint']), /^SHA256:/);
    assert.equal(line['clockDifferenceSeconds'], draft.created - Math.floor(nowMs() / 1000));
    assert.equal(line['reason'], undefined);
    assertDiscreet(text, draft);
  });
  test('of a handler that refuses has its code', async () => {
    const { line, text } = await logged(bodylessDraft(clientId, { target: '/v1/nothing' }));
    assert.equal(line['outcome'], 'not_found');
    assert.equal(line['clientId'], clientId);
    assert.doesNotMatch(text, /limit=/);
  });
});

test('pages are logged as pages, and health, which balancers ask for all the time, is not', async () => {
  await running.send({ method: 'GET', url: '/live' });
  const { headers } = await running.send({ method: 'GET', url: '/docs/errors' });
  // The next line is written behind what the two have written.
  await logged(bodylessDraft(clientId));
  const text = await readFile(file, 'utf8');
  assert.doesNotMatch(text, /live/);
  const line = text.split('\n').find((each) => each.includes(String(headers['request-id'])));
  const { outcome, status, path } = JSON.parse(line ?? '') as Record<string, unknown>;
  assert.deepEqual({ outcome, status, path }, { outcome: 'page', status: 200, path: '/docs/errors' });
});
