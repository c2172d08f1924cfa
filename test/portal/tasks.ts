import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { visit, type Visitor } from './browser.ts';
import { Person } from './person.ts';
import { openOverview, signIn } from './showing.ts';

/** Where tasks are done. */
export interface Workplace {
  readonly browser: Browser;
  readonly origin: string;
}

/** What is done in a task, with the page on which it begins. */
export type Work = (person: Person, page: Page, visitor: Visitor) => Promise<void>;

/** Defines a test: a task, and the maximum number of clicks for it. */
type DefineTask = (name: string, clicksMax: number, work: Work) => void;

/**
 * Returns what defines the tasks of one person. Each begins at the overview in a new browser, and says what it cost. Its pictures
 * are stored in TEST_PICTURES.
 *
 * @param email undefined for someone who has no password yet
 */
export function tasksAt(workplace: () => Workplace, email: string | undefined): DefineTask {
  return (name, clicksMax, work) => {
    it(`${name}: at most ${clicksMax} clicks`, async (t: TestContext) => {
      const { browser, origin } = workplace();
      const visitor = await visit(browser, origin, { width: 1440, height: 900 });
      t.after(() => visitor.context.close());
      if (email !== undefined) {
        await signIn(visitor, email);
        await openOverview(visitor);
      }
      const folder = process.env['TEST_PICTURES'];
      const person = new Person(visitor.page, folder === undefined ? undefined : join(folder, name));
      await work(person, visitor.page, visitor);
      const { clicks, keystrokes, humanSeconds, waitedMs } = person.effort;
      t.diagnostic(
        `${clicks} clicks, ${keystrokes} keystrokes, ${humanSeconds.toFixed(0)} s of a practised person, of which ${waitedMs.toFixed(0)} ms waiting`,
      );
      assert.ok(clicks <= clicksMax, `${clicks} clicks`);
      assert.deepEqual(visitor.complaints, []);
    });
  };
}

/** The first client ID in a text; empty if there is none. */
export function clientIdIn(text: string): string {
  return /client_[0-9a-z]{26}/.exec(text)?.[0] ?? '';
}
