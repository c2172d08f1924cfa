import { Button, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { signIn as t } from '../../messages/en/sign-in.ts';
import { useSession } from '../../session/session-context.ts';
import { emailMistake } from './email-mistake.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';

/** Requests a link to reset the password. The answer is the same for every address. */
export default function ForgotPasswordPage(): ReactElement {
  const [sentTo, setSentTo] = useState<string>();
  const isSent = sentTo !== undefined;
  return (
    <SignInLayout
      title={isSent ? t.forgotDoneTitle : t.forgotTitle}
      description={<span role="status">{isSent ? t.forgotDoneText(sentTo) : t.forgotText}</span>}
    >
      {!isSent && <ForgotForm onSent={setSentTo} />}
      <div className={classes['links']}>
        <AppLink to="/sign-in">{t.backToSignIn}</AppLink>
      </div>
    </SignInLayout>
  );
}

function ForgotForm({ onSent }: { readonly onSent: (email: string) => void }): ReactElement {
  const { isMailConfigured } = useSession().features;
  const form = useForm({
    initialValues: { email: '' },
    validate: ({ email }) => ({ email: emailMistake(email, t) }),
  });
  const submit = form.submit(async (values) => {
    const email = values.email.trim();
    await auth.forgotPassword(email);
    onSent(email);
  });
  return (
    <form noValidate onSubmit={submit} className={classes['form']}>
      <ErrorNotice error={form.failure} />
      <TextInput
        {...form.field('email')}
        label={t.email}
        type="email"
        autoComplete="username"
        spellCheck={false}
        autoFocus
      />
      {!isMailConfigured && <FieldHint tone="info">{t.forgotNoMail}</FieldHint>}
      <Button type="submit" size="md" fullWidth loading={form.isBusy}>
        {t.forgotAction}
      </Button>
    </form>
  );
}
