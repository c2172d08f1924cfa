import { Button } from '@mantine/core';
import { ShieldCheck } from 'lucide-react';
import { type FormEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { announce } from '../../components/announce.ts';
import { FormSummary } from '../../components/form-summary.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';
import { type DebugForm, debugRequestOf, emptyDebugForm, missingFields } from './debug-form.ts';
import { DebugResult } from './debug-result.tsx';
import classes from './debugger.module.css';
import { KeyFields } from './key-fields.tsx';
import { MoreFields } from './more-fields.tsx';
import { RequestSourceFields } from './request-source-fields.tsx';
import { useCandidates } from './use-candidates.ts';
import { useExplaining } from './use-explaining.ts';

/** The form of the debugger, and below it what came of it. Nothing of the form has a name: no form could send it. */
export function Debugger({
  clientId,
  at,
}: {
  readonly clientId: string | undefined;
  /** When the request arrived, where that is known. */
  readonly at: string | undefined;
}): ReactElement {
  const { features } = useSession();
  const [form, setForm] = useState<DebugForm>(() => ({
    ...emptyDebugForm(features.baseUrl),
    clientId,
    ...(at !== undefined && { clock: 'at', at }),
  }));
  const [attempt, setAttempt] = useState(0);
  const candidates = useCandidates(form);
  const explaining = useExplaining();
  const missing = missingFields(form, candidates.keys);
  const change = (part: Partial<DebugForm>): void => setForm((before) => ({ ...before, ...part }));
  const explain = (changed: Partial<DebugForm> = {}): void => {
    change(changed);
    void explaining.explain(debugRequestOf({ ...form, ...changed }, candidates.keys));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAttempt(attempt + 1);
    if (missing.length === 0) explain();
  };
  const clear = (): void => {
    setForm(emptyDebugForm(features.baseUrl));
    setAttempt(0);
    explaining.reset();
  };
  // Keys that arrive after the question are what it was asked for.
  const explainedWith = explaining.request?.candidates;
  useExplainAgain(
    explainedWith !== undefined && explainedWith !== candidates.keys && candidates.keys.length > 0,
    explain,
  );
  return (
    <>
      <form onSubmit={submit} autoComplete="off" className={classes['form']}>
        <DebugErrors missing={attempt > 0 ? missing : []} attempt={attempt} />
        <RequestSourceFields form={form} onChange={change} />
        <KeyFields form={form} onChange={change} candidates={candidates} />
        <MoreFields form={form} onChange={change} />
        <Actions isBusy={explaining.state === 'busy' || candidates.isLoading} onClear={clear} />
      </form>
      <Outcome explaining={explaining} onChange={explain} form={form} />
    </>
  );
}

function DebugErrors({
  missing,
  attempt,
}: {
  readonly missing: ReturnType<typeof missingFields>;
  readonly attempt: number;
}): ReactElement {
  const t = useMessages('signatureDebugger');
  const errors = missing.map((field) => ({ fieldId: `debug-${field}`, message: t.errors[field] }));
  return <FormSummary errors={errors} attempt={attempt} />;
}

function Actions({
  isBusy,
  onClear,
}: {
  readonly isBusy: boolean;
  readonly onClear: () => void;
}): ReactElement {
  const t = useMessages('signatureDebugger');
  return (
    <div className={classes['actions']}>
      <Button type="submit" loading={isBusy}>
        {t.explain}
      </Button>
      <Button variant="default" onClick={onClear}>
        {t.clear}
      </Button>
      <span className={classes['stays']}>
        <ShieldCheck size={15} aria-hidden /> {t.staysHere}
      </span>
    </div>
  );
}

function Outcome({
  explaining,
  onChange,
  form,
}: {
  readonly explaining: ReturnType<typeof useExplaining>;
  readonly onChange: (changed: Partial<DebugForm>) => void;
  readonly form: DebugForm;
}): ReactElement | null {
  const t = useMessages('signatureDebugger');
  const { state, answer, request } = explaining;
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer === undefined) return;
    region.current?.focus();
    region.current?.scrollIntoView({ block: 'start' });
    announce(t.result);
  }, [answer, t]);
  if (state === 'failed') {
    return (
      <Notice tone="danger" role="alert">
        {t.failed}
      </Notice>
    );
  }
  if (!answer || !request) return null;
  return (
    <div ref={region} tabIndex={-1} className={classes['result']}>
      {answer.ok ? (
        <DebugResult answer={answer} candidates={request.candidates} form={form} onChange={onChange} />
      ) : (
        <Section title={t.unreadableTitle}>
          <Notice tone="warning">
            {answer.message} {answer.advice !== undefined && t.advice[answer.advice]}
          </Notice>
          {answer.choices.length > 0 && <Choices choices={answer.choices} onChange={onChange} />}
        </Section>
      )}
    </div>
  );
}

/** The requests of an archive, to choose from: each begins with its number. */
function Choices({
  choices,
  onChange,
}: {
  readonly choices: readonly string[];
  readonly onChange: (changed: Partial<DebugForm>) => void;
}): ReactElement {
  const t = useMessages('signatureDebugger');
  return (
    <ul className={classes['choices']} aria-label={t.entry}>
      {choices.map((choice) => (
        <li key={choice}>
          <Button
            variant="default"
            size="xs"
            fullWidth
            justify="flex-start"
            onClick={() => onChange({ entry: /^\d+/.exec(choice)?.[0] })}
          >
            {choice}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Explains once more when the keys have come. */
function useExplainAgain(isDue: boolean, explain: () => void): void {
  const latest = useRef(explain);
  useEffect(() => {
    latest.current = explain;
  });
  useEffect(() => {
    if (isDue) latest.current();
  }, [isDue]);
}
