import { Check, Minus, X } from 'lucide-react';
import type { ReactElement } from 'react';
import { asSentence } from '../components/problem-words.ts';
import { explanation as t } from '#messages/explanation.ts';
import classes from './check-list.module.css';
import type { OrderedCheck } from './ordered-checks.ts';
import { VisibleText } from './visible-text.tsx';

const icons = { passed: Check, failed: X, 'not-reached': Minus } as const;

/** Lists the checks of a request in order: passed, failed and why, not reached. */
export function CheckList({ checks }: { readonly checks: readonly OrderedCheck[] }): ReactElement {
  return (
    <ol className={classes['list']} aria-label={t.checks}>
      {checks.map((check) => (
        <CheckItem key={check.name} check={check} />
      ))}
    </ol>
  );
}

function CheckItem({ check }: { readonly check: OrderedCheck }): ReactElement {
  const { number, name, state, facts } = check;
  const Icon = icons[state];
  const remark = state === 'passed' ? factText(facts) : state === 'failed' ? undefined : facts['reason'];
  return (
    <li className={classes['check']} data-state={state} value={number}>
      <span className={classes['mark']} aria-hidden>
        <Icon size={13} strokeWidth={2.6} />
      </span>
      <div className={classes['content']}>
        <div className={classes['line']}>
          <span className={classes['number']} aria-hidden>
            {number}
          </span>
          <span className={classes['title']}>{t.checkTitles[name]}</span>
          {remark !== undefined && <span className={classes['remark']}>{remark}</span>}
          <span className={classes['state']}>{t.states[state]}</span>
        </div>
        {state === 'failed' && <FailureFacts facts={facts} />}
      </div>
    </li>
  );
}

function FailureFacts({ facts }: { readonly facts: OrderedCheck['facts'] }): ReactElement | null {
  const { reason, expected, received } = facts;
  if (reason === undefined && expected === undefined && received === undefined) return null;
  return (
    <div className={classes['failure']}>
      {reason !== undefined && <p className={classes['reason']}>{asSentence(String(reason))}</p>}
      <dl className={classes['facts']}>
        {expected !== undefined && <Fact label={t.expected} value={String(expected)} />}
        {received !== undefined && <Fact label={t.received} value={String(received)} />}
      </dl>
    </div>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }): ReactElement {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <VisibleText text={value} />
      </dd>
    </>
  );
}

function factText(facts: OrderedCheck['facts']): string | undefined {
  const { keyid, ageSeconds, signatureBytes } = facts;
  if (typeof ageSeconds === 'number') return t.ageSeconds(ageSeconds);
  if (typeof signatureBytes === 'number') return t.signatureBytes(signatureBytes);
  return keyid === undefined ? undefined : t.keyid(String(keyid));
}
