import { type ReactElement, type ReactNode, useState } from 'react';
import classes from './section.module.css';

interface FoldedSectionProps {
  readonly title: string;
  readonly description: string;
  readonly isOpenAtFirst: boolean;
  /** Opens it, whatever the person chose: something in it needs attention. */
  readonly mustOpen: boolean;
  readonly children: ReactNode;
}

/** A section of a form that few people need. What is in it is not rendered before it is opened. */
export function FoldedSection(props: FoldedSectionProps): ReactElement {
  const { title, description, mustOpen } = props;
  const [isOpen, setIsOpen] = useState(props.isOpenAtFirst);
  return (
    <details
      className={classes['section']}
      open={isOpen || mustOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary className={classes['folded']}>
        <h2 className={classes['title']}>{title}</h2>
        <span className={classes['description']}>{description}</span>
      </summary>
      {(isOpen || mustOpen) && <div className={classes['content']}>{props.children}</div>}
    </details>
  );
}
