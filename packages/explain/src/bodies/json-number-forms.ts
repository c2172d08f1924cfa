import { type Alternative, alternative } from '../drafts/alternatives.ts';
import { type JsonNode, type JsonWriting, nodesOf } from './json-text.ts';
import {
  cDouble,
  goFloat,
  isInteger,
  javaDouble,
  netDouble,
  plainNumber,
  pythonFloat,
} from './number-texts.ts';

type NumberText = (raw: string) => string | undefined;

/** Kinds of numbers that serializers write differently. Each kind is varied independently. */
interface NumberKind {
  readonly name: string;
  readonly has: (raw: string, value: number) => boolean;
  readonly forms: readonly NumberText[];
}

const shortest: NumberText = (raw) => String(Number(raw));
const plain: NumberText = plainNumber;
const withZero = (text: string): string => (isInteger(text) ? `${text}.0` : text);

/** Exponents in all their forms: 1e+21, 1.0E21, 1e-07. The likeliest come first. */
const exponents: readonly NumberText[] = (
  [
    ['e', '+', '', 1],
    ['e', '', '', 1],
    ['E', '', '.0', 1],
    ['e', '+', '', 2],
    ['E', '+', '', 2],
    ['E', '+', '', 1],
    ['e', '+', '.0', 2],
    ['E', '', '', 1],
    ['E', '+', '.0', 1],
    ['E', '+', '', 3],
    ['e', '+', '.0', 1],
    ['e', '', '.0', 1],
    ['e', '', '', 2],
    ['E', '', '', 2],
    ['E', '+', '.0', 2],
    ['E', '', '.0', 2],
    ['e', '', '.0', 2],
  ] as const
).map(([letter, plus, fraction, digits]): NumberText => {
  return (raw) => {
    const [mantissa = '', power = ''] = Number(raw).toExponential().split('e');
    const sign = power.startsWith('-') ? '-' : plus;
    const whole = mantissa.includes('.') ? mantissa : mantissa + fraction;
    return whole + letter + sign + power.slice(1).padStart(digits, '0');
  };
});

/** The integers that a double close to them may represent. */
const rounded: readonly NumberText[] = [0n, 1n, -1n].map((by) => (raw) => {
  const value = Number(raw);
  return Number.isSafeInteger(value) || Math.abs(value) > 2 ** 63 ? undefined : String(BigInt(value) + by);
});

const kinds: readonly NumberKind[] = [
  {
    name: 'zeros',
    has: (_, value) => value === 0,
    forms: ['0', '-0', '0.0', '-0.0'].map((text) => () => text),
  },
  {
    name: 'large integers',
    has: (raw, value) => isInteger(raw) && !Number.isSafeInteger(value),
    forms: [
      ...rounded,
      shortest,
      javaDouble,
      pythonFloat,
      netDouble,
      (raw) => goFloat(raw, 21),
      (raw) => cDouble(raw, 17),
      (raw) => cDouble(raw, 15),
      plain,
      ...exponents,
    ],
  },
  {
    name: 'integers',
    has: isInteger,
    forms: [(raw) => `${raw}.0`, javaDouble, (raw) => goFloat(raw, 6), (raw) => `${raw}.00`],
  },
  {
    name: 'small numbers',
    has: (_, value) => Math.abs(value) < 1e-3,
    forms: [plain, ...exponents],
  },
  {
    name: 'whole numbers',
    has: (raw, value) => Number.isInteger(value) && (/e/i.test(raw) || Math.abs(value) >= 1e6),
    forms: [plain, ...rounded, (raw) => withZero(plainNumber(raw)), ...exponents],
  },
  {
    name: 'whole numbers with a fraction',
    has: (_, value) => Number.isInteger(value),
    forms: [shortest, (raw) => withZero(plainNumber(raw)), (raw) => Number(raw).toFixed(2)],
  },
  {
    name: 'fractions',
    has: () => true,
    forms: [
      shortest,
      (raw) => cDouble(raw, 15),
      (raw) => neighbour(raw, 1),
      (raw) => neighbour(raw, -1),
      (raw) => cDouble(raw, 17),
      (raw) => Number(raw).toFixed(2),
      (raw) => cDouble(raw, 14),
    ],
  },
];

/** The adjacent double, which a sum of fractions may be: 0.30000000000000004 for 0.3. */
function neighbour(raw: string, by: 1 | -1): string | undefined {
  const value = Number(raw);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) + BigInt(by));
  const other = view.getFloat64(0);
  return Number.isFinite(other) ? String(other) : undefined;
}

/**
 * Lists every way in which a serializer may write the numbers of a document, varying each kind independently:
 * a language may have exact integers but fractions as doubles, or the other way round.
 */
export function numberForms(json: JsonNode): readonly Alternative<JsonWriting['number']>[] {
  const raws = [...new Set(numbersOf(json))].slice(0, numbersMax);
  const groups = [...Map.groupBy(raws, kindOf)].flatMap(([kind, ofKind]) => (kind ? [{ kind, ofKind }] : []));
  const formsOfKindMax = Math.floor(formsMax ** (1 / groups.length));
  let written: readonly WrittenNumbers[] = [{ names: [], pairs: [] }];
  for (const { kind, ofKind } of groups) {
    const forms = textsOf(ofKind, kind.forms).slice(0, formsOfKindMax);
    written = written.flatMap(({ names, pairs }) =>
      forms.map((form, index) => ({
        names: index === 0 ? names : [...names, kind.name],
        pairs: [...pairs, ...form],
      })),
    );
  }
  return written.slice(1).map(({ names, pairs }) => {
    const texts = new Map(pairs);
    const detail = `with its ${names.join(' and ')} in another form`;
    const cost = Math.min(2 + names.length / 2, 4);
    return alternative('body_json_numbers', detail, cost, (raw) => texts.get(raw) ?? raw);
  });
}

interface WrittenNumbers {
  readonly names: readonly string[];
  readonly pairs: readonly (readonly [raw: string, text: string])[];
}

const numbersMax = 64;
const formsMax = 512;

function kindOf(raw: string): NumberKind | undefined {
  const value = Number(raw);
  return Number.isFinite(value) ? kinds.find(({ has }) => has(raw, value)) : undefined;
}

/** The distinct texts of all numbers of a kind, the received ones first. */
function textsOf(
  raws: readonly string[],
  forms: readonly NumberText[],
): readonly (readonly (readonly [raw: string, text: string])[])[] {
  const known = new Set<string>();
  return [(raw: string) => raw, ...forms].flatMap((form) => {
    const pairs = raws.map((raw) => [raw, form(raw) ?? raw] as const);
    const mark = pairs.map(([, text]) => text).join();
    if (known.has(mark)) return [];
    known.add(mark);
    return [pairs];
  });
}

function numbersOf(json: JsonNode): readonly string[] {
  return nodesOf(json).flatMap((node) => (node.kind === 'number' ? [node.raw] : []));
}
