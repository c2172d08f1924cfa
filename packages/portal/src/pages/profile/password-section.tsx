import { Button, PasswordInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import {
  NewPasswordField,
  newPasswordMistake,
  newPasswordRefusal,
} from '../../components/new-password-field.tsx';
import { notify } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { profile as t } from '#messages/profile.ts';
import classes from './profile.module.css';
import { useProfileRefresh } from './use-profile.ts';

interface PasswordSectionProps {
  readonly hasPassword: boolean;
  readonly email: string;
}

export function PasswordSection({ hasPassword, email }: PasswordSectionProps): ReactElement {
  return (
    <Section title={t.passwordTitle} description={hasPassword ? t.passwordText : t.passwordNone}>
      {hasPassword && <PasswordForm email={email} />}
    </Section>
  );
}

function PasswordForm({ email }: { readonly email: string }): ReactElement {
  const refresh = useProfileRefresh();
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword === '' ? t.required : undefined,
      newPassword: newPasswordMistake(newPassword),
    }),
    place: ({ code }) => {
      const newPassword = newPasswordRefusal(code);
      if (newPassword !== undefined) return { newPassword };
      return code === 'credentials_invalid' ? { currentPassword: t.currentWrong } : undefined;
    },
  });
  const submit = form.submit(async (values) => {
    await auth.changePassword(values);
    form.reset();
    await refresh();
    notify.success(t.passwordChanged);
  });
  return (
    <form noValidate onSubmit={submit} className={classes['form']}>
      <ErrorNotice error={form.failure} />
      {/* Tells password managers which account this is. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <PasswordInput
        {...form.field('currentPassword')}
        label={t.currentPassword}
        autoComplete="current-password"
      />
      <NewPasswordField field={form.field('newPassword')} label={t.newPassword} />
      <Button type="submit" loading={form.isBusy}>
        {t.changePassword}
      </Button>
    </form>
  );
}
