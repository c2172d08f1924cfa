import { type VisiblePiece, visiblePieces } from '@countersign/explain';
import type { ReactElement } from 'react';
import classes from './visible-text.module.css';

/** Shows a text with its invisible characters; `highlightAt` marks one character. */
export function VisibleText({
  text,
  highlightAt,
  highlightLabel,
}: {
  readonly text: string;
  readonly highlightAt?: number | undefined;
  readonly highlightLabel?: string | undefined;
}): ReactElement {
  const pieces = visiblePieces(text);
  return (
    <bdi className={classes['text']}>
      {pieces.map((piece) => (
        <Piece key={piece.start} piece={piece} highlightAt={highlightAt} highlightLabel={highlightLabel} />
      ))}
    </bdi>
  );
}

interface PieceProps {
  readonly piece: VisiblePiece;
  readonly highlightAt: number | undefined;
  readonly highlightLabel: string | undefined;
}

function Piece({ piece, highlightAt = -1, highlightLabel }: PieceProps): ReactElement {
  if (piece.kind === 'mark') {
    const isHighlighted = highlightAt >= piece.start && highlightAt < piece.start + piece.length;
    const mark = (
      <span className={classes['mark']} title={piece.name} role="img" aria-label={piece.name}>
        {piece.label}
      </span>
    );
    return isHighlighted ? <Highlighted label={highlightLabel}>{mark}</Highlighted> : mark;
  }
  const { text, start } = piece;
  const place = highlightAt - start;
  if (place < 0 || place >= text.length) return <>{text}</>;
  const character = String.fromCodePoint(text.codePointAt(place) ?? 0);
  return (
    <>
      {text.slice(0, place)}
      <Highlighted label={highlightLabel}>{character}</Highlighted>
      {text.slice(place + character.length)}
    </>
  );
}

function Highlighted({
  label,
  children,
}: {
  readonly label: string | undefined;
  readonly children: ReactElement | string;
}): ReactElement {
  return (
    <mark className={classes['highlight']} title={label}>
      {children}
    </mark>
  );
}
