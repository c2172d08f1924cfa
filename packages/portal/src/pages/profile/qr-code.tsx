import { type ReactElement, useMemo } from 'react';
import { encode } from 'uqr';
import classes from './profile.module.css';

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** A text as a QR code, drawn in the page: the text goes to nobody. Dark on white in both colour schemes, for cameras. */
export function QrCode({ text, label }: QrCodeProps): ReactElement {
  const { size, path } = useMemo(() => {
    const code = encode(text, { ecc: 'M', border: 0 });
    const squares = code.data.flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
    );
    return { size: code.size, path: squares.join('') };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className={classes['qr']}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#111318" />
    </svg>
  );
}
