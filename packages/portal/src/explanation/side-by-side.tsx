import type { FindingEvidence } from '@countersign/contract';
import type { ReactElement } from 'react';
import { explanation as t } from '#messages/explanation.ts';
import { type ComparedLine, differingLines } from './differing-lines.ts';
import classes from './side-by-side.module.css';
import { VisibleText } from './visible-text.tsx';

/** Shows two texts that should be equal side by side, and marks where they first differ. */
export function SideBySide({
  evidence: { expected, received, firstDifference },
  expectedLabel,
  receivedLabel,
}: {
  readonly evidence: FindingEvidence;
  readonly expectedLabel: string;
  readonly receivedLabel: string;
}): ReactElement {
  const compared = differingLines(expected, received, firstDifference);
  const hasLines = compared.expected.length > 1 || compared.received.length > 1;
  return (
    <figure className={classes['figure']}>
      <figcaption className={classes['caption']}>
        {hasLines ? t.differenceAt(compared.line, compared.column) : t.differenceAtCharacter(compared.column)}
      </figcaption>
      <div className={classes['sides']}>
        <Side label={expectedLabel} lines={compared.expected} side="expected" />
        <Side label={receivedLabel} lines={compared.received} side="received" />
      </div>
    </figure>
  );
}

interface SideProps {
  readonly label: string;
  readonly lines: readonly ComparedLine[];
  readonly side: 'expected' | 'received';
}

function Side({ label, lines, side }: SideProps): ReactElement {
  const hasNumbers = lines.length > 1;
  return (
    <div className={classes['side']} data-side={side}>
      <div className={classes['label']}>{label}</div>
      {/* A scrollable region must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes['text']} role="group" aria-label={label} tabIndex={0}>
        {lines.map((line) => (
          <Line key={line.number} line={line} hasNumber={hasNumbers} />
        ))}
      </div>
    </div>
  );
}

function Line({
  line,
  hasNumber,
}: {
  readonly line: ComparedLine;
  readonly hasNumber: boolean;
}): ReactElement {
  const { number, text, differs, differenceAt } = line;
  const endsBefore = differenceAt !== undefined && differenceAt >= text.length;
  return (
    <div className={classes['line']} data-differs={differs || undefined}>
      {hasNumber && (
        <span className={classes['number']} aria-hidden>
          {number}
        </span>
      )}
      <code className={classes['code']}>
        <VisibleText text={text} highlightAt={differenceAt} highlightLabel={t.firstDifference} />
        {endsBefore && <mark className={classes['end']}>{t.endsHere}</mark>}
      </code>
    </div>
  );
}
