import type { StepUpProblem } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Notice } from '../components/notice.tsx';
import { stepUp as t } from '#messages/step-up.ts';
import { onProviderProof, openProviderWindow } from '../session/provider-proof.ts';
import { useSession } from '../session/session-context.ts';
import classes from './step-up-form.module.css';

interface ProviderProofProps {
  readonly onProved: () => void;
  readonly onCancel: () => void;
  /** The other methods. */
  readonly children: ReactNode;
}

/** Opens the identity provider in a window and waits for its result. */
export function ProviderProof({ onProved, onCancel, children }: ProviderProofProps): ReactElement {
  const name = useSession().features.oidc?.name ?? '';
  const [state, setState] = useState<'ready' | 'waiting' | 'blocked' | StepUpProblem>('ready');
  const proved = useRef(onProved);
  useEffect(() => {
    proved.current = onProved;
  });
  useEffect(
    () =>
      onProviderProof(({ problem }) => {
        if (problem === undefined) proved.current();
        else setState(problem);
      }),
    [],
  );
  const isWaiting = state === 'waiting';
  return (
    <div className={classes['form']}>
      <p className={classes['text']}>{t.text}</p>
      {state === 'ready' || isWaiting ? (
        <p className={classes['text']} role="status">
          {isWaiting ? t.providerWaiting(name) : t.providerText(name)}
        </p>
      ) : (
        <Notice tone="danger" role="alert" title={t.providerFailedTitle}>
          {state === 'blocked' ? t.windowBlocked : t.providerProblems[state](name)}
        </Notice>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {t.cancel}
        </Button>
        <Button
          leftSection={<ExternalLink size={16} aria-hidden />}
          data-autofocus
          onClick={() => setState(openProviderWindow() ? 'waiting' : 'blocked')}
        >
          {t.withProvider(name)}
        </Button>
      </Group>
      {children}
    </div>
  );
}
