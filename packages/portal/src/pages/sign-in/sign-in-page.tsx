import type { ProviderProblem } from '@countersign/contract';
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { Redirect } from 'wouter';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { useAction } from '../../components/use-action.ts';
import { useRawSearch } from '../../components/use-raw-search.ts';
import { signIn as t } from '#messages/sign-in.ts';
import { safeReturnPath } from '../../session/return-path.ts';
import { useSession } from '../../session/session-context.ts';
import { SecondFactorForm } from './second-factor-form.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import classes from './sign-in.module.css';

/** Sign-in in one or two steps. People who are already signed in continue to their destination. */
export default function SignInPage(): ReactElement {
  const { state, features, hasEnded } = useSession();
  const search = new URLSearchParams(useRawSearch());
  const returnPath = safeReturnPath(search.get('return'));
  if (state.state === 'signed-in') return <Redirect to={returnPath} replace />;
  if (state.state === 'second-factor') return <SecondFactorForm methods={state.methods} />;
  return (
    <SignInLayout title={t.signInTo(features.serviceName)} after={<DemonstrationNotice />}>
      <SignInNotices isAfterReset={search.has('reset')} hasEnded={hasEnded} problem={search.get('problem')} />
      <SignInForm returnPath={returnPath} />
    </SignInLayout>
  );
}

function isProviderProblem(text: string): text is ProviderProblem {
  return Object.hasOwn(t.oidcProblems, text);
}

function SignInNotices(props: {
  readonly isAfterReset: boolean;
  readonly hasEnded: boolean;
  /** The reason why the identity provider sign-in failed. Unknown values count as a rejection by the provider. */
  readonly problem: string | null;
}): ReactElement | null {
  const { needsSetUp } = useSession().features;
  const notice = needsSetUp ? (
    <Notice tone="info" title={t.needsSetUpTitle}>
      {t.needsSetUpText}
    </Notice>
  ) : props.isAfterReset ? (
    <Notice tone="success" title={t.resetDoneTitle} role="status">
      {t.resetDoneText}
    </Notice>
  ) : props.hasEnded ? (
    <Notice tone="info" title={t.endedTitle} role="status">
      {t.endedText}
    </Notice>
  ) : props.problem === null ? undefined : (
    <Notice tone="danger" title={t.oidcFailedTitle} role="alert">
      {t.oidcProblems[isProviderProblem(props.problem) ? props.problem : 'provider-refused']}
    </Notice>
  );
  return notice === undefined ? null : <div className={classes['notice']}>{notice}</div>;
}

/** Signs in to the demo account with one click. */
function DemonstrationNotice(): ReactElement | null {
  const { features, refresh } = useSession();
  const { demonstration } = features;
  const { isBusy, error, run } = useAction(async () => {
    if (demonstration === undefined) return;
    await auth.signIn(demonstration);
    await refresh();
  });
  if (demonstration === undefined) return null;
  return (
    <>
      <Notice
        tone="info"
        title={t.demonstrationTitle}
        action={
          <Button size="xs" loading={isBusy} onClick={() => void run()}>
            {t.demonstrationAction}
          </Button>
        }
      >
        {t.demonstrationText}
      </Notice>
      <ErrorNotice error={error} />
    </>
  );
}
