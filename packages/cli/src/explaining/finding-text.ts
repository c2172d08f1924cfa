import {
  type Evidence,
  type EvidenceKind,
  evidenceKind,
  type Finding,
  findings as table,
  firstDifferingCharacter,
} from '@countersign/explain';
import { wrapped } from '../terminal/layout.ts';
import type { Colours } from '../terminal/report.ts';
import { visible, visibleExactly } from '../terminal/visible.ts';

/** Formats a finding: what is wrong, where the texts first differ, and what to do. */
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
      : `\n${firstDifferenceText(evidence, evidenceLabels[evidenceKind(finding)], colours)}\n`;
  return `${title}${wrapped(visible(what), '   ')}${difference}${labelled('do', visible(mend))}${faint(`   see ${page}`)}\n`;
}

/** If one base has several mistakes, shows the whole text that was signed and marks the lines that differ. */
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

/** Whether the first difference belongs to this finding. Several mistakes in one base show as one difference. */
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

const evidenceLabels: Readonly<Record<EvidenceKind, readonly [expected: string, received: string]>> = {
  signed: ['expected', 'signed'],
  claimed: ['expected', 'built'],
  hashed: ['came', 'hashed'],
  received: ['expected', 'came'],
};

/** How much of a line to show before and after the first difference. */
const beforeMax = 54;
const afterMax = 32;

/**
 * Shows the first differing lines of two texts, one above the other, with a mark below the place and invisible
 * characters made visible.
 */
function firstDifferenceText(
  evidence: Evidence,
  labels: readonly [expected: string, received: string],
  { good, bad, faint }: Colours,
): string {
  const { expected, received } = evidence;
  const place = firstDifferingCharacter(evidence);
  const lineStart = expected.lastIndexOf('\n', place - 1) + 1;
  const start = Math.max(lineStart, place - beforeMax);
  const lead = (start > lineStart ? '…' : '') + visibleExactly(startOfPiece(expected, start, place));
  const width = Math.max(...labels.map((label) => label.length)) + 2;
  const line = (label: string, text: string, paint: (text: string) => string): string =>
    `   ${label.padEnd(width)}${lead}${paint(pieceFrom(text, place))}\n`;
  const where =
    expected.includes('\n') || received.includes('\n')
      ? faint(` line ${expected.slice(0, place).split('\n').length}, character ${place - lineStart + 1}`)
      : '';
  return [
    line(labels[0], expected, good),
    line(labels[1], received, bad),
    `   ${' '.repeat(width + Array.from(lead).length)}^${where}\n`,
  ].join('');
}

function startOfPiece(text: string, start: number, place: number): string {
  return text.slice(start, place).replace(/^[\udc00-\udfff]/, '');
}

/** Shows the rest of a line, including its line end. */
function pieceFrom(text: string, place: number): string {
  if (place >= text.length) return ' (ends here)';
  const lineEnd = text.indexOf('\n', place);
  const end = Math.min(lineEnd < 0 ? text.length : lineEnd + 1, place + afterMax);
  const isCut = end < text.length && text[end - 1] !== '\n';
  return visibleExactly(text.slice(place, end).replace(/[\ud800-\udbff]$/, '')) + (isCut ? '…' : '');
}
