import { type Alternative, alternative, alternatives } from '../drafts/alternatives.ts';
import type { Words } from '../findings/finding.ts';
import { inSingleQuotes, withoutShellNames } from '../variations/shell-expansion.ts';
import type { PrintedForm } from './printed-forms.ts';

const inUrlEncoding = (how: string): Words => ({
  subject: `the percent-encoded body, ${how}`,
  mend: 'Hash the bytes that are sent, which are not URL-encoded.',
});
const everyOther = (text: string, kept: RegExp): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*~]/g, (character) =>
    kept.test(character) ? character : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Functions that encode a text for a URL, by language. encodeURIComponent is among the usual forms. */
export const encodedBodies: readonly Alternative<PrintedForm>[] = alternatives<PrintedForm>('body_encoded', [
  [inUrlEncoding('with + for spaces'), 3, (text) => everyOther(text, /[!'()*~]/).replaceAll('%20', '+')],
  [inUrlEncoding('as by quote_plus'), 3, (text) => everyOther(text, /~/).replaceAll('%20', '+')],
  [inUrlEncoding('as by quote'), 3, (text) => everyOther(text, /~/).replaceAll('%2F', '/')],
  [inUrlEncoding('as by rawurlencode'), 3, (text) => everyOther(text, /~/)],
  [inUrlEncoding('as by urlencode'), 3, (text) => everyOther(text, /(?!)/).replaceAll('%20', '+')],
  [inUrlEncoding('as by URLEncoder'), 3, (text) => everyOther(text, /\*/).replaceAll('%20', '+')],
  [
    inUrlEncoding('as a form without a value'),
    3,
    (text) => `${everyOther(text, /\*/).replaceAll('%20', '+')}=`,
  ],
  [inUrlEncoding('as by encodeURI'), 3, (text) => encodeURI(text.toWellFormed())],
  [
    inUrlEncoding('in lower-case hex'),
    3,
    (text) => everyOther(text, /~/).replace(/%../g, (one) => one.toLowerCase()),
  ],
  [
    inUrlEncoding('in lower-case hex, with + for spaces'),
    3,
    (text) =>
      everyOther(text, /[!()*]/)
        .replace(/%../g, (one) => one.toLowerCase())
        .replaceAll('%20', '+'),
  ],
]);

/**
 * Lists what a shell makes of a body with dollar signs, and the bodies from which it may have made this one.
 * The texts show which applies.
 */
export function expandedBodies(text: string): readonly Alternative<PrintedForm>[] {
  const hashed = withoutShellNames(text).map(({ text: expanded, names }) =>
    alternative<PrintedForm>('body_other', hashedWithout(names, expanded), 3, () => expanded),
  );
  return [...hashed, ...beforeExpansion(text)];
}

/** The description names only digits: other names are texts of the body, which may have to stay hidden. */
function hashedWithout(names: readonly string[], expanded: string): Words {
  const digits = names.filter((name) => /^\$\d$/.test(name));
  const hasNames = digits.length < names.length;
  const parts = [...(hasNames ? ['the names after its dollar signs'] : []), ...digits].join(' and ');
  const kept = [...new Set(expanded.match(/\$\d/g) ?? [])].join(' and ');
  return {
    what: `You hashed the body without ${parts}, which a shell replaced by nothing${kept === '' ? '' : `, but with ${kept}`}.`,
    mend: inSingleQuotes,
  };
}

/** An amount such as `$5.00` loses its sign and first digit, because `$5` is a parameter of the shell. */
function beforeExpansion(text: string): readonly Alternative<PrintedForm>[] {
  const places = [...text.matchAll(/(?<=["=])(?=\.?\d)/g)].slice(0, placesMax);
  return places.flatMap(({ index }) =>
    Array.from({ length: 10 }, (_, digit) =>
      alternative<PrintedForm>(
        'body_other',
        {
          what: `You hashed a text with $${digit} in it, but sent it without: a shell replaced $${digit} by nothing.`,
          mend: inSingleQuotes,
        },
        3,
        () => `${text.slice(0, index)}$${digit}${text.slice(index)}`,
      ),
    ),
  );
}

const placesMax = 6;
