import { evidenceKind, type Finding, findings as table, isSameEvidence } from '@countersign/explain';
import { wrapped } from '../terminal/layout.ts';
import type { Colours } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';
import { differenceText, markedLines } from './evidence-text.ts';

/** Formats findings: what is wrong, what to do, and where the texts first differ. */
export function findingTexts(findings: readonly Finding[], colours: Colours): readonly string[] {
  return [
    ...findings.map((finding, index) => findingText(finding, index + 1, findings, colours)),
    ...sharedEvidence(findings).map((finding) => sharedText(finding, findings, colours)),
  ];
}

function findingText(
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
    evidence === undefined || evidence.expected === evidence.received || isShared(finding, findings)
      ? ''
      : `\n${differenceText(evidence, evidenceKind(finding), colours)}\n`;
  return `${title}${wrapped(visible(what), '   ')}${labelled('fix', visible(mend))}${difference}${faint(`   see ${page}`)}\n`;
}

/** Shows the combined effect of several mistakes on one text only once. */
function sharedText(finding: Finding, findings: readonly Finding[], colours: Colours): string {
  const { evidence } = finding;
  if (evidence === undefined) return '';
  if (isOfWholeBase(finding)) {
    const title = finding.certainty === 'proven' ? 'What was signed' : 'What the caller built';
    return `${colours.strong(title)} (! marks lines that differ)\n${markedLines(evidence, colours)}`;
  }
  const numbers = findings.flatMap((other, index) =>
    isSameEvidence(other.evidence, evidence) ? [index + 1] : [],
  );
  const together = `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} together`;
  return `${colours.strong(together)}\n\n${differenceText(evidence, evidenceKind(finding), colours)}`;
}

/** True if the first difference may not be this finding's: others changed the same text, or any line of the base. */
function isShared(finding: Finding, findings: readonly Finding[]): boolean {
  return findings.some(
    (other) =>
      other !== finding && (isOfWholeBase(finding) || isSameEvidence(other.evidence, finding.evidence)),
  );
}

function isOfWholeBase({ evidence }: Finding): boolean {
  return evidence?.expected.includes('\n"@signature-params": ') === true;
}

/** The first finding of each text that several share. */
function sharedEvidence(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    (finding) =>
      isShared(finding, findings) &&
      (findings.find((other) => isSameEvidence(other.evidence, finding.evidence)) ?? finding) === finding,
  );
}

function labelled(label: string, text: string): string {
  const [first = '', ...rest] = wrapped(text, ' '.repeat(label.length + 5)).split('\n');
  return [`   ${label}: ${first.trimStart()}`, ...rest].join('\n');
}
