import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { baseUrl } from '@countersign/testing/running-service';
import { waitFor } from '@countersign/testing/wait-until';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, type Browser } from './browser.ts';
import { runMailServer } from './mail-server.ts';
import { type OpenIdProvider, runOpenIdProvider } from './openid-provider.ts';
import {
  addApp,
  addPasskey,
  goodPassword,
  openPeopleScene,
  otherPassword,
  type PeopleScene,
  proveEmail,
  tokenIn,
} from './people-scene.ts';
import { providerSettings, refusal, signInVia } from './provider-sign-in.ts';

/* An inviter who sees the link accepts it as the invited person, and waits for them to sign in. */

/** The page that reports that earlier credentials have ended. */
const told = `${baseUrl}/portal/settings/profile?earlier-sign-in=ended`;

for (const backend of backends) {
  describe(
    `an inviter who has followed the link of the invited, on ${backend.name}`,
    { skip: backend.skip },
    () => {
      let provider: OpenIdProvider;
      let scene: PeopleScene;
      let owner: Browser;
      let number = 0;
      let email = '';
      before(async () => {
        provider = await runOpenIdProvider();
        scene = await openPeopleScene({ backend, environment: providerSettings(provider.issuer) });
      });
      after(async () => {
        await scene.close();
        await provider.close();
      });
      beforeEach(async () => {
        number += 1;
        email = `invited-${number}@example.com`;
        owner = await scene.signedIn(await scene.addPerson({ email: `owner-${number}@example.com` }));
        provider.claims = { sub: `subject-${number}`, email, email_verified: true, name: 'The Invited' };
      });

      /** Becomes the invited person with the link that was shown. */
      const hijack = async (): Promise<Browser> => {
        const headers = { 'Countersign-Account': scene.accountId };
        const invited = await owner.post('/v1/invitations', { email, role: 'admin' }, headers);
        const browser = scene.browser();
        const accepted = {
          token: tokenIn(String(invited.json()['link'])),
          name: 'Not I',
          password: goodPassword,
        };
        assert.equal((await browser.post('invitation/accept', accepted)).status, 200);
        return browser;
      };
      /** Waits for a mail to the invited person. */
      const mailTo = (expected: RegExp): Promise<string> =>
        waitFor(async () => {
          const mails = (await scene.mails(1)).filter((text) => text.includes(`To: ${email}\n`));
          return mails.find((text) => expected.test(text));
        }, `a mail to ${email} with ${expected}`);
      const rowsOf = async (userId: string): Promise<Record<string, number>> => {
        const counts: Record<string, number> = {};
        await scene.database(async (database) => {
          for (const table of [
            'person_sessions',
            'person_passkeys',
            'person_second_factors',
            'person_recovery_codes',
            'acting_sessions',
          ] as const) {
            const { count } = await database
              .selectFrom(table)
              .$if(table !== 'acting_sessions', (query) =>
                query.where('user_id' as never, '=', userId as never),
              )
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .executeTakeFirstOrThrow();
            counts[table] = count;
          }
        });
        return counts;
      };
      const userIdOf = async (browser: Browser): Promise<string> =>
        ((await browser.state()) as { person: { userId: string } }).person.userId;

      test('has no password any more once the person comes by the provider, and no session', async () => {
        const inviter = await hijack();
        const pending = scene.browser();
        const person = scene.browser();
        assert.equal(await signInVia(provider, person), told);
        assert.equal((await inviter.state())['state'], 'signed-out');
        assertRefused(
          await pending.post('sign-in', { email, password: goodPassword }),
          401,
          'credentials_invalid',
        );
        const state = (await person.state()) as { state: string; person: { hasPassword: boolean } };
        assert.deepEqual([state.state, state.person.hasPassword], ['signed-in', false]);
        // And gets none back by a link for a new one.
        const mailsBefore = (await scene.mails(1)).length;
        await pending.post('password/forgot', { email });
        await scene.browser().post('password/forgot', { email: `owner-${number}@example.com` });
        const later = (await scene.mails(mailsBefore + 1)).slice(mailsBefore).join('\n');
        assert.equal(later.includes(`To: ${email}\n`) && later.includes('reset-password'), false);
      });

      test('has no second factor, passkey or recovery code any more', async () => {
        const inviter = await hijack();
        const userId = await userIdOf(inviter);
        const { secret, recoveryCodes } = await addApp(scene, inviter);
        const passkey = await addPasskey(inviter, baseUrl);
        const waiting = scene.browser();
        await waiting.post('sign-in', { email, password: goodPassword });
        assert.equal((await waiting.state())['state'], 'second-factor');
        const options = (await scene.browser().post('passkey/options')).json();
        assert.ok(options['challenge']);

        const person = scene.browser();
        assert.equal(await signInVia(provider, person), told);
        assert.deepEqual(await rowsOf(userId), {
          person_sessions: 1,
          person_passkeys: 0,
          person_second_factors: 0,
          person_recovery_codes: 0,
          acting_sessions: 0,
        });
        scene.advance(60_000);
        for (const given of [{ code: totpCode(secret, scene.nowMs()) }, { recoveryCode: recoveryCodes[0] }])
          assertRefused(await waiting.post('second-factor', given), 401, 'session_required');
        const other = scene.browser();
        const challenge = (await other.post('passkey/options')).json();
        const response = passkey.prove(challenge, baseUrl);
        assertRefused(await other.post('passkey/sign-in', { response }), 401, 'second_factor_invalid');
        assert.equal(await userIdOf(person), userId, 'the person keeps its memberships');
      });

      test('adds nothing by requests that were on their way', async () => {
        const inviter = await hijack();
        const userId = await userIdOf(inviter);
        const { secret } = (await inviter.post('profile/totp')).json() as { secret: string };
        const options = (await inviter.post('profile/passkeys/options')).json();
        const { Authenticator } = await import('./authenticator.ts');
        const response = new Authenticator().register(options, baseUrl);
        const link = scene.browser();
        await link.post('password/forgot', { email });
        const reset = tokenIn(await mailTo(/reset-password/));
        const person = scene.browser();
        const [location] = await Promise.all([
          signInVia(provider, person),
          inviter.post('profile/passkeys', { name: 'Mine', response }),
          inviter.post('profile/totp/confirm', { code: totpCode(secret, scene.nowMs()) }),
          inviter.post('profile/recovery-codes'),
          inviter.post('profile/password', { currentPassword: goodPassword, newPassword: otherPassword }),
          scene.browser().post('sign-in', { email, password: goodPassword }),
        ]);
        assert.equal(location, told);
        const taken = { token: reset, password: otherPassword };
        assertRefused(await link.post('password/reset', taken), 400, 'link_invalid');
        const { person_sessions: sessions, ...others } = await rowsOf(userId);
        assert.equal(sessions, 1);
        assert.deepEqual(new Set(Object.values(others)), new Set([0]));
        for (const password of [goodPassword, otherPassword])
          assertRefused(
            await scene.browser().post('sign-in', { email, password }),
            401,
            'credentials_invalid',
          );
      });

      test('acts for nobody any more', async () => {
        const inviter = await hijack();
        const userId = await userIdOf(inviter);
        await scene.database(async (database) => {
          const { session_id } = await database
            .selectFrom('person_sessions')
            .select('session_id')
            .where('user_id', '=', userId)
            .executeTakeFirstOrThrow();
          const times = { started_at_ms: scene.nowMs(), ends_at_ms: scene.nowMs() + 3_600_000 };
          const acting = { session_id, account_id: scene.accountId, reason: 'Because', ...times };
          await database.insertInto('acting_sessions').values(acting).execute();
        });
        await signInVia(provider, scene.browser());
        assert.equal((await rowsOf(userId))['acting_sessions'], 0);
      });

      test('is told of to the person, once', async () => {
        await hijack();
        assert.equal(await signInVia(provider, scene.browser(), '?return=/portal/logs/requests'), told);
        assert.match(await mailTo(/signed in with Example SSO for the first time/), /no\slonger\sworks/);
        const again = await signInVia(provider, scene.browser(), '?return=/portal/logs/requests');
        assert.equal(again, `${baseUrl}/portal/logs/requests`);
      });

      test('comes no nearer by an identity of the provider that is not of the person', async () => {
        const inviter = await hijack();
        provider.claims = { ...provider.claims, email_verified: false };
        assert.equal(await signInVia(provider, scene.browser()), refusal('provider-refused'));
        assert.equal((await inviter.state())['state'], 'signed-in', 'who proves nothing ends nothing');
      });

      test('whose address was joined before that was looked at loses all at the next sign-in', async () => {
        const inviter = await hijack();
        await signInVia(provider, scene.browser());
        const userId = await scene.database(async (database) => {
          const row = await database
            .updateTable('persons')
            .set({ is_email_verified: 0 })
            .where('email', '=', email)
            .returning('user_id')
            .executeTakeFirstOrThrow();
          return row.user_id;
        });
        assert.equal((await inviter.state())['state'], 'signed-out');
        const person = scene.browser();
        assert.equal(await signInVia(provider, person), told);
        assert.equal((await rowsOf(userId))['person_sessions'], 1);
      });
    },
  );
}

describe('somebody whose address is proved', () => {
  test('keeps what it signs in with when the provider vouches for it', async (context) => {
    const provider = await runOpenIdProvider();
    const scene = await openPeopleScene({ environment: providerSettings(provider.issuer) });
    context.after(async () => {
      await scene.close();
      await provider.close();
    });
    const person = await scene.addPerson();
    await proveEmail(scene, person);
    const known = await scene.signedIn(person);
    provider.claims = { sub: 'ann', email: person.email, email_verified: true };
    assert.equal(await signInVia(provider, scene.browser()), `${baseUrl}/portal/`);
    assert.equal((await known.state())['state'], 'signed-in');
    await scene.signedIn(person);
  });

  test('is who has followed a link that was mailed, and shown to nobody', async (context) => {
    const provider = await runOpenIdProvider();
    const server = await runMailServer();
    const scene = await openPeopleScene({
      environment: {
        ...providerSettings(provider.issuer),
        COUNTERSIGN_MAIL_URL: server.url,
        COUNTERSIGN_MAIL_REQUIRE_TLS: 'no',
        COUNTERSIGN_MAIL_FROM: 'portal@example.com',
      },
    });
    context.after(async () => {
      await scene.close();
      await server.close();
      await provider.close();
    });
    const owner = await scene.signedIn(await scene.addPerson({ email: 'owner@example.com' }));
    const headers = { 'Countersign-Account': scene.accountId };
    const signUp = async (email: string, token: string): Promise<Browser> => {
      const browser = scene.browser();
      const accepted = { token, name: 'New Person', password: goodPassword };
      assert.equal((await browser.post('invitation/accept', accepted)).status, 200, email);
      provider.claims = { sub: email, email, email_verified: true };
      return browser;
    };

    // The mail server did not take it, so the link was shown.
    const shown = { email: 'refused@example.com', role: 'viewer' };
    const link = String((await owner.post('/v1/invitations', shown, headers)).json()['link']);
    const inviter = await signUp(shown.email, tokenIn(link));
    assert.equal(await signInVia(provider, scene.browser()), told);
    assert.equal((await inviter.state())['state'], 'signed-out');

    const mailed = { email: 'mailed@example.com', role: 'viewer' };
    const answer = (await owner.post('/v1/invitations', mailed, headers)).json();
    assert.equal(answer['link'], undefined);
    const mail = await server.mailTo(mailed.email);
    const invited = await signUp(mailed.email, tokenIn(mail.text));
    assert.equal(await signInVia(provider, scene.browser()), `${baseUrl}/portal/`);
    assert.equal((await invited.state())['state'], 'signed-in');
  });

  test('is not who has followed a new link that was shown, after one that was mailed', async (context) => {
    const server = await runMailServer();
    const scene = await openPeopleScene({
      environment: {
        COUNTERSIGN_MAIL_URL: server.url,
        COUNTERSIGN_MAIL_REQUIRE_TLS: 'no',
        COUNTERSIGN_MAIL_FROM: 'portal@example.com',
      },
    });
    context.after(async () => {
      await scene.close();
      await server.close();
    });
    const owner = await scene.signedIn(await scene.addPerson({ email: 'owner@example.com' }));
    const headers = { 'Countersign-Account': scene.accountId };
    const email = 'sometimes@example.com';
    const { invitationId } = (
      await owner.post('/v1/invitations', { email, role: 'viewer' }, headers)
    ).json() as { invitationId: string };
    await server.mailTo(email);
    server.refuses = email;
    scene.advance(61_000);
    const again = await owner.request('POST', `/v1/invitations/${invitationId}/resend`, undefined, headers);
    const accepted = { token: tokenIn(String(again.json()['link'])), name: 'Not I', password: goodPassword };
    assert.equal((await scene.browser().post('invitation/accept', accepted)).status, 200, again.text);
    const { is_email_verified: isVerified } = await scene.database((database) =>
      database.selectFrom('persons').selectAll().where('email', '=', email).executeTakeFirstOrThrow(),
    );
    assert.equal(isVerified, 0);
  });
});
