import type { ReactElement } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Section } from '../../components/section.tsx';
import { VisibleText } from '../../explanation/visible-text.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './debugger.module.css';

/** The signature base line by line, with the ends of its lines: they are signed too, and the last line has none. */
export function SignatureBase({
  base,
  isMended,
}: {
  readonly base: string;
  /** Whether the headers must be put in order first. */
  readonly isMended: boolean;
}): ReactElement {
  const t = useMessages('signatureDebugger');
  const lines = base.split(/(?<=\n)/);
  return (
    <Section
      title={t.base}
      description={isMended ? t.baseMended : t.baseText}
      actions={<CopyButton value={base} label={t.copyBase} />}
    >
      {/* A part that scrolls must be reached by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes['base']} role="group" aria-label={t.base} tabIndex={0}>
        {lines.map((line, index) => (
          // The lines of a base never change their order.
          <div key={index} className={classes['base-line']}>
            <VisibleText text={line} />
          </div>
        ))}
      </div>
    </Section>
  );
}
