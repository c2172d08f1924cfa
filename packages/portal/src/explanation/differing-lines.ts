import { firstDifferingCharacter } from '@countersign/explain';

/** Two texts by line, and the place where they first differ. */
export interface DifferingLines {
  readonly expected: readonly ComparedLine[];
  readonly received: readonly ComparedLine[];
  /** Where they first differ, from 1. */
  readonly line: number;
  readonly column: number;
}

/** A line of a text, with its line end if it has one. */
export interface ComparedLine {
  readonly number: number;
  readonly text: string;
  readonly differs: boolean;
  /** Index of the first difference; set only in the first line that differs. */
  readonly differenceAt: number | undefined;
}

/** Compares two texts line by line. */
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

/** Keeps the line ends, because they are signed too. A text that ends with one has an empty last line. */
function linesWithEnds(text: string): readonly string[] {
  return text.split(/(?<=\n)/).concat(text.endsWith('\n') ? [''] : []);
}
