import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { type MailTexts, mailTexts, type SignInChange } from '../../src/people/identity/mail/mail-texts.ts';
import { addApp, openPeopleScene, type PeopleScene } from './people-scene.ts';

/* The language of emails: the recipient's, else the inviter's or that of the request, else English. */

const language = 'countersign-language';

/** What occurs in nearly every English sentence, and in no German one. */
const english =
  /\b(?:the|you|your|yours|been|has|have|this|that|with|from|for|and|of|to|it|is|are|on|by|here|hello|as|works?|new|notices?|more)\b/i;

const names = {
  name: 'Ann',
  serviceName: 'Nordbank',
  link: 'https://a.example/',
  sourceAddress: '192.0.2.1',
};

/** Every email, of every kind. */
function letters(texts: MailTexts): Readonly<Record<string, string>> {
  const atMs = Date.UTC(2026, 10, 29, 18, 5);
  const changes: Readonly<Record<SignInChange, true>> = {
    totp_added: true,
    totp_removed: true,
    recovery_codes_replaced: true,
    passkey_added: true,
    passkey_removed: true,
    password_changed: true,
    password_reset: true,
  };
  const roles = ['owner', 'admin', 'developer', 'viewer', 'account-manager', 'operator'] as const;
  const counts = [
    [1, 0],
    [2, 1],
    [9, 5],
  ] as const;
  const all = [
    ...roles.map((role) =>
      texts.invitation({ ...names, inviterName: 'Bo', accountName: 'Nordwind', role, expiresAtMs: atMs }),
    ),
    texts.reset({ ...names, minutes: 30 }),
    texts.reset({ ...names, sourceAddress: undefined, minutes: 30 }),
    ...Object.keys(changes).map((change) => texts.change({ ...names, change: change as SignInChange, atMs })),
    texts.earlierEnded({ ...names, providerName: 'Firma', atMs }),
    ...counts.map(([count, moreCount]) =>
      texts.notices({
        ...names,
        count,
        moreCount,
        lists: ['Nordwind:\n- x'],
        inboxLink: 'https://a.example/1',
        preferencesLink: 'https://a.example/2',
      }),
    ),
  ];
  return Object.fromEntries(all.map(({ subject, text }, index) => [index, `${subject}\n\n${text}`]));
}

describe('every email', () => {
  const [inEnglish, inGerman] = [letters(mailTexts('en')), letters(mailTexts('de'))];

  test('is in German without an English word, and formal', () => {
    for (const text of Object.values(inGerman)) {
      assert.doesNotMatch(text.replaceAll(/https:\S+/g, ''), english, text);
      assert.doesNotMatch(text, /\b(?:du|dir|dich|dein\w*)\b/i);
      assert.doesNotMatch(text, /undefined|\$\{|\bNaN\b/);
    }
  });

  test('is in English, with the same facts as in German', () => {
    for (const [index, text] of Object.entries(inEnglish)) {
      assert.match(text, english);
      const factsOf = (one: string): readonly string[] =>
        [...one.matchAll(/https:\S+|192\.0\.2\.1|Nordbank|Nordwind|Firma/g)].map(([fact]) => fact).toSorted();
      assert.deepEqual(factsOf(inGerman[index]!), factsOf(text));
    }
  });

  test('names a time in German', () => {
    assert.match(inGerman[0]!, /läuft ab am 29\. November 2026 um 18:05 UTC\./);
  });
});

async function openScene(t: TestContext): Promise<PeopleScene> {
  const scene = await openPeopleScene();
  t.after(() => scene.close());
  return scene;
}

describe('the language of an email', () => {
  test('is that of the request while the person has used the portal in none, and English for any other', async (t) => {
    const scene = await openScene(t);
    const person = await scene.addPerson();
    for (const [index, [wanted, subject]] of (
      [
        ['fr', /^Subject: Reset your password/m],
        ['de-AT,de;q=0.9,en;q=0.8', /^Subject: Ihr Passwort für Countersign zurücksetzen/m],
      ] as const
    ).entries()) {
      const browser = scene.browser({ headers: { 'Accept-Language': wanted } });
      await browser.post('password/forgot', { email: person.email });
      assert.match((await scene.mails(index + 1)).at(-1)!, subject);
    }
  });

  test('is that in which the person last used the portal, whoever asks for it', async (t) => {
    const scene = await openScene(t);
    const person = await scene.addPerson();
    const german = await scene.signedIn(person);
    german.cookies.set(language, 'de');
    await german.state();
    await scene
      .browser({ headers: { 'Accept-Language': 'en' } })
      .post('password/forgot', { email: person.email });
    assert.match((await scene.mails(1))[0]!, /Guten Tag Ann Example,/);
    german.cookies.set(language, 'en');
    await german.state();
    await scene
      .browser({ headers: { 'Accept-Language': 'de' } })
      .post('password/forgot', { email: person.email });
    assert.match((await scene.mails(2))[1]!, /Hello Ann Example,/);
  });

  test('of a changed sign-in is the person’s', async (t) => {
    const scene = await openScene(t);
    const browser = await scene.signedIn(await scene.addPerson());
    browser.cookies.set(language, 'de');
    await browser.state();
    await addApp(scene, browser);
    const [mail = ''] = await scene.mails(1);
    assert.match(mail, /^Subject: Ihre Anmeldung bei Countersign hat sich geändert/m);
    assert.match(mail, /Eine Authenticator-App wurde hinzugefügt \(/);
  });

  test('of an invitation is the invited person’s, else the inviter’s', async (t) => {
    const scene = await openScene(t);
    const inviter = await scene.signedIn(await scene.addPerson());
    inviter.cookies.set(language, 'de');
    await inviter.state();
    const headers = { 'Countersign-Account': scene.accountId };
    const invite = (email: string): Promise<unknown> =>
      inviter.post('/v1/invitations', { email, role: 'viewer' }, headers);
    await invite('new@example.com');
    const [mail = ''] = await scene.mails(1);
    assert.match(mail, /^Subject: Ann Example hat Sie zu Test account eingeladen/m);
    assert.match(mail, /mit der Rolle Betrachter beizutreten/);
    let accountId = '';
    await scene.running.change(async (registry) => {
      ({ accountId } = await registry.addAccount('Other account'));
    });
    const known = { name: 'Kim', email: 'kim@example.com', password: 'quiet marble 84 lantern' };
    await scene.running.service.people!.addMember({ ...known, accountId, role: 'owner' });
    const person = await scene.signedIn({ ...known, userId: '' });
    person.cookies.set(language, 'en');
    await person.state();
    await invite(known.email);
    assert.match((await scene.mails(2))[1]!, /^Subject: Ann Example invited you to Test account/m);
  });

  test('is never anything else that a browser claims', async (t) => {
    const scene = await openScene(t);
    const person = await scene.addPerson();
    const browser = await scene.signedIn(person);
    for (const claimed of ['__proto__', 'de; drop table', 'constructor', 'x'.repeat(5000)]) {
      browser.cookies.set(language, claimed);
      assert.equal((await browser.get('state')).status, 200);
    }
    const stored = await scene.database((database) =>
      database.selectFrom('persons').select('language').execute(),
    );
    assert.deepEqual(
      stored.map((row) => row.language),
      ['en'],
    );
  });
});
