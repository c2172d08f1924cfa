import { findings, type FindingTexts } from '@countersign/explain';
import type { FindingSentence } from '../finding-sentence.ts';
import { findingTexts } from './finding-texts.ts';

/**
 * Returns what is wrong, or how to fix it. The explainer writes English: what begins with the words of its table begins with
 * theirs in German, and this request's values follow. A sentence made for one request stays English.
 */
export function findingSentence(code: string, part: 'cause' | 'fix', text: string): FindingSentence {
  if (isKnown(code)) {
    const { cause, mend }: FindingTexts = findings[code];
    const english = part === 'cause' ? cause : mend;
    const rest = text.startsWith(english) ? text.slice(english.length) : undefined;
    if (rest !== undefined && /^(?:[.:]|$)/.test(rest))
      return { text: findingTexts[code][part === 'cause' ? 1 : 2] + rest };
  }
  return { text, lang: 'en' };
}

function isKnown(code: string): code is keyof typeof findings {
  return Object.hasOwn(findings, code);
}
