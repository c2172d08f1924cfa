import type { Checklist } from '@countersign/contract';
import { Progress } from '@mantine/core';
import { Check } from 'lucide-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useApiQuery } from '../../api/queries.ts';
import { announce } from '../../components/announce.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { Section } from '../../components/section.tsx';
import { overview } from '../../messages/en/overview.ts';
import { usePermission, usePerson } from '../../session/session-context.ts';
import { type ChecklistStep, checklistSteps, doneSteps, stepPath } from './checklist-steps.ts';
import classes from './overview.module.css';

interface ChecklistItemProps {
  readonly step: ChecklistStep;
  readonly checklist: Checklist;
  readonly isDone: boolean;
  readonly isNext: boolean;
}

function ChecklistItem({ step, checklist, isDone, isNext }: ChecklistItemProps): ReactElement {
  const t = overview.checklist;
  const isPermitted = useMayDo(step);
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
      {!isDone && isPermitted && (
        <LinkButton to={stepPath(step, checklist)} size="xs" variant={isNext ? 'filled' : 'default'}>
          {t[`${step}Action`]}
        </LinkButton>
      )}
    </li>
  );
}

function useMayDo(step: ChecklistStep): boolean {
  const changesClients = usePermission('clients:write');
  const changesKeys = usePermission('keys:write');
  if (step === 'client' || step === 'network') return changesClients;
  return step === 'rotation' ? changesKeys : true;
}

/** The set-up checklist. Steps complete automatically, and it disappears at the end. */
export function SetUpChecklist(): ReactElement | null {
  const query = useApiQuery('getChecklist');
  const { data, refetch } = query;
  useLiveEvents((entry) => {
    if (entry.outcome === 'accepted' && data?.hasAcceptedRequest === false) void refetch();
  });
  return data === undefined ? null : <Steps checklist={data} />;
}

function Steps({ checklist }: { readonly checklist: Checklist }): ReactElement | null {
  const t = overview.checklist;
  const done = doneSteps(checklist, usePerson());
  useAnnouncedSteps(done);
  const of = checklistSteps.length;
  if (done.size === of) return null;
  const next = checklistSteps.find((step) => !done.has(step));
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={<span className={classes['progressWords']}>{t.progress(done.size, of)}</span>}
      isFlush
    >
      <Progress value={(done.size / of) * 100} size={3} radius={0} aria-label={t.progress(done.size, of)} />
      <ol className={classes['checklist']}>
        {checklistSteps.map((step) => (
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
