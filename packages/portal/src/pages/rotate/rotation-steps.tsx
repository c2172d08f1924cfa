import { type ReactElement, useEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import { announce } from '../../components/announce.ts';
import { useMessages } from '../../messages/messages.ts';
import type { ClientView } from '../client/client-view.ts';
import { ChooseOverlap } from './choose-overlap.tsx';
import { CompromisedOffer } from './compromised-offer.tsx';
import { Deploy } from './deploy.tsx';
import { Done } from './done.tsx';
import { NewKey } from './new-key.tsx';
import classes from './rotate.module.css';
import { type RotationPlan, readRotationPlan } from './rotation-plan.ts';
import { isReplacing, type RotationState, rotationState, type StepName, stepsOf } from './rotation-state.ts';
import { StepList } from './step-list.tsx';
import { SwitchOver } from './switch-over.tsx';

/** The steps of a rotation, and the one that is to be done now. */
export function RotationSteps({ view }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('rotate');
  const plan = readRotationPlan(useSearch());
  const state = rotationState(view.keys, plan.keyId);
  const step = stepOf(state, plan);
  const steps = stepsOf(state);
  const place = useStepFocus(step);
  useAnnouncedFirstUse(state.phase);
  const position =
    step === 'done' ? t.done.title : t.steps.position(steps.indexOf(step) + 1, steps.length, t.steps[step]);
  return (
    <>
      <StepList steps={steps} step={step} />
      <div ref={place} tabIndex={-1} role="group" aria-label={position} className={classes['place']}>
        <Step view={view} plan={plan} state={state} step={step} />
      </div>
      {step !== 'done' && isReplacing(state) && <CompromisedOffer clientId={view.client.clientId} />}
    </>
  );
}

function Step({
  view,
  plan,
  state,
  step,
}: {
  readonly view: ClientView;
  readonly plan: RotationPlan;
  readonly state: RotationState;
  readonly step: StepName | 'done';
}): ReactElement {
  switch (state.phase) {
    case 'start':
      return step === 'overlap' ? (
        <ChooseOverlap clientId={view.client.clientId} overlapSeconds={plan.overlapSeconds} />
      ) : (
        <NewKey view={view} current={state.current} overlapSeconds={plan.overlapSeconds} />
      );
    case 'deploy':
      return <Deploy view={view} newKey={state.newKey} oldKey={state.oldKey} />;
    case 'switch':
      return <SwitchOver view={view} newKey={state.newKey} oldKey={state.oldKey} />;
    case 'done':
      return <Done clientId={view.client.clientId} newKey={state.newKey} oldKey={state.oldKey} />;
  }
}

/** An overlap can be chosen only where there is a key that does not end anyway. */
function stepOf(state: RotationState, plan: RotationPlan): StepName | 'done' {
  if (state.phase !== 'start') return state.phase;
  const canOverlap = state.current !== undefined && state.current.status !== 'retiring';
  return canOverlap ? plan.step : 'key';
}

/** The focus goes along with the steps, when what had it is gone; it is not taken from anything that is still there. */
function useStepFocus(step: string): React.RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body)
      place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [step]);
  return place;
}

function useAnnouncedFirstUse(phase: RotationState['phase']): void {
  const t = useMessages('rotate');
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === 'deploy' && phase !== 'deploy' && phase !== 'start') announce(t.waiting.seen);
    if (before.current === 'switch' && phase === 'done') announce(t.done.title);
    before.current = phase;
  }, [phase, t]);
}
