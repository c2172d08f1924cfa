import { type Alternative, alternative } from '../drafts/alternatives.ts';
import type { LineName, ValuePrint } from '../drafts/base-draft.ts';
import type { Words } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';

/** Texts that languages write for a missing value. */
const nothings: readonly (readonly [text: string, cost: number])[] = [
  ['undefined', 2],
  ['None', 2],
  ['null', 2],
  ['nil', 3],
  ['[object Object]', 3],
  ['false', 3],
  ['NaN', 4],
  ['<nil>', 4],
  ['[value]', 4],
];

type Wrapping = readonly [code: FindingCode, detail: string, cost: number, write: (value: string) => string];

/** Text that languages and templates write around a value. */
const wrappings: readonly Wrapping[] = [
  ['base_value_printed', 'in double quotes', 2, (value) => `"${value}"`],
  ['base_value_printed', 'in single quotes', 2.5, (value) => `'${value}'`],
  ['base_value_printed', "as Python prints bytes, b'…'", 2.5, (value) => `b'${value}'`],
  ['base_value_printed', 'as a list, […]', 2.5, (value) => `[${value}]`],
  ['base_value_printed', "as a list, ['…']", 2.5, (value) => `['${value}']`],
  ['base_value_printed', 'as a list, ["…"]', 4, (value) => `["${value}"]`],
  ['base_value_printed', 'as Optional[…]', 2.5, (value) => `Optional[${value}]`],
  ['base_value_printed', 'as Optional("…")', 3, (value) => `Optional("${value}")`],
  ['base_value_printed', 'as Some("…")', 4, (value) => `Some("${value}")`],
  ['base_value_printed', 'in angle brackets', 3, (value) => `<${value}>`],
  ['base_value_printed', 'in braces', 4, (value) => `{${value}}`],
  ['base_value_printed', 'with its slashes escaped as \\/', 2.5, (value) => value.replaceAll('/', '\\/')],
  ['base_value_trimmed', 'a space after', 2, (value) => `${value} `],
  ['base_value_trimmed', 'a space before', 2, (value) => ` ${value}`],
  ['base_value_trimmed', 'a newline after', 2, (value) => `${value}\n`],
  ['base_value_trimmed', 'a carriage return after', 2.5, (value) => `${value}\r`],
];

/** Lists the texts that a program may print for the value of a line. */
export function printedValues(line: LineName): readonly Alternative<ValuePrint>[] {
  return [
    alternative<ValuePrint>(
      'base_value_empty',
      wordsOfEmpty(line),
      line === 'content-digest' || line === 'date' ? 1 : 2,
      { write: () => '', isConstant: true },
    ),
    ...(isParams(line) ? labels : []),
    ...nothings.map(([text, cost]) =>
      alternative<ValuePrint>('base_value_printed', wordsOfNothing(line, text), costFor(line, text, cost), {
        write: () => text,
        isConstant: true,
      }),
    ),
    ...wrappings.map(([code, detail, cost, write]) =>
      alternative<ValuePrint>(code, wordsOfWrapped(line, code, detail), costFor(line, detail, cost), {
        write,
      }),
    ),
  ];
}

/** The header's text before the parameters, under whatever name the line has. */
const labels: readonly Alternative<ValuePrint>[] = [
  alternative('base_params_with_label', '"@signature-params": sig=…', 0.5, {
    write: (value) => `sig=${value}`,
  }),
  alternative('base_params_with_label', '"@signature-params": sig1=…', 2, {
    write: (value) => `sig1=${value}`,
  }),
];

function wordsOfEmpty(line: LineName): Words {
  return {
    clause: `The line of ${line} in the signature base has no value`,
    mend: isParams(line)
      ? 'End the base with `"@signature-params": ` and exactly the text that follows `sig=` in Signature-Input.'
      : `Set ${valueOf[line] ?? line} before you build the signature base.`,
  };
}

function wordsOfNothing(line: LineName, text: string): Words {
  return {
    clause: `The value of ${line} was ${text} when the signature base was built`,
    mend: isParams(line)
      ? 'Build the text of Signature-Input first; the line is exactly what follows `sig=` in it.'
      : `Set ${valueOf[line] ?? line} before you build the signature base.`,
  };
}

function wordsOfWrapped(line: LineName, code: FindingCode, detail: string): Words {
  if (code !== 'base_value_printed') return { clause: `The value of ${line} was signed with ${detail} it` };
  return {
    clause: `The value of ${line} was signed ${detail}`,
    mend: `Sign the plain value of ${line}, with nothing around it.`,
  };
}

function isParams(line: LineName): boolean {
  return line === '@signature-params';
}

const valueOf: Readonly<Record<LineName, string>> = {
  '@method': 'the method',
  '@target-uri': 'the URL',
  'content-digest': 'Content-Digest',
  date: 'Date',
};

/** Mistakes that are more or less frequent in one line than in the others. */
function costFor(line: LineName, text: string, cost: number): number {
  const isHeader = line === 'date' || line === 'content-digest';
  if (text === '[object Object]') return line === '@target-uri' ? 2 : 4;
  if (text === 'nil' || text === 'false') return line === 'date' ? 2 : 4;
  if (text === 'null') return isHeader || line === '@target-uri' ? cost : 4;
  if (text.includes('list')) return isHeader ? 2 : 2.5;
  if (text.includes('bytes')) return isHeader || line === '@target-uri' ? 2 : 3;
  // A value that is read from a file or from another header has white space around it, most often the URL.
  if (text === 'a newline after' || text === 'a space before' || text === 'a space after')
    return isTrimmed(line, text) ? cost : 3;
  if (text.includes('return after')) return line === '@target-uri' ? 2 : 4;
  return cost;
}

function isTrimmed(line: LineName, text: string): boolean {
  if (line === '@target-uri') return true;
  return text === 'a space after'
    ? line === 'date' || line === '@method'
    : text === 'a space before' && line !== '@method';
}
