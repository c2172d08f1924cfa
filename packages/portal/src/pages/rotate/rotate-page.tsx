import type { Key } from '@countersign/contract';
import { Check, CircleCheck, ShieldAlert } from 'lucide-react';
import { type ReactElement, Suspense, useEffect, useRef } from 'react';
import { clientPath } from '../../clients/client-path.ts';
import { type ClientView, useClientId, useClientView } from '../../clients/client-view.ts';
import { announce } from '../../components/announce.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { dayOf } from '../../components/time-words.ts';
import { useRawSearch } from '../../components/use-raw-search.ts';
import {
  isReplacing,
  rotationState,
  type RotationState,
  type StepName,
  stepsOf,
} from '../../keys/rotation-state.ts';
import { components } from '#messages/components.ts';
import { rotate as t } from '#messages/rotate.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { usePermission } from '../../session/session-context.ts';
import { ChooseOverlap } from './choose-overlap.tsx';
import classes from './rotate.module.css';
import { readRotationPlan, rotatePath, type RotationPlan } from './rotation-plan.ts';

/** Each step loads when it is shown: a visitor sees only one of them. */
const NewKey = lazyPart(async () => (await import('./new-key.tsx')).NewKey);
const Deploy = lazyPart(async () => (await import('./deploy.tsx')).Deploy);
const SwitchOver = lazyPart(async () => (await import('./switch-over.tsx')).SwitchOver);
const Compromised = lazyPart(async () => (await import('./compromised.tsx')).Compromised);

/** Live events report changes; polling is the fallback. */
const lookAgainMs = 5000;

/** Rotates a key. The current step follows from the client's keys, so people can leave at any time. */
export default function RotatePage(): ReactElement {
  const clientId = useClientId();
  const choices = { maySeeKeys: usePermission('keys:read'), refetchIntervalMs: lookAgainMs };
  const { view, query } = useClientView(clientId, choices);
  const { way, keyId } = readRotationPlan(useRawSearch());
  const isCompromised = way === 'compromised';
  if (view === undefined) {
    return (
      <Page title={t.loading}>
        <QueryState query={{ ...query, data: undefined }}>{() => null}</QueryState>
      </Page>
    );
  }
  const { name } = view.client;
  const title = isReplacing(rotationState(view.keys, keyId)) ? t.title : t.addTitle;
  return (
    <Page
      title={isCompromised ? t.compromisedTitle : title}
      back={{ to: clientPath(clientId, '?tab=keys'), label: t.back(name) }}
      description={t.forClient(name)}
    >
      <Way view={view} isCompromised={isCompromised} />
    </Page>
  );
}

interface WayProps {
  readonly view: ClientView;
  readonly isCompromised: boolean;
}

function Way({ view, isCompromised }: WayProps): ReactElement {
  if (!usePermission('keys:write')) {
    return (
      <Notice tone="warning" title={t.mayNotTitle}>
        {components.mayNot('keys:write')}
      </Notice>
    );
  }
  if (view.client.status === 'revoked') {
    return (
      <Notice tone="danger" title={t.revokedTitle}>
        {t.revokedText}
      </Notice>
    );
  }
  if (!isCompromised) return <RotationSteps view={view} />;
  return (
    <Suspense fallback={<LoadingLines />}>
      <Compromised view={view} />
    </Suspense>
  );
}

function RotationSteps({ view }: { readonly view: ClientView }): ReactElement {
  const plan = readRotationPlan(useRawSearch());
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
        <Suspense fallback={<LoadingLines />}>
          <Step view={view} plan={plan} state={state} step={step} />
          {/* With the step, which is higher than what stands for it while it loads. */}
          {step !== 'done' && isReplacing(state) && <CompromisedOffer clientId={view.client.clientId} />}
        </Suspense>
      </div>
    </>
  );
}

interface StepProps {
  readonly view: ClientView;
  readonly plan: RotationPlan;
  readonly state: RotationState;
  readonly step: StepName | 'done';
}

function Step({ view, plan, state, step }: StepProps): ReactElement {
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

/** Only a key that does not end anyway can overlap. */
function stepOf(state: RotationState, plan: RotationPlan): StepName | 'done' {
  if (state.phase !== 'start') return state.phase;
  const canOverlap = state.current !== undefined && state.current.status !== 'retiring';
  return canOverlap ? plan.step : 'key';
}

/** Moves the focus along with the steps, unless an element that still exists has it. */
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
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === 'deploy' && phase !== 'deploy' && phase !== 'start') announce(t.waiting.seen);
    if (before.current === 'switch' && phase === 'done') announce(t.done.title);
    before.current = phase;
  }, [phase]);
}

interface StepListProps {
  readonly steps: readonly StepName[];
  readonly step: StepName | 'done';
}

function StepList({ steps, step }: StepListProps): ReactElement {
  const words = t.steps;
  const position = step === 'done' ? steps.length : steps.indexOf(step);
  return (
    <ol className={classes['steps']} aria-label={words.label}>
      {steps.map((name, index) => {
        const state = index < position ? 'done' : index === position ? 'current' : 'next';
        return (
          <li key={name} data-state={state} aria-current={state === 'current' ? 'step' : undefined}>
            <span className={classes['stepMark']} aria-hidden>
              {state === 'done' ? <Check size={14} strokeWidth={2.6} /> : index + 1}
            </span>
            <span className={classes['stepName']}>{words[name]}</span>
            <span className="portal-visually-hidden">({words.state[state]})</span>
          </li>
        );
      })}
    </ol>
  );
}

function CompromisedOffer({ clientId }: { readonly clientId: string }): ReactElement {
  const words = t.compromised;
  return (
    <aside className={classes['offer']} aria-label={words.offerTitle}>
      <ShieldAlert size={20} aria-hidden className={classes['offerIcon']} />
      <div className={classes['offerWords']}>
        <strong>{words.offerTitle}</strong>
        <span className={classes['quiet']}>{words.offerText}</span>
      </div>
      <LinkButton to={rotatePath(clientId, { way: 'compromised' })} variant="default" color="red" size="xs">
        {words.offer}
      </LinkButton>
    </aside>
  );
}

interface DoneProps {
  readonly clientId: string;
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}

function Done({ clientId, newKey, oldKey }: DoneProps): ReactElement {
  const words = t.done;
  const ended = oldKey?.revokedAt ?? oldKey?.endsAt;
  const facts: readonly Fact[] = [
    { label: words.newKey, value: <CopyableText value={newKey.fingerprint} label={words.newKey} isShort /> },
    ...(oldKey === undefined
      ? []
      : [
          {
            label: words.oldKey,
            value: <CopyableText value={oldKey.fingerprint} label={words.oldKey} isShort />,
          },
        ]),
    ...(ended === undefined ? [] : [{ label: words.ended, value: <RelativeTime at={ended} /> }]),
    ...(newKey.rotationDueAt === undefined
      ? []
      : [{ label: words.next, value: dayOf(newKey.rotationDueAt) }]),
  ];
  return (
    <section className={classes['done']} aria-label={words.title}>
      <span className={classes['doneMark']} aria-hidden>
        <CircleCheck size={26} />
      </span>
      <h2>{words.title}</h2>
      <p className={classes['quiet']}>
        {words.text} {oldKey !== undefined && words.todo}
      </p>
      <div className={classes['doneFacts']}>
        <Facts items={facts} />
      </div>
      <LinkButton to={clientPath(clientId, '?tab=keys')}>{words.toClient}</LinkButton>
    </section>
  );
}
