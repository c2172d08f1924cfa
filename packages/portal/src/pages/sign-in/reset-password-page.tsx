import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { auth } from '../../api/auth.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import {
  NewPasswordField,
  newPasswordMistake,
  placeNewPasswordRefusal,
} from '../../components/new-password-field.tsx';
import { Notice } from '../../components/notice.tsx';
import { signIn as t } from '#messages/sign-in.ts';
import { useSession } from '../../session/session-context.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';
import { useFragmentToken } from './use-fragment-token.ts';

export default function ResetPasswordPage(): ReactElement {
  const token = useFragmentToken();
  return (
    <SignInLayout title={t.resetTitle} description={t.resetText}>
      {token === undefined ? (
        <Notice tone="warning" title={t.linkMissingTitle}>
          {t.linkMissingText}
        </Notice>
      ) : (
        <ResetForm token={token} />
      )}
      <div className={classes['links']}>
        <AppLink to="/forgot-password">{t.forgotTitle}</AppLink>
        <AppLink to="/sign-in">{t.backToSignIn}</AppLink>
      </div>
    </SignInLayout>
  );
}

function ResetForm({ token }: { readonly token: string }): ReactElement {
  const { refresh } = useSession();
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { password: '' },
    validate: ({ password }) => ({ password: newPasswordMistake(password) }),
    place: placeNewPasswordRefusal,
  });
  const submit = form.submit(async ({ password }) => {
    await auth.resetPassword({ token, password });
    await refresh();
    navigate('/sign-in?reset=1', { replace: true });
  });
  return (
    <form noValidate onSubmit={submit} className={classes['form']}>
      <ErrorNotice error={form.failure} />
      <NewPasswordField field={form.field('password')} label={t.newPassword} />
      <Button type="submit" size="md" fullWidth loading={form.isBusy}>
        {t.resetAction}
      </Button>
    </form>
  );
}
