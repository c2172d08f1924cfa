import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';
import { pino } from 'pino';
import { makeServerCertificate, type MailServer, type ReceivedMail, runMailServer } from './mail-server.ts';
import {
  addApp,
  goodPassword,
  openPeopleScene,
  otherPassword,
  type PeopleScene,
  tokenIn,
} from './people-scene.ts';

/* Where mails go, and what the log says about them. */

/** Collects the service's log as text. */
function memoryLog(): { logger: pino.Logger; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return { logger: pino({ level: 'trace' }, stream), text: () => chunks.join('') };
}

describe('mails through a mail server', () => {
  let server: MailServer;
  let scene: PeopleScene;
  const log = memoryLog();
  before(async () => {
    server = await runMailServer();
    scene = await openPeopleScene({
      logger: log.logger,
      environment: {
        COUNTERSIGN_MAIL_URL: server.url,
        COUNTERSIGN_MAIL_REQUIRE_TLS: 'no',
        COUNTERSIGN_MAIL_FROM: 'portal@example.com',
        COUNTERSIGN_SERVICE_NAME: 'Payments, Inc.',
      },
    });
  });
  after(async () => {
    await scene.close();
    await server.close();
  });
  const mail = (count: number): Promise<ReceivedMail> =>
    waitFor(() => server.received[count - 1], `mail ${count}`);

  test('a link for a new password', async () => {
    const person = await scene.addPerson({ email: 'ann@example.com', name: 'Ann "x" <evil@example.com>' });
    await scene.browser().post('password/forgot', { email: person.email });
    const { from, to, text, user } = await mail(1);
    assert.deepEqual([from, to, user], ['portal@example.com', ['ann@example.com'], 'portal']);
    assert.match(text, /^Subject: Reset your password for Payments, Inc\.\r$/m);
    assert.match(text, /We received a request from the address 127\.0\.0\.1 to reset your password/);
    assert.match(text, /https:\/\/api\.example\.test\/portal\/reset-password#token=/);
    assert.doesNotMatch(text, /text\/html/);
    const password = otherPassword;
    assert.equal(
      (await scene.browser().post('password/reset', { token: tokenIn(text), password })).status,
      204,
    );
    assert.match((await mail(2)).text, /has changed/);
  });

  test('an invitation; the inviter is not shown the link then, only when the mail could not be sent', async () => {
    const person = await scene.addPerson({ email: 'owner@example.com', name: 'The Owner' });
    const browser = await scene.signedIn(person);
    const headers = { 'Countersign-Account': scene.accountId };
    const sent = await browser.post('/v1/invitations', { email: 'new@example.com', role: 'viewer' }, headers);
    assert.equal(sent.status, 201, sent.text);
    assert.equal(sent.json()['link'], undefined);
    assert.deepEqual((await mail(3)).to, ['new@example.com']);
    const failed = { email: 'refused@example.com', role: 'viewer' };
    const shown = await browser.post('/v1/invitations', failed, headers);
    assert.match(String(shown.json()['link']), /\/portal\/invitation#token=/);
    const state = (await browser.state())['features'] as Record<string, unknown>;
    assert.equal(state['isMailConfigured'], true);
    assert.equal(state['serviceName'], 'Payments, Inc.');
  });

  test('the password of the mail server is in no log', () => {
    assert.doesNotMatch(log.text(), /mail secret|mail%20secret/);
  });
});

describe('mails over TLS', () => {
  const environment = { COUNTERSIGN_MAIL_FROM: 'portal@example.com' };

  test('a server that offers none gets neither password nor mail, unless the setting allows it', async (context) => {
    const server = await runMailServer();
    context.after(() => server.close());
    const log = memoryLog();
    const scene = await openPeopleScene({
      logger: log.logger,
      environment: { ...environment, COUNTERSIGN_MAIL_URL: server.url },
    });
    context.after(() => scene.close());
    const person = await scene.addPerson();
    await scene.browser().post('password/forgot', { email: person.email });
    await waitUntil(() => log.text().includes('STARTTLS'), log.text);
    assert.deepEqual(server.received, []);
    assert.equal(server.signIns, 0);
  });

  test('a server that offers STARTTLS with a trusted certificate gets both', async (context) => {
    const tls = makeServerCertificate();
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, tls.cert]);
    context.after(() => setDefaultCACertificates(trusted));
    const server = await runMailServer(tls);
    context.after(() => server.close());
    const scene = await openPeopleScene({
      environment: { ...environment, COUNTERSIGN_MAIL_URL: server.url },
    });
    context.after(() => scene.close());
    const person = await scene.addPerson();
    await scene.browser().post('password/forgot', { email: person.email });
    const { user, isSecure } = await server.mailTo(person.email);
    assert.deepEqual([user, isSecure], ['portal', true]);
  });
});

describe('without a mail server', () => {
  test('mails are files of their owner alone, and the log has nothing that opens something', async (context) => {
    const log = memoryLog();
    const scene = await openPeopleScene({ logger: log.logger });
    context.after(() => scene.close());
    const setUp = await scene.running.service.people!.setUpLink();
    const person = await scene.addPerson();
    const browser = scene.browser();
    await browser.post('sign-in', { email: person.email, password: 'a wrong guess at it' });
    await browser.post('sign-in', { email: person.email, password: person.password });
    const { secret, recoveryCodes } = await addApp(scene, browser);
    await browser.post('step-up', { recoveryCode: recoveryCodes[0] });
    await browser.post('password/forgot', { email: person.email });
    const headers = { 'Countersign-Account': scene.accountId };
    const invited = await browser.post(
      '/v1/invitations',
      { email: 'new@example.com', role: 'viewer' },
      headers,
    );
    const mails = await scene.mails(3);
    const reset = tokenIn(mails.find((text) => text.includes('reset-password'))!);
    await browser.post('password/reset', { token: reset, password: otherPassword });
    await scene.mails(4);
    const folder = join(scene.running.dataFolder, 'mail');
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    for (const file of await readdir(folder))
      assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600);
    const secrets = {
      setUp: tokenIn(setUp!),
      reset,
      invitation: tokenIn(String(invited.json()['link'])),
      secret,
      recoveryCode: recoveryCodes[0]!,
      password: goodPassword,
      newPassword: otherPassword,
      guess: 'a wrong guess at it',
      cookies: [...browser.cookies.values()].join(' '),
      email: person.email,
    };
    const text = log.text();
    assert.match(text, /an email was written to the mail folder/);
    assert.match(text, /"outcome":"credentials_invalid"/);
    for (const [what, value] of Object.entries(secrets))
      if (value !== '') assert.equal(text.includes(value), false, what);
  });
});
