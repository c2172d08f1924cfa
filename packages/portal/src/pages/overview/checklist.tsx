import type { Checklist } from '@countersign/contract';
import { Button, CloseButton, Progress } from '@mantine/core';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useApiQuery } from '../../api/queries.ts';
import { announce } from '../../components/announce.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { Section } from '../../components/section.tsx';
import { overview } from '#messages/overview.ts';
import { usePermission, usePerson, useSession } from '../../session/session-context.ts';
import { type ChecklistStep, checklistSteps, doneSteps, stepPath } from './checklist-steps.ts';
import { useDismissal } from './dismissed-checklist.ts';
import classes from './overview.module.css';

interface ChecklistItemProps {
  readonly step: ChecklistStep;
  readonly checklist: Checklist;
  readonly isDone: boolean;
  readonly isNext: boolean;
}

function ChecklistItem({ step, checklist, isDone, isNext }: ChecklistItemProps): ReactElement {
  const t = overview.checklist;
  const isWaiting = step === 'request' && checklist.hasClient && !isDone;
  return (
    <li data-done={isDone || undefined} data-next={isNext || undefined}>
      <span className={classes['tick']} data-waiting={isWaiting || undefined} aria-hidden>
        {isDone && <Check size={14} strokeWidth={2.8} />}
      </span>
      <span className={classes['stepWords']}>
        <span className={classes['stepTitle']}>
          {t[step]} <span className="portal-visually-hidden">({isDone ? t.done : t.open})</span>
        </span>
        {!isDone && <span className={classes['stepText']}>{t[`${step}Text`]}</span>}
        {isWaiting && <span className={classes['stepWaiting']}>{t.requestWaiting}</span>}
      </span>
      {!isDone && (
        <StepButton step={step} checklist={checklist} size="xs" variant={isNext ? 'light' : 'default'} />
      )}
    </li>
  );
}

interface StepButtonProps {
  readonly step: ChecklistStep;
  readonly checklist: Checklist;
  readonly size: 'xs' | 'compact-sm';
  readonly variant: 'default' | 'light';
}

/** Leads to the page of a step, if it can be done now by the person who looks. */
function StepButton({ step, checklist, ...looks }: StepButtonProps): ReactElement | null {
  const isPermitted = useMayDo(step);
  const isPossible = step === 'signIn' || step === 'client' || checklist.firstClientId !== undefined;
  if (!isPermitted || !isPossible) return null;
  return (
    <LinkButton to={stepPath(step, checklist)} {...looks}>
      {overview.checklist[`${step}Action`]}
    </LinkButton>
  );
}

function useMayDo(step: ChecklistStep): boolean {
  const changesClients = usePermission('clients:write');
  const changesKeys = usePermission('keys:write');
  if (step === 'client' || step === 'network') return changesClients;
  return step === 'rotation' ? changesKeys : true;
}

/**
 * The set-up checklist: the whole of it until there is a client, then a line that tells what is next, until someone
 * dismisses it. Steps complete automatically, and it disappears at the end.
 */
export function SetUpChecklist(): ReactElement | null {
  const [isDismissed, dismiss] = useDismissal();
  const { data, refetch } = useApiQuery('getChecklist', {}, { enabled: !isDismissed });
  useLiveEvents({
    onRequests: (entries) => {
      if (data?.hasAcceptedRequest === false && entries.some(({ outcome }) => outcome === 'accepted'))
        void refetch();
    },
  });
  if (isDismissed) return null;
  return data === undefined ? (
    <div className={classes['nextStep']} aria-busy />
  ) : (
    <Steps checklist={data} onDismiss={dismiss} />
  );
}

interface StepsProps {
  readonly checklist: Checklist;
  readonly onDismiss: () => void;
}

function Steps({ checklist, onDismiss }: StepsProps): ReactElement | null {
  const t = overview.checklist;
  const { steps, done, next } = useSteps(checklist);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    // The next page keeps no room for it.
    if (next === undefined) onDismiss();
  });
  if (next === undefined) return null;
  const of = steps.length;
  const toggle = (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setIsOpen(!isOpen)}>
      {isOpen ? t.hide : t.showAll}
    </Button>
  );
  if (checklist.hasClient && !isOpen) {
    return (
      <NextStep checklist={checklist} step={next} progress={t.progress(done.size, of)}>
        {toggle}
        <CloseButton size="sm" aria-label={t.dismiss} onClick={onDismiss} />
      </NextStep>
    );
  }
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={
        <>
          <span className={classes['progressWords']}>{t.progress(done.size, of)}</span>
          {checklist.hasClient && toggle}
        </>
      }
      isFlush
    >
      <Progress value={(done.size / of) * 100} size={3} radius={0} aria-label={t.progress(done.size, of)} />
      <ol className={classes['checklist']}>
        {steps.map((step) => (
          <ChecklistItem
            key={step}
            step={step}
            checklist={checklist}
            isDone={done.has(step)}
            isNext={step === next}
          />
        ))}
      </ol>
    </Section>
  );
}

/** The steps of the person who looks, those that are done, and what is next; undefined if all are done. */
function useSteps(checklist: Checklist): {
  readonly steps: readonly ChecklistStep[];
  readonly done: ReadonlySet<ChecklistStep>;
  readonly next: ChecklistStep | undefined;
} {
  const { account } = useSession();
  // Whoever acts for an account does not sign in to it.
  const steps = checklistSteps.filter((step) => step !== 'signIn' || account?.acting === undefined);
  const all = doneSteps(checklist, usePerson());
  useAnnouncedSteps(all);
  const done = new Set(steps.filter((step) => all.has(step)));
  return { steps, done, next: steps.find((step) => !done.has(step)) };
}

interface NextStepProps {
  readonly checklist: Checklist;
  readonly step: ChecklistStep;
  /** `2 of 5 done`. */
  readonly progress: string;
  /** Buttons. */
  readonly children: ReactNode;
}

/** The checklist as one line. */
function NextStep({ checklist, step, progress, children }: NextStepProps): ReactElement {
  const t = overview.checklist;
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes['nextStep']}>
      <h2 id={id} className={classes['nextTitle']}>
        {t.title}
      </h2>
      <span className={classes['progressWords']}>{progress}</span>
      <span className={classes['nextWords']}>
        {t.next} <strong>{t[step]}</strong>
        {step === 'request' && <span className={classes['stepWaiting']}> · {t.requestWaiting}</span>}
      </span>
      <StepButton step={step} checklist={checklist} size="compact-sm" variant="light" />
      {children}
    </section>
  );
}

/** Announces steps that complete while the page is open. */
function useAnnouncedSteps(done: ReadonlySet<ChecklistStep>): void {
  const t = overview.checklist;
  const before = useRef(done);
  useEffect(() => {
    const fresh = [...done].filter((step) => !before.current.has(step));
    before.current = done;
    if (fresh.length > 0) announce(fresh.map((step) => t.justDone(t[step])).join('. '));
  });
}
