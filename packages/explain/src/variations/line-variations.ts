import { type Alternative, alternative, Alternatives, permutations } from '../drafts/alternatives.ts';
import type { BaseStructure, LineName, OtherValues } from '../drafts/base-draft.ts';
import type { Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';

/** Lists other lines, and other orders of lines. */
export function structures(usual: BaseStructure, others: OtherValues): readonly Alternative<BaseStructure>[] {
  const list = new Alternatives(usual.lines.join('\n'));
  const found: Alternative<BaseStructure>[] = [];
  const add = (
    lines: readonly LineName[],
    cost: number,
    code: FindingCode,
    words: string | Words,
    isCavage = false,
  ): void => {
    if (list.add(`${lines.join('\n')}${isCavage ? '\n' : ''}`, cost, code).list.length === found.length)
      return;
    found.push(alternative(code, words, cost, { lines, isCavage }));
  };
  const { lines } = usual;
  const components = lines.filter((name) => name !== '@signature-params');
  addLeftOut(add, lines);
  addReplaced(add, lines);
  if (components.length <= 5) {
    const usualOrders = new Set(likelyOrders(components).map((order) => order.join('\n')));
    for (const permuted of permutations(components).slice(1)) {
      const cost = usualOrders.has(permuted.join('\n')) ? 2 : 3.5;
      add([...permuted, '@signature-params'], cost, 'base_component_order', permuted.join(', '));
    }
  }
  add(['@signature-params', ...components], 2, 'base_component_order', '@signature-params first');
  lines.forEach((name, index) => {
    add(lines.toSpliced(index, 0, name), name === 'date' ? 2 : 3.5, 'base_extra_component', {
      what: `The signature base has the line of "${name}" twice.`,
      mend: 'Write one line for each component that Signature-Input lists.',
    });
  });
  for (const name of ['@signature-params', 'date', '@target-uri'])
    add([name], name === '@target-uri' ? 3 : 2, 'base_line_left_out', `only the line of ${name}`);
  addExtra(add, components, others);
  addCavage(add, others);
  return found;
}

/** Two neighbours swapped, the last one first, all reversed, or sorted by name. */
function likelyOrders(components: readonly LineName[]): readonly (readonly LineName[])[] {
  const swapped = components
    .slice(1)
    .map((name, index) => components.toSpliced(index, 2, name, components[index]!));
  const last = components.at(-1)!;
  return [
    ...swapped,
    [last, ...components.slice(0, -1)],
    components.toReversed(),
    components.toSorted((a, b) => (a < b ? -1 : 1)),
  ];
}

type AddStructure = (
  lines: readonly LineName[],
  cost: number,
  code: FindingCode,
  words: string | Words,
  isCavage?: boolean,
) => void;

const leftOut: Readonly<Record<LineName, readonly [FindingCode, cost: number]>> = {
  '@signature-params': ['base_no_signature_params', 0.5],
  date: ['base_no_date', 0.5],
  'content-digest': ['base_no_digest', 1],
};

function addLeftOut(add: AddStructure, lines: readonly LineName[]): void {
  lines.forEach((name, index) => {
    const [code, cost] = leftOut[name] ?? ['base_line_left_out', 2];
    add(lines.toSpliced(index, 1), cost, code, wordsOfLeftOut(name));
  });
}

function wordsOfLeftOut(name: LineName): Words {
  return name === '@signature-params'
    ? { what: 'The signature base has no @signature-params line; it ends one line early.' }
    : {
        what: `The signature base has no line of "${name}".`,
        mend: `Add the line \`"${name}": \` and its value to the base, where Signature-Input lists "${name}".`,
      };
}

function wordsOfExtra(name: LineName): Words {
  return {
    what: `The signature base has a line of "${name}" that does not belong there.`,
    mend: `Remove the line of "${name}" from the base, and "${name}" from Signature-Input if it is listed.`,
  };
}

const targetForms: readonly (readonly LineName[])[] = [
  ['@request-target'],
  ['@path'],
  ['@path', '@query'],
  ['@authority', '@path'],
  ['@authority', '@path', '@query'],
  ['(request-target)'],
];

const usualTargetForms: ReadonlySet<string> = new Set(['@request-target', '@path', '@authority,@path']);

function addReplaced(add: AddStructure, lines: readonly LineName[]): void {
  const index = lines.indexOf('@target-uri');
  if (index < 0) return;
  for (const target of targetForms)
    add(
      lines.toSpliced(index, 1, ...target),
      usualTargetForms.has(target.join()) ? 2 : 3,
      'base_request_target',
      `${target.join(' and ')} in place of @target-uri`,
    );
}

const extraNames: readonly LineName[] = [
  'content-digest',
  'date',
  'content-type',
  'host',
  'content-length',
  '@authority',
  '@path',
  '@query',
  '@scheme',
  'digest',
  'user-agent',
  'accept',
  'idempotency-key',
];

const usualExtras: ReadonlySet<LineName> = new Set(['content-digest', 'date', 'host', 'content-type']);

function addExtra(add: AddStructure, components: readonly LineName[], others: OtherValues): void {
  for (const name of extraNames) {
    const isThere = others.has(name) || name.startsWith('@') || name === 'date' || name === 'content-digest';
    if (components.includes(name) || !isThere) continue;
    const cost = usualExtras.has(name) ? 2 : 3;
    const isInPlace = name === 'content-digest';
    add(
      [...components, name, '@signature-params'],
      isInPlace ? cost + 1.5 : cost,
      'base_extra_component',
      wordsOfExtra(name),
    );
    add(
      [...components.slice(0, 2), name, ...components.slice(2), '@signature-params'],
      isInPlace ? cost : cost + 1.5,
      'base_extra_component',
      wordsOfExtra(name),
    );
  }
}

const cavageLines: readonly (readonly LineName[])[] = [
  ['(request-target)', 'date'],
  ['(request-target)', 'host', 'date'],
  ['(request-target)', 'date', 'host'],
  ['(request-target)', 'date', 'digest'],
  ['(request-target)', 'host', 'date', 'digest'],
  ['(request-target)', 'date', 'content-digest'],
  ['(request-target)', 'content-digest', 'date'],
  ['(request-target)', 'digest', 'date'],
  ['(request-target)', 'host', 'date', 'content-digest'],
  ['(request-target)', 'host', 'date', 'digest', 'content-type'],
  ['(request-target)', 'host', 'date', 'digest', 'content-length'],
  ['(request-target)', 'host', 'date', 'content-type', 'digest'],
  ['(request-target)'],
  ['(request-target)', 'host'],
  ['(request-target)', '(created)'],
  ['(request-target)', '(created)', 'host'],
  ['(request-target)', '(created)', 'date'],
  ['(request-target)', '(created)', 'host', 'date'],
  ['(request-target)', '(created)', 'host', 'date', 'digest'],
  ['(request-target)', '(created)', 'digest'],
  ['(request-target)', '(created)', 'date', 'digest'],
  ['(request-target)', '(created)', 'date', 'content-digest'],
  ['(request-target)', '(created)', 'content-digest', 'date'],
  ['(request-target)', '(created)', 'content-digest'],
  ['date'],
  ['host', 'date'],
  ['date', 'digest'],
];

const usualCavageLines = 9;

function addCavage(add: AddStructure, others: OtherValues): void {
  for (const [index, lines] of cavageLines.entries()) {
    if (
      lines.some(
        (name) =>
          name !== 'date' && name !== 'content-digest' && name !== '(request-target)' && !others.has(name),
      )
    )
      continue;
    add(lines, index < usualCavageLines ? 1.5 : 3, 'base_cavage', lines.join(' '), true);
    add([...lines, '@signature-params'], 4, 'base_cavage', lines.join(' '), true);
  }
}
