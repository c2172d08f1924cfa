import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cases } from './cases.ts';
import { languages } from './languages.ts';
import { runLanguage } from './run.ts';
import { openScene, type Scene } from './scene.ts';
import { countsText } from './table-text.ts';

/** Few and quick: `npm run test:table` runs all of them. */
const chosen = cases.filter(({ name }) =>
  [
    'body of DELETE, then a GET',
    'URL: an upper-case host',
    'redirect: 307 of a POST to another host',
    'dropped: a POST arrives once',
  ].includes(name),
);

/** Their programs start without being compiled. */
const quick = languages.filter(({ name }) => ['javascript', 'php', 'python', 'ruby', 'shell'].includes(name));

describe('the table of languages and clients by case', () => {
  let scene: Scene;
  before(async () => (scene = await openScene()));
  after(() => scene.close());

  for (const language of quick) {
    test(`${language.name}: no cell is wrong`, { skip: language.missing }, async (context) => {
      const table = await runLanguage(language, scene, chosen);
      context.diagnostic(countsText(table));
      const wrong = table.clients.flatMap((client, index) =>
        table.rows.flatMap(({ name, cells }) => {
          const cell = cells[index]!;
          return cell.kind === 'wrong' ? [`${client}, ${name}: ${cell.what}`] : [];
        }),
      );
      assert.deepEqual(wrong, []);
    });
  }
});
