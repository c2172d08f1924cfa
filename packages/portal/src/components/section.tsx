import { type ReactElement, type ReactNode, useId } from 'react';
import classes from './section.module.css';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** Without the space around the content: for tables that reach the border. */
  readonly isFlush?: boolean;
  /** For whom a mistake is undone. */
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** A part of a page, with a heading that names it: a calm card with a border. */
export function Section(props: SectionProps): ReactElement {
  const { title, description, actions, isFlush = false, isDangerous = false, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes['section']} data-dangerous={isDangerous || undefined}>
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
