import type { StepUpMethod } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { signIn as t } from '#messages/sign-in.ts';
import { useSession } from '../../session/session-context.ts';
import { PasskeyButton } from './sign-in-form.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';

type SecondFactor = Exclude<StepUpMethod, 'password' | 'identity-provider'>;

interface SecondFactorFormProps {
  readonly methods: readonly StepUpMethod[];
}

export function SecondFactorForm(props: SecondFactorFormProps): ReactElement {
  return (
    <SignInLayout title={t.secondFactorTitle}>
      <SecondFactorFields {...props} />
    </SignInLayout>
  );
}

/** The form without its page. */
export function SecondFactorFields({ methods }: SecondFactorFormProps): ReactElement {
  const { signOut } = useSession();
  const offered = methods.filter(
    (method): method is SecondFactor => method !== 'password' && method !== 'identity-provider',
  );
  const [method, setMethod] = useState<SecondFactor>(
    offered.includes('totp') ? 'totp' : (offered[0] ?? 'totp'),
  );
  const text: Readonly<Record<SecondFactor, string>> = {
    totp: t.secondFactorTotp,
    'recovery-code': t.secondFactorRecovery,
    passkey: t.secondFactorPasskey,
  };
  const use: Readonly<Record<SecondFactor, string>> = {
    totp: t.useTotp,
    'recovery-code': t.useRecovery,
    passkey: t.usePasskey,
  };
  return (
    <>
      <p className={classes['how']}>{text[method]}</p>
      {method === 'passkey' ? <PasskeyButton /> : <CodeForm key={method} method={method} />}
      <div className={classes['links']}>
        {offered
          .filter((each) => each !== method)
          .map((each) => (
            <Button key={each} variant="subtle" size="compact-sm" onClick={() => setMethod(each)}>
              {use[each]}
            </Button>
          ))}
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => void signOut()}>
          {t.otherAccount}
        </Button>
      </div>
    </>
  );
}

function CodeForm({ method }: { readonly method: 'totp' | 'recovery-code' }): ReactElement {
  const { refresh } = useSession();
  const isTotp = method === 'totp';
  const form = useForm({
    initialValues: { code: '' },
    validate: ({ code }) => ({ code: code.trim() === '' ? t.required : undefined }),
  });
  const submit = form.submit(async ({ code }) => {
    await auth.secondFactor(isTotp ? { code: code.replaceAll(/\s/g, '') } : { recoveryCode: code.trim() });
    await refresh();
  });
  return (
    <form noValidate onSubmit={submit} className={classes['form']}>
      <ErrorNotice error={form.failure} />
      <TextInput
        {...form.field('code')}
        label={isTotp ? t.code : t.recoveryCode}
        description={isTotp ? t.codeHint : undefined}
        inputMode={isTotp ? 'numeric' : 'text'}
        autoComplete={isTotp ? 'one-time-code' : 'off'}
        maxLength={isTotp ? 9 : 64}
        spellCheck={false}
        autoFocus
      />
      <Button type="submit" size="md" fullWidth loading={form.isBusy}>
        {t.verify}
      </Button>
    </form>
  );
}
