import type { Checklist as ChecklistAnswer } from '@countersign/contract';
import { Progress } from '@mantine/core';
import { type ReactElement, useEffect, useRef } from 'react';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useApiQuery } from '../../api/queries.ts';
import { announce } from '../../components/announce.ts';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePerson } from '../../session/session-context.ts';
import { ChecklistItem } from './checklist-item.tsx';
import { type ChecklistStep, checklistSteps, doneSteps } from './checklist-steps.ts';
import classes from './overview.module.css';

/** What there is to do before all is set up; it ticks itself, and is gone when all is done. */
export function Checklist(): ReactElement | null {
  const query = useApiQuery('getChecklist');
  const { data, refetch } = query;
  useLiveEvents((entry) => {
    if (entry.outcome === 'accepted' && data?.hasAcceptedRequest === false) void refetch();
  });
  return data === undefined ? null : <Steps checklist={data} />;
}

function Steps({ checklist }: { readonly checklist: ChecklistAnswer }): ReactElement | null {
  const t = useMessages('overview').checklist;
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

/** Says which steps were done while one looked. */
function useAnnouncedSteps(done: ReadonlySet<ChecklistStep>): void {
  const t = useMessages('overview').checklist;
  const before = useRef(done);
  useEffect(() => {
    const fresh = [...done].filter((step) => !before.current.has(step));
    before.current = done;
    if (fresh.length > 0) announce(fresh.map((step) => t.justDone(t[step])).join('. '));
  });
}
