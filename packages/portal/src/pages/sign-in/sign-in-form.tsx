import { Button, PasswordInput, TextInput } from '@mantine/core';
import { Building2, Fingerprint } from 'lucide-react';
import type { ReactElement } from 'react';
import { auth, oidcStartUrl } from '../../api/auth.ts';
import { AppLink } from '../../components/app-link.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { useAction } from '../../components/use-action.ts';
import { signIn as t } from '#messages/sign-in.ts';
import { canUsePasskeys, getPasskeyProof } from '../../session/passkeys.ts';
import { useSession } from '../../session/session-context.ts';
import { emailMistake } from './email-mistake.ts';
import classes from './sign-in.module.css';

interface SignInFormProps {
  readonly returnPath: string;
  readonly email?: string;
  /** Set if the page must stay: other pages then open in a window. */
  readonly opensWindow?: boolean;
}

export function SignInForm({ returnPath, email, opensWindow = false }: SignInFormProps): ReactElement {
  const { refresh } = useSession();
  const form = useForm({
    initialValues: { email: email ?? '', password: '' },
    validate: (values) => ({
      email: emailMistake(values.email, t),
      password: values.password === '' ? t.required : undefined,
    }),
  });
  const submit = form.submit(async ({ email: typed, password }) => {
    await auth.signIn({ email: typed.trim(), password });
    await refresh();
  });
  return (
    <>
      <form noValidate onSubmit={submit} className={classes['form']}>
        <ErrorNotice error={form.failure} />
        <TextInput
          {...form.field('email')}
          label={t.email}
          type="email"
          autoComplete="username webauthn"
          autoFocus={email === undefined}
          spellCheck={false}
        />
        <PasswordInput
          {...form.field('password')}
          label={t.password}
          autoComplete="current-password"
          {...(email !== undefined && { 'data-autofocus': true })}
        />
        <Button type="submit" size="md" fullWidth loading={form.isBusy}>
          {t.signIn}
        </Button>
      </form>
      <OtherWays returnPath={returnPath} opensWindow={opensWindow} />
      {!opensWindow && (
        <div className={classes['links']}>
          <AppLink to="/forgot-password">{t.forgot}</AppLink>
        </div>
      )}
    </>
  );
}

function OtherWays({
  returnPath,
  opensWindow,
}: Required<Omit<SignInFormProps, 'email'>>): ReactElement | null {
  const { oidc, arePasskeysPossible } = useSession().features;
  const hasPasskeys = arePasskeysPossible && canUsePasskeys();
  if (!hasPasskeys && oidc === undefined) return null;
  return (
    <>
      <div className={classes['divider']}>{t.or}</div>
      <div className={classes['ways']}>
        {oidc && (
          <Button
            component="a"
            href={oidcStartUrl(returnPath)}
            {...(opensWindow && { target: '_blank', rel: 'noopener' })}
            variant="default"
            fullWidth
            leftSection={<Building2 size={16} aria-hidden />}
          >
            {t.withOidc(oidc.name)}
          </Button>
        )}
        {hasPasskeys && <PasskeyButton />}
      </div>
    </>
  );
}

/** Signs in with a passkey, which identifies the person. */
export function PasskeyButton(): ReactElement {
  const { refresh } = useSession();
  const { isBusy, error, run } = useAction(async () => {
    await auth.passkeySignIn(await getPasskeyProof(await auth.passkeyOptions()));
    await refresh();
  });
  return (
    <>
      <Button
        variant="default"
        fullWidth
        loading={isBusy}
        leftSection={<Fingerprint size={16} aria-hidden />}
        onClick={() => void run()}
      >
        {t.withPasskey}
      </Button>
      <ErrorNotice error={error} />
    </>
  );
}
