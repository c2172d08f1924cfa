import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { auth } from '../../api/auth.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormSummary, useForm } from '../../components/form.tsx';
import {
  NewPasswordField,
  newPasswordMistake,
  placeNewPasswordRefusal,
} from '../../components/new-password-field.tsx';
import { signIn as t } from '#messages/sign-in.ts';
import { useSession } from '../../session/session-context.ts';
import { emailMistake } from './email-mistake.ts';
import { LinkCheck, SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';
import { useEnter } from './use-enter.ts';
import { useFragmentToken } from './use-fragment-token.ts';

/** Creates the first person, from the one-time link of the first start. */
export default function SetUpPage(): ReactElement {
  const token = useFragmentToken();
  if (token === undefined) return <SetUpHint />;
  return (
    <LinkCheck kind="set-up" token={token} check={auth.checkSetUp}>
      {({ serviceName }) => (
        <SignInLayout title={t.setUpTitle} description={t.setUpText(serviceName)}>
          <SetUpForm token={token} />
        </SignInLayout>
      )}
    </LinkCheck>
  );
}

function SetUpForm({ token }: { readonly token: string }): ReactElement {
  const enter = useEnter();
  const form = useForm({
    initialValues: { name: '', email: '', password: '' },
    labels: { name: t.name, email: t.email, password: t.password },
    validate: ({ name, email, password }) => ({
      name: name.trim() === '' ? t.required : undefined,
      email: emailMistake(email, t),
      password: newPasswordMistake(password),
    }),
    place: placeNewPasswordRefusal,
  });
  const submit = form.submit(async ({ name, email, password }) => {
    await enter(await auth.setUp({ token, name: name.trim(), email: email.trim(), password }));
  });
  return (
    <form noValidate onSubmit={submit} className={classes['form']}>
      <FormSummary {...form.summary} />
      <ErrorNotice error={form.failure} />
      <TextInput {...form.field('name')} label={t.name} autoComplete="name" maxLength={100} autoFocus />
      <TextInput
        {...form.field('email')}
        label={t.email}
        type="email"
        autoComplete="username"
        spellCheck={false}
      />
      <NewPasswordField field={form.field('password')} label={t.password} />
      <Button type="submit" size="md" fullWidth loading={form.isBusy}>
        {t.setUpAction}
      </Button>
    </form>
  );
}

function SetUpHint(): ReactElement {
  const { needsSetUp } = useSession().features;
  return (
    <SignInLayout
      title={needsSetUp ? t.needsSetUpTitle : t.linkMissingTitle}
      description={needsSetUp ? t.needsSetUpText : t.linkMissingText}
    >
      <div className={classes['links']}>
        <AppLink to="/sign-in">{t.toSignIn}</AppLink>
      </div>
    </SignInLayout>
  );
}
