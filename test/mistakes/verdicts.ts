import { mistakesOf } from '../../packages/explain/test/random-mistakes.ts';
import { explained } from '../../packages/explain/test/mistaken-request.ts';
import { randomOf } from '../../packages/explain/test/random-requests.ts';
import { type MistakeCase, readCases } from './corpus.ts';
import { explainCase } from './evaluation.ts';

/* Prints what the explainer decides about the corpus and about random mistakes, without its sentences. */

const rounds = 2;
const pairStep = 6;
/** Few, because searches produce no sentences. */
const limits = { hypothesesMax: 3000, budgetMs: 60_000 };
const spoiledCount = 400;

/**
 * Damages to single fields and to the target, two of which are applied to a request: only the facts show
 * which finding belongs to which.
 */
type Lines = readonly (readonly [name: string, value: string])[];
const fields = ['signature-input', 'signature', 'date', 'content-digest'];
const damages: readonly ((lines: Lines, field: string) => Lines)[] = [
  (lines, field) => lines.filter(([name]) => name.toLowerCase() !== field),
  (lines, field) => changed(lines, field, ([name, value]) => [[`X-${name}`, value]]),
  (lines, field) => changed(lines, field, ([name, value]) => [[name, value.replace(/[ =]/, '$&\r\n ')]]),
  (lines, field) => changed(lines, field, (line) => [line, line]),
  (lines, field) => changed(lines, field, ([name, value]) => [[name, value.slice(1)]]),
  (lines, field) => changed(lines, field, ([name, value]) => [[name, `${value}x`]]),
];

function changed(lines: Lines, field: string, change: (line: Lines[number]) => Lines): Lines {
  return lines.flatMap((line) => (line[0].toLowerCase() === field ? change(line) : [line]));
}

function spoiled(): readonly MistakeCase[] {
  const random = randomOf(11);
  const cases = [...readCases('correct'), ...readCases('single')];
  return Array.from({ length: spoiledCount }, () => {
    const one = random.pick(cases);
    const damage = (lines: Lines): Lines => random.pick(damages)(lines, random.pick(fields));
    const { headers, targetUri } = one.request;
    const target = random.below(3) === 0 ? decodeURI(targetUri) : targetUri;
    return { ...one, request: { ...one.request, headers: damage(damage(headers)), targetUri: target } };
  });
}

const explanations = [
  ...spoiled().map((one) => explainCase(one, limits)),
  ...readCases('single').map((one) => explainCase(one, limits)),
  ...readCases('pairs')
    .filter((_, index) => index % pairStep === 0)
    .map((one) => explainCase(one, limits)),
  ...Object.values(mistakesOf).flatMap((make) => {
    const random = randomOf(7);
    return Array.from({ length: rounds }, () => explained(make(random).request, limits));
  }),
];
const lines = explanations.map(({ verdict, checks, findings }) => {
  const failed = checks.find(({ state }) => state === 'failed')?.name;
  const found = findings.map(
    ({ code, alsoCodes, certainty }) => `${certainty} ${[code, ...(alsoCodes ?? [])].join('+')}`,
  );
  return [verdict, failed, ...found].join(', ');
});
console.log(
  JSON.stringify({
    lines,
    sentences: explanations.flatMap(({ findings }) => findings.map(({ what }) => what)),
  }),
);
