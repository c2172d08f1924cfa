import { firstDifferingCharacter } from '@countersign/explain';

/** The lines of two texts around the place where they first differ. */
export interface DifferingLines {
  readonly expected: readonly ComparedLine[];
  readonly received: readonly ComparedLine[];
  /** The line in which they first differ, from 1. */
  readonly line: number;
  /** The character in that line, from 1. */
  readonly column: number;
}

/** One line of a text, with its end where it has one. */
export interface ComparedLine {
  readonly number: number;
  readonly text: string;
  /** Whether the other text has another line here. */
  readonly differs: boolean;
  /** Where in this line the two texts first differ; only in the first line that differs. */
  readonly differenceAt: number | undefined;
}

/** Puts two texts beside each other, line by line. */
export function differingLines(expected: string, received: string, firstDifference: number): DifferingLines {
  const place = firstDifferingCharacter({ expected, received, firstDifference });
  const before = expected.slice(0, place);
  const line = before.split('\n').length;
  const lineStart = before.lastIndexOf('\n') + 1;
  const [ofExpected, ofReceived] = [linesWithEnds(expected), linesWithEnds(received)];
  const compared = (lines: readonly string[], others: readonly string[]): ComparedLine[] =>
    lines.map((text, index) => ({
      number: index + 1,
      text,
      differs: text !== others[index],
      differenceAt: index + 1 === line ? place - lineStart : undefined,
    }));
  return {
    expected: compared(ofExpected, ofReceived),
    received: compared(ofReceived, ofExpected),
    line,
    column: place - lineStart + 1,
  };
}

/** With their ends, because those are signed too. A text that ends with a line end has an empty line after it. */
function linesWithEnds(text: string): readonly string[] {
  return text.split(/(?<=\n)/).concat(text.endsWith('\n') ? [''] : []);
}
