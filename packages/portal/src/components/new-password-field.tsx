import { passwordLimits } from '@countersign/contract';
import { PasswordInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { signIn as t } from '#messages/sign-in.ts';
import type { FieldProps } from './form.tsx';
import { FieldHint } from './notice.tsx';

interface NewPasswordFieldProps {
  readonly field: FieldProps;
  readonly label: string;
}

/** A field for a new password. Shows the requirements and how much is missing. */
export function NewPasswordField({ field, label }: NewPasswordFieldProps): ReactElement {
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

/** Returns the text below the field when the service rejects a new password; undefined for other problems. */
export function newPasswordRefusal(code: string): string | undefined {
  if (code === 'password_too_weak') return t.passwordTooWeak;
  return code === 'password_breached' ? t.passwordBreached : undefined;
}

/**
 * Places the service's objections to a new password below the field `password`, for forms that have no other
 * such field.
 */
export function placeNewPasswordRefusal({
  code,
}: {
  readonly code: string;
}): { readonly password: string } | undefined {
  const password = newPasswordRefusal(code);
  return password === undefined ? undefined : { password };
}

/** Validates a new password as far as the page can; the service checks more. */
export function newPasswordMistake(password: string): string | undefined {
  if (password === '') return t.required;
  const isShort = Array.from(password).length < passwordLimits.charactersMin;
  return isShort ? t.passwordTooShort(passwordLimits.charactersMin) : undefined;
}
