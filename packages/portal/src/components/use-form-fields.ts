import { type ChangeEvent, type FormEvent, useId, useState } from 'react';
import { isApiError } from '../api/api-error.ts';
import { ApiError } from '@countersign/contract';
import type { FieldError } from './form-summary.tsx';

/** What is wrong with the fields; what is right is left out. */
export type FieldMistakes<Name extends string> = { readonly [Each in Name]?: string | undefined };

interface FormChoices<Name extends string> {
  readonly initial: Readonly<Record<Name, string>>;
  /** What the fields are called, for the summary above the form. */
  readonly labels?: Readonly<Record<Name, string>>;
  readonly check: (values: Readonly<Record<Name, string>>) => FieldMistakes<Name>;
  /** Says which field a refusal is about, and in which words; others are shown above the form. */
  readonly place?: (error: ApiError) => FieldMistakes<Name> | undefined;
}

/** What the props of an input are made of. */
export interface FieldProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  readonly error: string | undefined;
}

/** A form: its values, what is wrong with them, and how it is sent. */
export interface FormFields<Name extends string> {
  readonly values: Readonly<Record<Name, string>>;
  readonly field: (name: Name) => FieldProps;
  /** For `FormSummary`. */
  readonly summary: { readonly errors: readonly FieldError[]; readonly attempt: number };
  /** Why it was not taken, as far as no field says it. */
  readonly failure: ApiError | undefined;
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  /** For `onSubmit`: checks the fields, and sends them when nothing is wrong. */
  readonly submit: (
    send: (values: Readonly<Record<Name, string>>) => Promise<unknown>,
  ) => (event: FormEvent) => void;
  readonly reset: () => void;
}

/** Keeps the text fields of a form. Mistakes are shown from the first attempt on, and go as they are corrected. */
export function useFormFields<Name extends string>(choices: FormChoices<Name>): FormFields<Name> {
  const prefix = useId();
  const [values, setValues] = useState(choices.initial);
  const [attempt, setAttempt] = useState(0);
  const [refused, setRefused] = useState<FieldMistakes<Name>>({});
  const [failure, setFailure] = useState<ApiError>();
  const [isBusy, setIsBusy] = useState(false);
  const names = Object.keys(choices.initial) as Name[];
  const mistakes: FieldMistakes<Name> =
    attempt === 0 ? {} : { ...refused, ...present(choices.check(values)) };

  const run = async (send: (all: typeof values) => Promise<unknown>): Promise<void> => {
    setIsBusy(true);
    setFailure(undefined);
    setRefused({});
    try {
      await send(values);
    } catch (error) {
      const placed = error instanceof ApiError ? placeError(error, names, choices.place) : undefined;
      if (placed) setRefused(placed);
      else if (!isApiError(error, 'cancelled')) setFailure(asApiError(error));
    } finally {
      setIsBusy(false);
    }
  };

  return {
    values,
    failure,
    isBusy,
    isDirty: names.some((name) => values[name] !== choices.initial[name]),
    field: (name) => ({
      id: `${prefix}-${name}`,
      value: values[name],
      error: mistakes[name],
      onChange: (event) => {
        const { value } = event.currentTarget;
        setValues((before) => ({ ...before, [name]: value }));
        setRefused((before) => ({ ...before, [name]: undefined }));
      },
    }),
    summary: {
      attempt,
      errors: names.flatMap((name) => {
        const message = mistakes[name];
        const label = choices.labels?.[name];
        return message === undefined
          ? []
          : [
              {
                fieldId: `${prefix}-${name}`,
                message: label === undefined ? message : `${label}: ${message}`,
              },
            ];
      }),
    },
    submit: (send) => (event) => {
      event.preventDefault();
      if (isBusy) return;
      setAttempt((count) => count + 1);
      if (Object.keys(present(choices.check(values))).length === 0) void run(send);
    },
    reset: () => {
      setValues(choices.initial);
      setAttempt(0);
      setRefused({});
      setFailure(undefined);
    },
  };
}

function present<Name extends string>(mistakes: FieldMistakes<Name>): FieldMistakes<Name> {
  return Object.fromEntries(
    Object.entries(mistakes).filter(([, text]) => text !== undefined),
  ) as FieldMistakes<Name>;
}

function placeError<Name extends string>(
  error: ApiError,
  names: readonly Name[],
  place: FormChoices<Name>['place'],
): FieldMistakes<Name> | undefined {
  const own = place?.(error);
  if (own) return own;
  const found = error.errors.map(({ pointer, detail }) => [pointer.slice(1), detail] as const);
  const isComplete = found.length > 0 && found.every(([name]) => (names as readonly string[]).includes(name));
  return isComplete ? (Object.fromEntries(found) as FieldMistakes<Name>) : undefined;
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({
    code: 'unexpected',
    status: 0,
    title: 'Something went wrong in this page',
    detail: 'Load the page again. If it happens again, tell the operator what you did.',
  });
}
