import type { ReactElement } from 'react';
import { CopyButton } from '../components/copyable-text.tsx';
import './code.css';
import classes from './code-block.module.css';
import { type Language, tokensOf } from './tokens.ts';

interface CodeBlockProps {
  readonly code: string;
  readonly language: Language;
  /** A description of the code, for screen readers. */
  readonly label: string;
  /** A description of what the button copies: `program in Go`. */
  readonly copyLabel: string;
}

/** Highlighted code with a button that copies its plain text. */
export function CodeBlock({ code, language, label, copyLabel }: CodeBlockProps): ReactElement {
  return (
    <div className={classes['frame']}>
      <div className={classes['copy']}>
        <CopyButton value={code} label={copyLabel} />
      </div>
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={classes['code']} role="region" aria-label={label} tabIndex={0}>
        <code>
          {tokensOf(code, language).map(({ kind, text }, index) => (
            // Tokens have no identity except their position.
            <span key={index} className={kind && `code-${kind}`}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}
