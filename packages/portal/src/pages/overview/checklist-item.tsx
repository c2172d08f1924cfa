import type { Checklist } from '@countersign/contract';
import { Check } from 'lucide-react';
import type { ReactElement } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { type ChecklistStep, stepPath } from './checklist-steps.ts';
import classes from './overview.module.css';

/** One step of the checklist: done, next, or later. */
export function ChecklistItem({
  step,
  checklist,
  isDone,
  isNext,
}: {
  readonly step: ChecklistStep;
  readonly checklist: Checklist;
  readonly isDone: boolean;
  readonly isNext: boolean;
}): ReactElement {
  const t = useMessages('overview').checklist;
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
