import { passwordResetMinutes } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { signIn as t } from '#messages/sign-in.ts';
import { useSession } from '../../session/session-context.ts';
import { emailMistake } from './email-mistake.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';

const mailed = {
  text: t.forgotText,
  action: t.forgotAction,
  doneTitle: t.forgotDoneTitle,
  done: t.forgotDoneText,
};
const inFolder = {
  text: t.forgotTextNoMail,
  action: t.forgotActionNoMail,
  doneTitle: t.forgotDoneNoMailTitle,
  done: t.forgotDoneNoMailText,
};

/** Requests a link to reset the password. The response is the same for every address. */
export default function ForgotPasswordPage(): ReactElement {
  const [sentTo, setSentTo] = useState<string>();
  const isSent = sentTo !== undefined;
  const words = useSession().features.isMailConfigured ? mailed : inFolder;
  return (
    <SignInLayout
      title={isSent ? words.doneTitle : t.forgotTitle}
      description={
        <span role="status">{isSent ? words.done(sentTo, passwordResetMinutes) : words.text}</span>
      }
    >
      {!isSent && <ForgotForm action={words.action} onSent={setSentTo} />}
      <div className={classes['links']}>
        <AppLink to="/sign-in">{t.backToSignIn}</AppLink>
      </div>
    </SignInLayout>
  );
}

interface ForgotFormProps {
  readonly action: string;
  readonly onSent: (email: string) => void;
}

function ForgotForm({ action, onSent }: ForgotFormProps): ReactElement {
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
      <Button type="submit" size="md" fullWidth loading={form.isBusy}>
        {action}
      </Button>
    </form>
  );
}
