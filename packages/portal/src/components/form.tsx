import { ApiError } from '@countersign/contract';
import {
  type ChangeEvent,
  type FormEvent,
  type ReactElement,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { isApiError } from '../api/api-error.ts';
import { components as t } from '#messages/components.ts';
import { type Mistakes, useFormState } from './form-state.ts';
import { useDraft } from '../session/drafts.ts';
import classes from './form.module.css';
import { ErrorNotice } from './error-notice.tsx';
import { Notice } from './notice.tsx';

interface FormOptions<Values> {
  /** Starts the ids of the fields: `client` gives `client-name`. */
  readonly id?: string;
  readonly initialValues: Values;
  /** Field names for the summary. */
  readonly labels?: Readonly<Partial<Record<keyof Values, string>>>;
  readonly validate?: (values: Values) => Mistakes;
  /** Assigns a rejection to fields, with the texts to show. By default, the JSON Pointers of the problem decide. */
  readonly place?: (error: ApiError, values: Values) => Mistakes | undefined;
}

/** Props for a text input. */
export interface FieldProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  readonly error: string | undefined;
}

export interface Form<Values> {
  readonly values: Values;
  readonly set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => void;
  /** Sets several values and clears all mistakes. */
  readonly fill: (values: Partial<Values>) => void;
  readonly field: (name: keyof Values & string) => FieldProps;
  readonly mistakes: Mistakes;
  readonly summary: FormSummaryProps;
  /** A rejection that concerns no field. */
  readonly failure: unknown;
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  /** Marks the current values as saved. */
  readonly markSaved: () => void;
  /** For `onSubmit`: sends the values if they are valid, and shows the error if the promise rejects. */
  readonly submit: (send: (values: Values) => unknown) => (event: FormEvent) => void;
  /** Validates, and shows the mistakes. */
  readonly check: () => boolean;
  readonly reset: () => void;
  /** Shows a rejection by the service: on its fields if it concerns any, otherwise as `failure`. */
  readonly refuse: (error: unknown) => void;
}

/**
 * A form with ids, problems of the service on fields, focus, and a summary. Mistakes appear at the first
 * attempt and are checked on every change from then on.
 */
export function useForm<Values extends object>(options: FormOptions<Values>): Form<Values> {
  const ownId = useId();
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const { initialValues, labels, validate = () => ({}), place } = options;
  const state = useFormState(initialValues, validate, attempt > 0);
  const { values, mistakes, isDirty, set } = state;
  const names = Object.keys(initialValues) as (keyof Values & string)[];
  const idOf = (name: string): string => `${options.id ?? ownId}-${name}`;
  useDraft(isDirty);

  const stop = (found: Mistakes): void => {
    setAttempt((count) => count + 1);
    const first = names.find((name) => found[name] !== undefined);
    if (first !== undefined) document.getElementById(idOf(first))?.focus();
  };
  const check = (): boolean => {
    const found = state.check();
    const isValid = Object.values(found).every((mistake) => mistake === undefined);
    if (!isValid) stop(found);
    return isValid;
  };
  const refuse = (error: unknown): void => {
    // The page asks the person to sign in again, and keeps the input.
    if (isApiError(error, 'cancelled') || isApiError(error, 'session_required')) return;
    const placed = error instanceof ApiError && (place?.(error, state.latest()) ?? mistakesOf(error, names));
    if (!placed) return setFailure(error);
    state.keepRefused(placed);
    stop(placed);
  };
  const run = async (send: (values: Values) => unknown): Promise<void> => {
    setFailure(undefined);
    setIsBusy(true);
    await (async () => send(state.latest()))().catch(refuse);
    setIsBusy(false);
  };
  return {
    values,
    set,
    fill: state.fill,
    field: (name) => ({
      id: idOf(name),
      value: values[name] as string,
      onChange: (event) => set(name, event.currentTarget.value as Values[typeof name]),
      error: mistakes[name],
    }),
    mistakes,
    summary: {
      attempt,
      errors: names.flatMap((name) => summaryOf(idOf(name), labels?.[name], mistakes[name])),
    },
    failure,
    isBusy,
    isDirty,
    markSaved: state.markSaved,
    submit: (send) => (event) => {
      event.preventDefault();
      if (!isBusy && check()) void run(send);
    },
    check,
    reset() {
      state.reset();
      setAttempt(0);
      setFailure(undefined);
    },
    refuse,
  };
}

function summaryOf(
  fieldId: string,
  label: string | undefined,
  mistake: string | undefined,
): FormSummaryProps['errors'] {
  if (mistake === undefined) return [];
  return [{ fieldId, message: label === undefined ? mistake : `${label}: ${mistake}` }];
}

/** Assigns a problem to fields by its JSON Pointers, if all of them name one. */
function mistakesOf({ errors }: ApiError, names: readonly string[]): Mistakes | undefined {
  const found = errors.map(({ pointer, detail }) => [pointer.slice(1), detail] as const);
  const isComplete = found.length > 0 && found.every(([name]) => names.includes(name));
  return isComplete ? Object.fromEntries(found) : undefined;
}

/** Shows a rejection that concerns no field, and scrolls to it: the button that was used may be far away. */
export function FormFailure({ error }: { readonly error: unknown }): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined) box.current?.scrollIntoView({ block: 'center' });
  }, [error]);
  return (
    <div ref={box}>
      <ErrorNotice error={error} />
    </div>
  );
}

export interface FormSummaryProps {
  readonly errors: readonly { readonly fieldId: string; readonly message: string }[];
  /** Counts failed attempts: each gives the summary the focus. */
  readonly attempt: number;
}

/** Lists all mistakes of a form, with links to the fields. */
export function FormSummary({ errors, attempt }: FormSummaryProps): ReactElement | null {
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
            <li key={fieldId}>
              <a
                href={`#${fieldId}`}
                className={classes['link']}
                onClick={(event) => {
                  event.preventDefault();
                  document.getElementById(fieldId)?.focus();
                }}
              >
                {message}
              </a>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
