import type { Words } from '../findings/finding.ts';
import { inSingleQuotes } from './shell-expansion.ts';

/** Texts that languages print for a missing value. */
export const nothings: readonly string[] = [
  'undefined',
  'null',
  'None',
  'nil',
  '[object Object]',
  '[object%20Object]',
  '%5Bobject%20Object%5D',
];

/** Placeholders that most templates and routes have for a value. */
export function usualPlaceholdersFor(name: string): readonly string[] {
  return [`{${name}}`, `:${name}`, `\${${name}}`, `{{${name}}}`, `<${name}>`];
}

/** Placeholders that templates, routes and format strings have for a value. */
export function placeholdersFor(name: string): readonly string[] {
  return [
    ...usualPlaceholdersFor(name),
    `{{ ${name} }}`,
    `$${name}`,
    `#{${name}}`,
    `%(${name})s`,
    `%7B${name}%7D`,
    `%7B%7B${name}%7D%7D`,
    `$%7B${name}%7D`,
    ...plainPlaceholders,
  ];
}

const plainPlaceholders = ['{}', '{0}', '%s', '%d', '%25s'];

/** A URL that was signed before a value was put into it. */
export function wordsOfPlaceholder(placeholder: string, value: string): Words {
  return {
    signed: `${placeholder === '' ? 'nothing' : placeholder} where ${value === '' ? 'nothing' : value} arrived: the URL was signed before its value was set`,
    mend: 'Set the value first, build the URL once, then sign and send that one URL.',
  };
}

/** A text in which a shell replaced names. */
export function wordsOfExpansion(arrived: string, signed: string, names: readonly string[]): Words {
  return {
    signed: `${signed}, but ${arrived} arrived: a shell replaced ${names.join(' and ')} by nothing in what was signed`,
    mend: inSingleQuotes,
  };
}
