import type { SignedInPerson } from '@countersign/contract';
import { Modal } from '@mantine/core';
import { type ReactElement, useEffect } from 'react';
import { signIn as t } from '#messages/sign-in.ts';
import { SecondFactorFields } from '../pages/sign-in/second-factor-form.tsx';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { useSession } from '../session/session-context.ts';
import classes from './step-up-form.module.css';

interface EndedSessionDialogProps {
  readonly person: SignedInPerson;
}

/** Asks for a sign-in over a page that keeps the input, and hides the page until then. */
export function EndedSessionDialog({ person }: EndedSessionDialogProps): ReactElement {
  const { state, refresh } = useSession();
  // The person may have signed in in another window.
  useEffect(() => {
    const look = (): void => void refresh();
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [refresh]);
  return (
    <Modal
      opened
      fullScreen
      onClose={() => undefined}
      title={t.endedTitle}
      closeOnEscape={false}
      withCloseButton={false}
      transitionProps={{ duration: 0 }}
      // Above every other dialog.
      zIndex={500}
    >
      <div className={classes['ended']}>
        <p className={classes['text']}>{t.endedKept}</p>
        {state.state === 'second-factor' ? (
          <SecondFactorFields methods={state.methods} />
        ) : (
          <SignInForm returnPath="/" email={person.email} opensWindow />
        )}
      </div>
    </Modal>
  );
}
