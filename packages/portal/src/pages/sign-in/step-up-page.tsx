import type { StepUpProblem } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useEffect } from 'react';
import { stepUp as t } from '#messages/step-up.ts';
import { tellProviderProof } from '../../session/provider-proof.ts';
import { useSession } from '../../session/session-context.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import { useParameters } from '../../components/use-raw-search.ts';

/** The page the identity provider's window returns to. It notifies the waiting page and closes itself if it may. */
export default function StepUpPage(): ReactElement {
  const { features } = useSession();
  const [search] = useParameters();
  const given = search.get('problem');
  const problem = given === null ? undefined : isStepUpProblem(given) ? given : 'provider-refused';
  useEffect(() => {
    tellProviderProof(problem === undefined ? {} : { problem });
    window.close();
  }, [problem]);
  return (
    <SignInLayout
      title={problem === undefined ? t.confirmed : t.providerFailedTitle}
      description={
        problem === undefined ? t.backToPage : t.providerProblems[problem](features.oidc?.name ?? '')
      }
    >
      <Button variant="default" fullWidth onClick={() => window.close()}>
        {t.closeWindow}
      </Button>
    </SignInLayout>
  );
}

function isStepUpProblem(text: string): text is StepUpProblem {
  return Object.hasOwn(t.providerProblems, text);
}
