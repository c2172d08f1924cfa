import { passwordLimits } from '@countersign/contract';
import { PasswordInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { FieldHint } from './notice.tsx';
import type { FieldProps } from './form.tsx';
import { useMessages } from '../messages/messages.ts';

interface NewPasswordFieldProps {
  readonly field: FieldProps;
  readonly label: string;
}

/** A field for a password that is chosen now: it says what is asked for, and how much is missing. */
export function NewPasswordField({ field, label }: NewPasswordFieldProps): ReactElement {
  const t = useMessages('signIn');
  const missing = passwordLimits.charactersMin - Array.from(field.value).length;
  const hintId = `${field.id}-hint`;
  return (
    <div>
      <PasswordInput
        {...field}
        label={label}
        autoComplete="new-password"
        aria-describedby={hintId}
        maxLength={passwordLimits.charactersMax}
      />
      {field.value === '' ? (
        <FieldHint id={hintId}>{t.passwordHint(passwordLimits.charactersMin)}</FieldHint>
      ) : (
        <FieldHint id={hintId} tone={missing > 0 ? 'neutral' : 'success'}>
          {missing > 0 ? t.passwordLeft(missing) : t.passwordLong}
        </FieldHint>
      )}
    </div>
  );
}

/** What is wrong with a password that is chosen now, as far as this page can tell; the service knows more. */
export function newPasswordMistake(
  password: string,
  t: { readonly required: string; readonly passwordTooShort: (charactersMin: number) => string },
): string | undefined {
  if (password === '') return t.required;
  const isShort = Array.from(password).length < passwordLimits.charactersMin;
  return isShort ? t.passwordTooShort(passwordLimits.charactersMin) : undefined;
}
