import { type Alternative, alternative } from '../drafts/alternatives.ts';
import type { TextChange } from '../drafts/base-draft.ts';

/** Lists the white space around and before the lines of a multi-line text in a program, if nothing removes it. */
export function indentedBases(): readonly Alternative<TextChange>[] {
  return steps.flatMap(([step, name]) => [
    ...frames.flatMap(({ before, after, told }) =>
      after(step).map((end) =>
        row(`each line indented by ${name}${told}`, (text) => before + text.replace(/^/gm, step) + end),
      ),
    ),
    row(`each line but the first indented by ${name}`, (text) => text.replace(/\n/g, `\n${step}`)),
  ]);
}

function row(how: string, change: TextChange): Alternative<TextChange> {
  return alternative(
    'base_value_trimmed',
    {
      signed: `the signature base with ${how}`,
      mend: 'Join the lines with \\n in place of a text in several lines, or take its indentation away: textwrap.dedent, stripIndent, <<~.',
    },
    3,
    change,
  );
}

const steps: readonly (readonly [text: string, name: string])[] = [
  ['\t', 'a tab'],
  ['\t\t', '2 tabs'],
  ...[2, 4, 8, 12].map((count) => [' '.repeat(count), `${count} spaces`] as const),
];

interface Frame {
  readonly before: string;
  /** Possible endings: the indentation of the closing quote is at most that of the lines. */
  readonly after: (step: string) => readonly string[];
  readonly told: string;
}

const frames: readonly Frame[] = [
  { before: '', after: () => [''], told: '' },
  { before: '', after: () => ['\n'], told: ', and a newline at the end' },
  { before: '\n', after: () => [''], told: ', after a newline' },
  { before: '\n', after: closings, told: ', between newlines' },
];

function closings(step: string): readonly string[] {
  const unit = step.startsWith('\t') ? '\t' : step.length % 4 === 0 ? '    ' : '  ';
  return ['', step.slice(unit.length), step]
    .map((indent) => `\n${indent}`)
    .filter((end, index, all) => all.indexOf(end) === index);
}
