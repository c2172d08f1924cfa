import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { privateKeys } from './account.ts';
import { type MistakeCase, readAccount, readCases } from './corpus.ts';
import { explainCase, usualLimits } from './evaluation.ts';
import { makeCases } from './fresh/cases.ts';
import { mistakeOf, readRecordedCases } from './recorded/cases.ts';
import { verifierOf } from './verdict.ts';

const account = readAccount();
const verdictOf = verifierOf(account);
const keys = privateKeys();

/** A sample of the recorded cases is enough here. */
const recordedStep = 100;
/** Some requests do not show which client, body or URL was meant. */
const shownMin = 0.85;

const { singles, combinations } = readRecordedCases('open');
const recorded = [...singles, ...combinations].filter((_, index) => index % recordedStep === 0);
const corpora: readonly (readonly [name: string, cases: () => readonly MistakeCase[]])[] = [
  ['recorded from signers', () => readCases('single')],
  ['made, one mistake each', () => makeCases(1, 200, 61).map(({ one }) => one)],
  ['made, two mistakes each', () => makeCases(2, 60, 62).map(({ one }) => one)],
  ['recorded from real software', () => recorded.map(mistakeOf)],
];

describe('the base to sign', () => {
  for (const [name, cases] of corpora) {
    it(`makes the request accepted when it is signed and sent: ${name}`, (context) => {
      const refused = cases()
        .map((one) => ({ one, ...explainCase(one, usualLimits) }))
        .filter(({ verdict, one }) => verdict === 'refused' && one.context.isRepeated !== true);
      const shown = refused.flatMap(({ one, base }) => (base === undefined ? [] : [{ one, base }]));
      const rejected = shown.flatMap(({ one, base }) => {
        const verdict = verdictOf(signedOver(base, one));
        return verdict === undefined ? [] : [`${one.id}: ${verdict}\n${base}`];
      });
      assert.deepEqual(rejected, []);
      context.diagnostic(`${shown.length} of ${refused.length} have one`);
      const without = refused.flatMap(({ one, base }) => (base === undefined ? [one.id] : []));
      assert.ok(shown.length / refused.length >= shownMin, without.join('\n'));
    });
  }
});

/**
 * Builds the request of a person who copies the base: signs it with the client's key, and sends the headers
 * that it names.
 */
function signedOver(
  base: string,
  { request, context }: MistakeCase,
): Pick<MistakeCase, 'request' | 'context'> {
  const values = new Map(
    base.split('\n').map((line) => {
      const [, name = '', value = ''] = /^"([^"]+)": (.*)$/.exec(line) ?? [];
      return [name, value] as const;
    }),
  );
  const params = values.get('@signature-params')!;
  const [, keyid] = /;keyid="([^"]*)"/.exec(params)!;
  const { name } = account.keys.find((key) => key.clientId === keyid && key.keyState === 'active')!;
  const signature = sign('sha256', Buffer.from(base, 'latin1'), keys.get(name)!).toString('base64');
  const headers: [string, string][] = [
    ['Signature-Input', `sig=${params}`],
    ['Signature', `sig=:${signature}:`],
  ];
  for (const [field, title] of [
    ['date', 'Date'],
    ['content-digest', 'Content-Digest'],
  ] as const) {
    const value = values.get(field);
    if (value !== undefined) headers.push([title, value]);
  }
  return { request: { ...request, headers }, context };
}
