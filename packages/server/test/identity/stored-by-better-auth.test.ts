import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { baseUrl } from '@countersign/testing/running-service';
import type { Schema } from '../../src/storage/schema.ts';
import { Authenticator, type StoredPasskey } from './authenticator.ts';
import { totpCode } from './authenticator-app.ts';
import { assertRefused, sessionCookie } from './browser.ts';
import { openPeopleScene, type PeopleScene } from './people-scene.ts';

/* Earlier versions used better-auth. One of them wrote these rows, which have to keep working. */

const tables = [
  'persons',
  'person_credentials',
  'person_second_factors',
  'person_recovery_codes',
  'person_passkeys',
  'person_sessions',
] as const satisfies (keyof Schema)[];

interface Stored {
  readonly portalSecret: string;
  readonly password: string;
  readonly totpSecret: string;
  readonly recoveryCode: string;
  readonly passkey: StoredPasskey;
  readonly sessionCookie: string;
  readonly rows: Readonly<Record<(typeof tables)[number], readonly Record<string, unknown>[]>>;
}

const stored = JSON.parse(
  readFileSync(new URL('stored-by-better-auth.json', import.meta.url), 'utf8'),
) as Stored;
const email = 'old@example.com';

/** A session lasts a week at most, however often it is used: the stored one begins now. */
function rowsOf(table: (typeof tables)[number], nowMs: number): readonly Record<string, unknown>[] {
  if (table !== 'person_sessions') return stored.rows[table];
  const times = { created_at_ms: nowMs, last_seen_at_ms: nowMs, expires_at_ms: nowMs + 3_600_000 };
  return stored.rows[table].map((row) => ({ ...row, ...times }));
}

for (const backend of backends) {
  describe(`a person stored by better-auth, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: PeopleScene;
    before(async () => {
      const environment = { COUNTERSIGN_PORTAL_SECRET: stored.portalSecret };
      scene = await openPeopleScene({ backend, environment });
      await scene.database(async (database) => {
        for (const table of tables)
          await database
            .insertInto(table)
            .values(rowsOf(table, scene.nowMs()) as never)
            .execute();
      });
    });
    after(() => scene.close());

    test('stays signed in', async () => {
      const browser = scene.browser();
      browser.cookies.set(sessionCookie, stored.sessionCookie);
      const profile = (await browser.get('profile')).json();
      assert.equal(profile['email'], email);
      assert.deepEqual(
        [profile['hasPassword'], profile['hasTotp'], profile['recoveryCodesLeft']],
        [true, true, 10],
      );
    });

    test('signs in with password and authenticator app', async () => {
      const browser = scene.browser();
      const begun = await browser.post('sign-in', { email, password: stored.password });
      assert.deepEqual(begun.json(), { next: 'second-factor' }, begun.text);
      const code = totpCode(stored.totpSecret, scene.nowMs());
      const wrong = code === '000000' ? '000001' : '000000';
      assertRefused(await browser.post('second-factor', { code: wrong }), 401, 'second_factor_invalid');
      const done = await browser.post('second-factor', { code });
      assert.deepEqual(done.json(), { next: 'portal' }, done.text);
    });

    test('signs in with a recovery code, once', async () => {
      const browser = scene.browser();
      await browser.post('sign-in', { email, password: stored.password });
      const { recoveryCode } = stored;
      assert.equal((await browser.post('second-factor', { recoveryCode })).status, 200);
      assertRefused(await browser.post('step-up', { recoveryCode }), 401, 'second_factor_invalid');
    });

    test('signs in with the passkey', async () => {
      const passkey = new Authenticator(stored.passkey);
      const browser = scene.browser();
      const options = (await browser.post('passkey/options')).json();
      const done = await browser.post('passkey/sign-in', { response: passkey.prove(options, baseUrl) });
      assert.deepEqual(done.json(), { next: 'portal' }, done.text);
    });

    test('is not signed in by a passkey whose counter went backwards', async () => {
      const copied = new Authenticator({ ...stored.passkey, counter: 0 });
      const browser = scene.browser();
      const options = (await browser.post('passkey/options')).json();
      const answer = await browser.post('passkey/sign-in', { response: copied.prove(options, baseUrl) });
      assertRefused(answer, 401, 'second_factor_invalid');
    });
  });
}
