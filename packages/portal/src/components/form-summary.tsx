import { type ReactElement, useEffect, useRef } from 'react';
import { useMessages } from '../messages/messages.ts';
import classes from './form-summary.module.css';
import { Notice } from './notice.tsx';

/** What is wrong with a field. */
export interface FieldError {
  /** The id of its input; empty when there is none. */
  readonly fieldId: string;
  readonly message: string;
}

interface FormSummaryProps {
  /** Empty: nothing is shown. */
  readonly errors: readonly FieldError[];
  /** Grows with every attempt to send the form: the summary takes the focus then. */
  readonly attempt: number;
}

/** All that is wrong with a form, at its top, with links to the fields. It takes the focus when the form was not sent. */
export function FormSummary({ errors, attempt }: FormSummaryProps): ReactElement | null {
  const t = useMessages('components');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempt > 0) box.current?.focus();
  }, [attempt]);
  if (errors.length === 0) return null;
  return (
    <div ref={box} tabIndex={-1} className={classes['box']}>
      <Notice tone="danger" title={t.formErrors(errors.length)}>
        <ul className={classes['list']}>
          {errors.map(({ fieldId, message }) => (
            <li key={`${fieldId} ${message}`}>
              {fieldId === '' ? message : <FieldLink fieldId={fieldId}>{message}</FieldLink>}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

function FieldLink({
  fieldId,
  children,
}: {
  readonly fieldId: string;
  readonly children: string;
}): ReactElement {
  return (
    <a
      href={`#${fieldId}`}
      className={classes['link']}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(fieldId)?.focus();
      }}
    >
      {children}
    </a>
  );
}
