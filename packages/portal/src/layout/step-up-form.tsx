import type { StepUpMethod } from '@countersign/contract';
import { Button, Group, PasswordInput, TextInput, type TextInputProps } from '@mantine/core';
import { Fingerprint } from 'lucide-react';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { auth, type StepUpProof } from '../api/auth.ts';
import { announce } from '../components/announce.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { passwordAdvice } from '#messages/problem-advice.ts';
import { stepUp as t } from '#messages/step-up.ts';
import { getPasskeyProof } from '../session/passkeys.ts';
import { useSession } from '../session/session-context.ts';
import { ProviderProof } from './provider-proof-form.tsx';
import classes from './step-up-form.module.css';

interface StepUpFormProps {
  readonly methods: readonly StepUpMethod[];
  readonly onProved: () => void;
  readonly onCancel: () => void;
}

/** Asks for one of the accepted proofs and offers the others. */
export function StepUpForm({ methods, onProved, onCancel }: StepUpFormProps): ReactElement {
  const [method, setMethod] = useState(methods[0]);
  const proved = (): void => {
    announce(t.confirmed);
    onProved();
  };
  if (method === undefined) return <NoWay onCancel={onCancel} />;
  const others = <OtherWays methods={methods.filter((each) => each !== method)} onChoose={setMethod} />;
  if (method === 'identity-provider')
    return (
      <ProviderProof onProved={proved} onCancel={onCancel}>
        {others}
      </ProviderProof>
    );
  return (
    <ProofForm key={method} method={method} onProved={proved} onCancel={onCancel}>
      {others}
    </ProofForm>
  );
}

type TypedMethod = Exclude<StepUpMethod, 'passkey' | 'identity-provider'>;
type FieldText = Pick<
  TextInputProps,
  'label' | 'description' | 'autoComplete' | 'inputMode' | 'maxLength' | 'spellCheck'
>;

const fields: Readonly<Record<TypedMethod, FieldText>> = {
  password: { label: t.password, autoComplete: 'current-password' },
  totp: {
    label: t.code,
    description: t.codeHint,
    inputMode: 'numeric',
    autoComplete: 'one-time-code',
    maxLength: 9,
  },
  'recovery-code': {
    label: t.recoveryCode,
    description: t.recoveryHint,
    autoComplete: 'off',
    spellCheck: false,
  },
};

interface ProofFormProps {
  readonly method: TypedMethod | 'passkey';
  readonly onProved: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

function ProofForm({ method, onProved, onCancel, children }: ProofFormProps): ReactElement {
  const demoPassword = useDemoPassword(method);
  const [value, setValue] = useState(demoPassword ?? '');
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const prove = async (): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await auth.stepUp(await proofOf(method, value));
      onProved();
    } catch (failure) {
      setError(failure);
      setValue('');
    } finally {
      setIsBusy(false);
    }
  };
  const Field = method === 'password' ? PasswordInput : TextInput;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (!isBusy) void prove();
  };
  return (
    <form onSubmit={submit} className={classes['form']}>
      <p className={classes['text']}>{t.text}</p>
      <ErrorNotice error={error} words={passwordAdvice} />
      {method === 'passkey' ? (
        <p className={classes['text']}>{t.passkeyText}</p>
      ) : (
        <Field
          {...fields[method]}
          {...(demoPassword !== undefined && { description: t.demoPassword })}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          data-autofocus
          autoFocus
          required
          withAsterisk={false}
        />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel} disabled={isBusy}>
          {t.cancel}
        </Button>
        <Button
          type="submit"
          loading={isBusy}
          disabled={method !== 'passkey' && value === ''}
          leftSection={method === 'passkey' ? <Fingerprint size={16} aria-hidden /> : undefined}
          data-autofocus={method === 'passkey' || undefined}
        >
          {method === 'passkey' ? t.withPasskey : t.confirm}
        </Button>
      </Group>
      {children}
    </form>
  );
}

/** Returns the password of the demo's owner, who signed in with a button and has never seen it. */
function useDemoPassword(method: StepUpMethod): string | undefined {
  const { features, person } = useSession();
  const { demonstration } = features;
  return method === 'password' && demonstration?.email === person?.email
    ? demonstration?.password
    : undefined;
}

function NoWay({ onCancel }: { readonly onCancel: () => void }): ReactElement {
  return (
    <div className={classes['form']}>
      <p className={classes['text']}>{t.noWay}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel} data-autofocus>
          {t.cancel}
        </Button>
      </Group>
    </div>
  );
}

function OtherWays(props: {
  readonly methods: readonly StepUpMethod[];
  readonly onChoose: (method: StepUpMethod) => void;
}): ReactElement | null {
  if (props.methods.length === 0) return null;
  return (
    <div className={classes['others']} role="group" aria-label={t.otherWays}>
      {props.methods.map((method) => (
        <Button key={method} variant="subtle" size="compact-sm" onClick={() => props.onChoose(method)}>
          {t.use[method]}
        </Button>
      ))}
    </div>
  );
}

async function proofOf(method: TypedMethod | 'passkey', value: string): Promise<StepUpProof> {
  switch (method) {
    case 'password':
      return { password: value };
    case 'totp':
      return { code: value.replaceAll(/\s/g, '') };
    case 'recovery-code':
      return { recoveryCode: value.trim() };
    case 'passkey':
      return { passkey: await getPasskeyProof(await auth.stepUpOptions()) };
  }
}
