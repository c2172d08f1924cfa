import type { ReactElement } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';

/** What the set-up page says to who comes without the link. */
export function SetUpHint(): ReactElement {
  const t = useMessages('signIn');
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
