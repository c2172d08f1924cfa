import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemberRole } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { runService, type RunningService } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitFor } from '@countersign/testing/wait-until';
import type { Logger } from 'pino';
import type { PasswordCost } from '../../src/people/identity/identity.ts';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { Authenticator } from './authenticator.ts';
import { totpCode } from './authenticator-app.ts';
import { Browser, type BrowserOptions } from './browser.ts';

/** A service with an account, people and a clock that a test can move forward. */
export interface PeopleScene {
  readonly running: RunningService;
  readonly accountId: string;
  /** Moves the service's clock. */
  advance(milliseconds: number): void;
  nowMs(): number;
  /** Adds a member to the account. */
  addPerson(options?: { email?: string; name?: string; role?: MemberRole }): Promise<TestPerson>;
  browser(options?: BrowserOptions): Browser;
  /** Signs a person in and returns the browser. */
  signedIn(person: TestPerson, options?: BrowserOptions): Promise<Browser>;
  /** Waits for this many mails and returns all of them, oldest first. */
  mails(count: number): Promise<string[]>;
  /** Opens another connection to the service's database. */
  database<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface TestPerson {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** A strong password that contains nobody's name. */
export const goodPassword = 'quiet marble 84 lantern';
export const otherPassword = 'brisk copper 17 meadow';

export interface PeopleSceneOptions {
  /** SQLite by default. */
  readonly backend?: Backend;
  readonly environment?: Readonly<Record<string, string>>;
  readonly logger?: Logger;
  /** Cheap by default; `undefined` stands for the production value. */
  readonly passwordCost?: PasswordCost | undefined;
  /** The real one by default. */
  readonly monotonicMs?: () => number;
}

/** Runs a service for tests. Close it when done. */
export async function openPeopleScene(options: PeopleSceneOptions = {}): Promise<PeopleScene> {
  const { backend = sqlite, environment: more = {}, logger } = options;
  const closers: (() => unknown)[] = [];
  const settings = await backend.settings({ after: (close) => void closers.push(close as () => unknown) });
  const environment: Readonly<Record<string, string>> = { ...settings, ...more };
  let offsetMs = 0;
  const nowMs = (): number => Date.now() + offsetMs;
  const cost = 'passwordCost' in options ? { passwordCost: options.passwordCost } : {};
  const { monotonicMs } = options;
  const running = await runService(
    environment,
    { nowMs, ...(monotonicMs && { monotonicMs }), ...cost },
    logger,
  );
  let accountId = '';
  await running.change(async (registry) => {
    accountId = (await registry.addAccount('Test account')).accountId;
  });
  const scene: PeopleScene = {
    running,
    accountId,
    nowMs,
    advance: (milliseconds) => {
      offsetMs += milliseconds;
    },
    addPerson: async ({ email = 'ann@example.com', name = 'Ann Example', role = 'owner' } = {}) => {
      const person = { email, name, password: goodPassword };
      const userId = await running.service.people!.addMember({ ...person, accountId, role });
      return { ...person, userId };
    },
    browser: (browserOptions) => new Browser(running, browserOptions),
    signedIn: async ({ email, password }, browserOptions) => {
      const browser = new Browser(running, browserOptions);
      const answer = await browser.post('sign-in', { email, password });
      assert.deepEqual(answer.json(), { next: 'portal' });
      return browser;
    },
    mails: (count) => readMails(running.dataFolder, count),
    database: async (work) => {
      const url = environment['COUNTERSIGN_DATABASE_URL'];
      const database = await openDatabase(
        url === undefined ? { file: join(running.dataFolder, 'countersign.sqlite') } : { url },
      );
      try {
        return await work(database);
      } finally {
        await database.destroy();
      }
    },
    close: async () => {
      await running.close();
      for (const close of closers) await close();
    },
  };
  return scene;
}

/** Marks a person's email address as proved, as a mailed link would. */
export async function proveEmail(scene: PeopleScene, { userId }: TestPerson): Promise<void> {
  await scene.database((database) =>
    database
      .updateTable('persons')
      .set({ is_email_verified: 1 })
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  );
}

export async function addApp(
  scene: PeopleScene,
  browser: Browser,
): Promise<{ readonly secret: string; readonly code: string; readonly recoveryCodes: string[] }> {
  const { secret } = (await browser.post('profile/totp')).json() as { secret: string };
  const code = totpCode(secret, scene.nowMs());
  const confirmed = await browser.post('profile/totp/confirm', { code });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { secret, code, recoveryCodes: confirmed.json()['recoveryCodes'] as string[] };
}

export async function addPasskey(
  browser: Browser,
  origin: string,
  name = 'My laptop',
): Promise<Authenticator> {
  const authenticator = new Authenticator();
  const options = await browser.post('profile/passkeys/options');
  assert.equal(options.status, 200, options.text);
  const response = authenticator.register(options.json(), origin);
  const added = await browser.post('profile/passkeys', { name, response });
  assert.equal(added.status, 200, added.text);
  return authenticator;
}

/** Returns the token of a mail's link. */
export function tokenIn(mail: string): string {
  return /#token=([A-Za-z0-9_-]+)/.exec(mail)![1]!;
}

async function readMails(dataFolder: string, count: number): Promise<string[]> {
  const folder = join(dataFolder, 'mail');
  const files = await waitFor(async () => {
    const names = await readdir(folder).catch(() => []);
    // A name with a dot is a mail that is still being written.
    const written = names.filter((name) => !name.startsWith('.'));
    return written.length >= count ? written : undefined;
  }, `mail ${count}`);
  return Promise.all(
    files
      .toSorted((left, right) => (left < right ? -1 : 1))
      .map((file) => readFile(join(folder, file), 'utf8')),
  );
}
