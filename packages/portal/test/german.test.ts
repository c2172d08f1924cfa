import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findings } from '@countersign/explain';
import { findingTexts } from '../src/messages/de/finding-texts.ts';
import { findingSentence } from '../src/messages/de/findings.ts';
import { isAlsoGerman } from './german-words.ts';

const folder = new URL('../src/messages/', import.meta.url);
const modules = readdirSync(new URL('en/', folder)).toSorted();

/** Tables of the contract and the explainer, which are written in English. */
const tables = new Set(['finding-texts.ts', 'permission-texts.ts']);

describe('the German texts', () => {
  it('are there for every part of the portal, and for no other', () => {
    assert.deepEqual(
      readdirSync(new URL('de/', folder))
        .filter((name) => !tables.has(name))
        .toSorted(),
      modules,
    );
  });

  for (const module of modules) {
    it(`say everything that ${module} says in English, and none of it in English`, async () => {
      const english = textsOf(await import(new URL(`en/${module}`, folder).href));
      const german = textsOf(await import(new URL(`de/${module}`, folder).href));
      assert.deepEqual([...german.keys()], [...english.keys()]);
      const same = [...english].filter(([key, text]) => text === german.get(key) && !isAlsoGerman(text));
      assert.deepEqual(same, []);
    });
  }
});

/** Every text of a module by its place in it; a function counts as its number of parameters. */
function textsOf(value: unknown, place = ''): ReadonlyMap<string, string> {
  if (typeof value === 'string') return new Map([[place, value]]);
  if (typeof value === 'function') return new Map([[place, `${value.length}`]]);
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([key, inner]) => [...textsOf(inner, `${place}.${key}`)]),
  );
}

describe('a finding in German', () => {
  it('begins with the words of the table, and keeps the values of the request', () => {
    const { cause } = findings.url_scheme;
    assert.deepEqual(findingSentence('url_scheme', 'cause', `${cause}: http, https.`), {
      text: `${findingTexts.url_scheme[1]}: http, https.`,
    });
    assert.deepEqual(findingSentence('url_scheme', 'cause', `${cause}.`), {
      text: `${findingTexts.url_scheme[1]}.`,
    });
  });

  it('stays English where its sentence was made for one request, and says so', () => {
    for (const text of ['The `Date` header has no comma.', `${findings.url_scheme.cause} twice.`])
      assert.deepEqual(findingSentence('url_scheme', 'cause', text), { text, lang: 'en' });
    for (const code of ['of_a_newer_service', '__proto__', 'constructor'])
      assert.deepEqual(findingSentence(code, 'fix', 'Fix it.'), { text: 'Fix it.', lang: 'en' });
  });
});
