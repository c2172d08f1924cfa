import { type ReactElement, type ReactNode, useId } from 'react';
import classes from './section.module.css';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Removes the padding, for tables that reach the border. */
  readonly isFlush?: boolean;
  /** Removes the box, for tables, facts and charts. Forms and what interrupts keep it. */
  readonly isPlain?: boolean;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

export function Section(props: SectionProps): ReactElement {
  const { title, description, actions, isFlush = false, isPlain, isDangerous, children } = props;
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={classes['section']}
      data-plain={isPlain || undefined}
      data-dangerous={isDangerous || undefined}
    >
      <header className={classes['header']}>
        <div className={classes['words']}>
          <h2 id={id} className={classes['title']}>
            {title}
          </h2>
          {description && <div className={classes['description']}>{description}</div>}
        </div>
        {actions && <div className={classes['actions']}>{actions}</div>}
      </header>
      <div className={isFlush ? classes['flush'] : classes['content']}>{children}</div>
    </section>
  );
}
