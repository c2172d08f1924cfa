import { Check } from 'lucide-react';
import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import classes from './rotate.module.css';
import type { StepName } from './rotation-state.ts';

/** Shows which steps are behind, and which are ahead. */
export function StepList({
  steps,
  step,
}: {
  readonly steps: readonly StepName[];
  readonly step: StepName | 'done';
}): ReactElement {
  const t = useMessages('rotate').steps;
  const position = step === 'done' ? steps.length : steps.indexOf(step);
  return (
    <ol className={classes['steps']} aria-label={t.label}>
      {steps.map((name, index) => {
        const state = index < position ? 'done' : index === position ? 'current' : 'next';
        return (
          <li key={name} data-state={state} aria-current={state === 'current' ? 'step' : undefined}>
            <span className={classes['stepMark']} aria-hidden>
              {state === 'done' ? <Check size={14} strokeWidth={2.6} /> : index + 1}
            </span>
            <span className={classes['stepName']}>{t[name]}</span>
            <span className="portal-visually-hidden">({t.state[state]})</span>
          </li>
        );
      })}
    </ol>
  );
}
