import { defaultProfile } from '@countersign/signature/profile';
import {
  type Alternative,
  alternative,
  Alternatives,
  permutations,
  reorderings,
  shownByTexts,
} from '../drafts/alternatives.ts';
import { quotedName, type TextChange } from '../drafts/base-draft.ts';
import type { Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import {
  type MeantParameter,
  type MeantSignatureInput,
  withoutComponentParameters,
} from '../reading/lenient-signature-input.ts';

/** Lists texts that callers sign instead of `@signature-params` when they write the parameters a second time. */
export function paramsAlternatives(
  input: MeantSignatureInput,
  received: string,
  algorithm: string,
): readonly Alternative<string>[] {
  const list = new Alternatives(input.signatureParams);
  const { components, parameters } = input;
  if (parameters.length > 6 || components.length > 8) return list.list;
  // If header and base have the same fault, the finding about the header covers both.
  list.addNoted(received, 0.5, []);
  list.addNoted(input.canonicalParams, 0.5, []);
  if (input.componentParameters.some((one) => one !== ''))
    list.add(
      withoutComponentParameters(input),
      1,
      'base_params_rebuilt',
      'its components have no parameters',
    );
  const written = components.map((name, index) => name + (input.componentParameters[index] ?? ''));
  addStyles(list, written, parameters, algorithm);
  addOtherComponents(list, input);
  for (const [text, detail] of [
    [input.signatureParams.replace(/\s+/g, ''), 'it has no spaces'],
    [`${input.signatureParams} `, 'a space follows it'],
    [` ${input.signatureParams}`, 'two spaces precede it'],
    [`${input.signatureParams};`, 'a semicolon follows it'],
    [`"${input.signatureParams}"`, 'it is in quotes'],
    [input.signatureParams.replace(/"/g, '\\"'), 'its quotes are escaped'],
    [input.signatureParams.toLowerCase(), 'it is in lower case'],
    [input.signatureParams.replace(/^\([^)]*\);?/, ''), 'it has no component list'],
    [input.signatureParams.replace(/^\(|\)/g, ''), 'the component list has no parentheses'],
    [JSON.stringify(input.signatureParams), 'it is a JSON string'],
    [input.signatureParams.replace(/"/g, "'"), 'it has single quotes'],
    [
      input.signatureParams.replace(/^\([^)]*\)/, (names) => names.toUpperCase()),
      'the component names are in upper case',
    ],
    [
      /^\([^)]*\)/.exec(input.signatureParams)?.[0],
      'it is only the component list, without created, keyid and alg',
    ],
  ] as const)
    list.add(text, 2, 'base_params_rebuilt', detail);
  return list.list;
}

/** Styles, the usual one first. */
const quotings: readonly Style<(name: string) => string>[] = [
  { value: quotedName, cost: 0 },
  { value: (name) => name, cost: 1, detail: 'the component names have no quotes' },
  { value: (name) => `'${name}'`, cost: 3, detail: 'the component names are in single quotes' },
];
const componentSeparators: readonly Style<string>[] = [
  { value: ' ', cost: 0 },
  { value: ', ', cost: 1.5, detail: 'commas separate the components' },
  { value: ',', cost: 3, detail: 'commas separate the components' },
  { value: '', cost: 2, detail: 'no spaces separate the components' },
  { value: '  ', cost: 3, detail: 'two spaces separate the components' },
  { value: ';', cost: 4, detail: 'semicolons separate the components' },
];
const parameterSeparators: readonly Style<string>[] = [
  { value: ';', cost: 0 },
  { value: '; ', cost: 1, detail: 'a space follows each semicolon' },
  { value: ' ;', cost: 3, detail: 'a space precedes each semicolon' },
  { value: ' ; ', cost: 3, detail: 'spaces surround each semicolon' },
  { value: ',', cost: 3, detail: 'commas separate the parameters' },
  { value: ', ', cost: 3, detail: 'commas separate the parameters' },
];
const valueQuotings: readonly Style<(parameter: MeantParameter) => string>[] = [
  { value: ({ raw }) => raw, cost: 0 },
  { value: ({ value }) => value, cost: 1, detail: 'its values have no quotes' },
  {
    value: ({ name, value }) => (name === 'alg' ? value : `"${value}"`),
    cost: 3,
    detail: 'created is in quotes, alg is not',
  },
  { value: ({ value }) => `"${value}"`, cost: 1, detail: 'every value is in quotes' },
  {
    value: ({ name, value, raw }) => (name === 'keyid' ? value : raw),
    cost: 2,
    detail: 'keyid has no quotes',
  },
  { value: ({ name, value, raw }) => (name === 'alg' ? value : raw), cost: 2, detail: 'alg has no quotes' },
  {
    value: ({ name, value }) => (name === 'created' ? value : `'${value}'`),
    cost: 3,
    detail: 'its values are in single quotes',
  },
];
const assignments: readonly Style<string>[] = [
  { value: '=', cost: 0 },
  { value: ' = ', cost: 3, detail: 'spaces surround each =' },
  { value: ':', cost: 4, detail: 'it has : in place of =' },
];

interface Style<Value> {
  readonly value: Value;
  readonly cost: number;
  readonly detail?: string;
}

/** Writes each order of the parameters in each style, up to two deviations at once. */
function addStyles(
  list: Alternatives<string>,
  components: readonly string[],
  parameters: readonly MeantParameter[],
  algorithm: string,
): void {
  styles ??= combinedStyles();
  for (const order of parameterOrders(parameters, algorithm)) {
    for (const style of styles) {
      const details = [...(order.detail === undefined ? [] : [order.detail]), ...style.details];
      if (details.length > deviationsMax) continue;
      const cost = order.cost + style.cost + (details.length > 1 ? 1.5 : 0.5);
      const text = style.write(components, order.value);
      list.add(text, cost, 'base_params_rebuilt', details.join(', and ') || 'it is written differently');
    }
  }
}

const deviationsMax = 2;

interface ParamsStyle {
  readonly write: (components: readonly string[], parameters: readonly MeantParameter[]) => string;
  readonly cost: number;
  readonly details: readonly string[];
}

/** Built when first needed. */
let styles: readonly ParamsStyle[] | undefined;

function combinedStyles(): readonly ParamsStyle[] {
  const combined = quotings.flatMap((quoting) =>
    componentSeparators.flatMap((between) =>
      parameterSeparators.flatMap((separator) =>
        valueQuotings.flatMap((valueQuoting) =>
          assignments.map((assignment): ParamsStyle => {
            const parts = [quoting, between, separator, valueQuoting, assignment];
            return {
              cost: parts.reduce((sum, { cost }) => sum + cost, 0),
              details: parts.flatMap(({ detail }) => detail ?? []),
              write: (components, parameters) => {
                const named = parameters.map(
                  (one) => separator.value + one.name + assignment.value + valueQuoting.value(one),
                );
                return `(${components.map(quoting.value).join(between.value)})${named.join('')}`;
              },
            };
          }),
        ),
      ),
    ),
  );
  return combined.filter(({ details }) => details.length <= deviationsMax);
}

function parameterOrders(
  parameters: readonly MeantParameter[],
  algorithm: string,
): readonly Style<readonly MeantParameter[]>[] {
  const orders: Style<readonly MeantParameter[]>[] = [{ value: parameters, cost: 0 }];
  if (parameters.length <= 4) {
    for (const permuted of permutations(parameters).slice(1))
      orders.push({
        value: permuted,
        cost: 1,
        detail: `its parameters are in the order ${permuted.map(({ name }) => name).join(', ')}`,
      });
  }
  for (const values of parameters.length > 4 ? otherOrders(parameters) : [])
    orders.push({
      value: values,
      cost: 1,
      detail: `its parameters are in the order ${values.map(({ name }) => name).join(', ')}`,
    });
  parameters.forEach(({ name }, index) => {
    orders.push({ value: parameters.toSpliced(index, 1), cost: 1.5, detail: `it has no ${name}` });
  });
  const names = new Set(parameters.map(({ name }) => name));
  if (!names.has('alg')) {
    const alg = { name: 'alg', value: algorithm, raw: `"${algorithm}"` };
    orders.push({ value: [...parameters, alg], cost: 2, detail: 'it has alg, which Signature-Input lacks' });
  }
  return orders;
}

/** The likely orders of many parameters: by name, as RFC 9421 lists them, and those that differ in one place. */
function otherOrders(parameters: readonly MeantParameter[]): readonly (readonly MeantParameter[])[] {
  const inOrder = (names: readonly string[]): readonly MeantParameter[] =>
    parameters.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  return [
    parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...knownOrders.map(inOrder),
    ...reorderings(parameters, 0).map(({ values }) => values),
  ];
}

const knownOrders: readonly (readonly string[])[] = [
  ['created', 'expires', 'nonce', 'alg', 'keyid', 'tag'],
  ['created', 'expires', 'keyid', 'alg', 'nonce', 'tag'],
  ['created', 'keyid', 'alg', 'expires', 'nonce', 'tag'],
  ['keyid', 'alg', 'created', 'expires', 'nonce', 'tag'],
  ['alg', 'keyid', 'created', 'expires', 'nonce', 'tag'],
];

/** Lists other forms of `created`, and other readings of the clock. */
export function createdAlternatives(
  input: MeantSignatureInput,
  created: number | undefined,
): readonly Alternative<TextChange>[] {
  const raw = input.parameters.find(({ name }) => name === 'created')?.raw;
  if (raw === undefined || created === undefined) return [];
  const known = new Set([raw]);
  const list: Alternative<TextChange>[] = [];
  const put = (text: string, cost: number, code: FindingCode): void => {
    if (known.has(text)) return;
    known.add(text);
    const words = isUnset.test(text)
      ? {
          what: `created was ${text || 'empty'} when the signature base was built, but is ${raw} in Signature-Input.`,
          mend: 'Set created before you build the base, and use the same text in both places.',
        }
      : `created=${text} in the signature, created=${raw} in Signature-Input`;
    list.push(
      alternative(code, words, cost, (params: string) =>
        params.replace(createdPattern, () => `created=${text}`),
      ),
    );
  };
  const iso = new Date(created * 1000).toISOString();
  const short = iso.slice(0, 19);
  for (const text of [`"${created}"`, String(created), `${created}000`, `${created}.0`])
    put(text, 2, 'base_created_format');
  for (const by of [1, -1]) put(String(created - by), 1.5, 'base_other_created');
  for (const text of ['undefined', 'None']) put(text, 2, 'base_created_format');
  for (const text of ['null', '', `${created}.000`, `${created}.000000`, `'${created}'`])
    put(text, 4, 'base_created_format');
  for (const text of [iso, `"${iso}"`, `"${short}Z"`, `${short}Z`]) put(text, 4, 'base_created_format');
  for (let by = 2; by <= 30; by++) {
    const cost = by <= 2 ? 3 : by <= 5 ? 4 : 5;
    for (const other of [created - by, created + by]) put(String(other), cost, 'base_other_created');
  }
  return list;
}

const isUnset = /^(?:undefined|None|null|)$/;
const createdPattern = /created="?[\w.:-]*"?/;

/** Writes `created` with every millisecond of its second, as milliseconds and as a fraction. */
export function thousandths(
  input: MeantSignatureInput,
  created: number | undefined,
): readonly Alternative<string>[] {
  const raw = input.parameters.find(({ name }) => name === 'created')?.raw;
  const list = new Alternatives(input.signatureParams);
  if (raw === undefined || created === undefined) return [];
  const [before = '', after = ''] = input.signatureParams.split(`created=${raw}`);
  for (let thousandth = 0; thousandth < 1000; thousandth++) {
    const digits = String(thousandth).padStart(3, '0');
    for (const text of [created + digits, `${created}.${digits}`]) {
      const detail = `created=${text} in the signature, created=${raw} in Signature-Input`;
      list.add(`${before}created=${text}${after}`, 4, 'base_created_format', detail);
    }
  }
  return list.list;
}

const otherAlgorithms = [
  'rsa-sha256',
  'hs2019',
  'SHA256withRSA',
  'RS256',
  'rsa-pss-sha512',
  'RSA-SHA256',
  'rsa-v1_5',
  'rsa-v1_5-sha1',
  'rsa_v1_5-sha256',
  'EdDSA',
  ...defaultProfile.profile.algorithms,
];
const otherKeyidsMax = 40;

/** Lists other values of keyid and alg. */
export function otherParameters(
  input: MeantSignatureInput,
  otherKeyids: readonly string[],
): readonly Alternative<TextChange>[] {
  const put = (name: string, others: readonly string[], usualCount: number): Alternative<TextChange>[] => {
    const parameter = input.parameters.find((one) => one.name === name);
    if (!parameter) return [];
    const texts = [...new Set(others)].filter((other) => other !== parameter.value);
    return texts.map((other, index) =>
      alternative(
        'base_params_rebuilt',
        shownByTexts(`it has ${name}="${other}"`),
        index < usualCount ? 2 : 4,
        (params: string) => params.replace(`${name}=${parameter.raw}`, () => `${name}="${other}"`),
      ),
    );
  };
  const keyid = input.parameters.find(({ name }) => name === 'keyid')?.value ?? '';
  const [ownName = '', ...rest] = otherKeyids.slice(0, otherKeyidsMax);
  const keyids = [
    '',
    'undefined',
    keyid.toUpperCase(),
    ownName,
    keyid.toLowerCase(),
    'None',
    'null',
    ...rest,
  ];
  return [...put('alg', otherAlgorithms, 3), ...put('keyid', keyids, 4)];
}

function wordsOfList(difference: string): Words {
  return { signed: `the component list ${difference}` };
}

function addOtherComponents(list: Alternatives<string>, input: MeantSignatureInput): void {
  if (input.components.length > 4) return;
  const [before] = /^\([^)]*\)/.exec(input.signatureParams) ?? [''];
  const rest = input.signatureParams.slice(before.length);
  const { components } = input;
  const last = components.at(-1) ?? '';
  const usualOrders = new Set([components.toReversed().join(), [last, ...components.slice(0, -1)].join()]);
  for (const permuted of permutations(components).slice(1)) {
    const text = `(${permuted.map((name) => `"${name}"`).join(' ')})${rest}`;
    list.add(
      text,
      usualOrders.has(permuted.join()) ? 2 : 4,
      'base_params_rebuilt',
      'its components are in another order',
    );
  }
  input.components.forEach((name, index) => {
    const fewer = input.components.toSpliced(index, 1).map((one) => `"${one}"`);
    list.add(
      `(${fewer.join(' ')})${rest}`,
      2,
      'base_params_rebuilt',
      wordsOfList(`without "${name}", but sent it with "${name}"`),
    );
  });
  for (const name of ['content-digest', 'date', 'content-type', 'host'].filter(
    (one) => !input.components.includes(one),
  )) {
    const more = [...input.components, name].map((one) => `"${one}"`);
    list.add(
      `(${more.join(' ')})${rest}`,
      3,
      'base_params_rebuilt',
      wordsOfList(`with "${name}", but sent it without "${name}"`),
    );
  }
}
