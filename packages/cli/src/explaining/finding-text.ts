import { type Finding, findings as table } from '@countersign/explain';
import type { Colours } from '../terminal/colour.ts';
import { wrapped } from '../terminal/layout.ts';
import { visible, visibleExactly } from '../terminal/visible.ts';
import { firstDifferenceText } from './first-difference.ts';

/** One finding of an explanation: what is wrong, where the texts first differ, what to do. */
export function findingText(
  finding: Finding,
  number: number,
  findings: readonly Finding[],
  colours: Colours,
): string {
  const { strong, faint, bad } = colours;
  const { code, certainty, what, mend, evidence, page } = finding;
  const paint = certainty === 'likely' ? strong : bad;
  const title = `${paint(`${number}. ${table[code].title}`)}  ${faint(`(${certainty})`)}\n`;
  const difference =
    !isAlone(finding, findings) || evidence === undefined || evidence.expected === evidence.received
      ? ''
      : `\n${firstDifferenceText(evidence, evidenceLabels(finding), colours)}\n`;
  return `${title}${wrapped(visible(what), '   ')}${difference}${labelled('do', visible(mend))}${faint(`   see ${page}`)}\n`;
}

/** When several mistakes are in one base: the whole text that was signed, once, with a mark at the lines that differ. */
export function signedBaseText(findings: readonly Finding[], { strong, bad }: Colours): readonly string[] {
  const whole = findings.find((finding) => isOfWholeBase(finding) && !isAlone(finding, findings));
  if (whole?.evidence === undefined) return [];
  const { expected, received } = whole.evidence;
  const right = new Set(linesWithEnds(expected));
  const title = whole.certainty === 'proven' ? 'What was signed' : 'What the caller built';
  const shown = linesWithEnds(received).map((line) =>
    right.has(line) ? `    ${visibleExactly(line)}\n` : `  ${bad(`! ${visibleExactly(line)}`)}\n`,
  );
  return [`${strong(title)} (! marks lines that differ)\n${shown.join('')}`];
}

/** Whether the first difference is that of this mistake: several in one base show as one difference. */
function isAlone(finding: Finding, findings: readonly Finding[]): boolean {
  return findings.length === 1 || !isOfWholeBase(finding);
}

function isOfWholeBase({ evidence }: Finding): boolean {
  return evidence?.expected.includes('\n"@signature-params": ') === true;
}

function linesWithEnds(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

function labelled(label: string, text: string): string {
  const [first = '', ...rest] = wrapped(text, ' '.repeat(label.length + 5)).split('\n');
  return [`   ${label}: ${first.trimStart()}`, ...rest].join('\n');
}

/** The second text is what was hashed or signed, or what is said to be, where it is not what came. */
function evidenceLabels({ code, certainty }: Finding): readonly [expected: string, received: string] {
  const isProven = certainty === 'proven';
  if (/^(?:url|method|base)_/.test(code)) return ['expected', isProven ? 'signed' : 'built'];
  return isProven && code.startsWith('body_') ? ['came', 'hashed'] : ['expected', 'came'];
}
