import { useState } from 'react';
import { isApiError } from '../../../api/api-error.ts';
import { type ClientForm, type ClientFormErrors, errorsOfRefusal, noErrors } from './client-form.ts';

/** What is wrong with a form of a client. */
export interface FormErrors {
  readonly errors: ClientFormErrors;
  /** What the service refused that is about no field. */
  readonly refusal: unknown;
  /** Grows with each attempt that was not sent or was refused, so that the summary takes the focus. */
  readonly attempt: number;
  /** Forgets all, for the next attempt. */
  readonly clear: () => void;
  readonly fail: (errors: ClientFormErrors) => void;
  /** Ties what the service refused to the fields that it is about; what somebody has cancelled is no mistake. */
  readonly refuse: (error: unknown, form: ClientForm) => void;
}

/** Keeps what is wrong with a form, by its own checks and by the service. */
export function useFormErrors(): FormErrors {
  const [errors, setErrors] = useState(noErrors);
  const [refusal, setRefusal] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const fail = (next: ClientFormErrors): void => {
    setErrors(next);
    setAttempt((count) => count + 1);
  };
  return {
    errors,
    refusal,
    attempt,
    clear() {
      setRefusal(undefined);
      setErrors(noErrors);
    },
    fail,
    refuse(error, form) {
      if (isApiError(error, 'cancelled')) return;
      const tied = errorsOfRefusal(error, form);
      if (tied === undefined) setRefusal(error);
      else fail(tied);
    },
  };
}
