import { Button } from '@mantine/core';
import { ShieldCheck } from 'lucide-react';
import { type ReactElement, Suspense, useEffect, useRef } from 'react';
import { announce } from '../../components/announce.ts';
import { FormSummary, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { useSession } from '../../session/session-context.ts';
import { type DebugForm, debugRequestOf, emptyDebugForm, isSameInput, missingFields } from './debug-form.ts';
import classes from './debugger.module.css';
import { KeyFields } from './key-fields.tsx';
import { MoreFields } from './more-fields.tsx';
import { RequestSourceFields } from './request-source-fields.tsx';
import { SentFields } from './sent-fields.tsx';
import { useCandidates } from './use-candidates.ts';
import { useDebugProfile } from './use-debug-profile.ts';
import { type Explaining, useExplaining } from './use-explaining.ts';

const DebugResult = lazyPart(async () => (await import('./debug-result.tsx')).DebugResult);

interface DebuggerProps {
  readonly clientId: string | undefined;
  /** The time the request arrived, if it is known. */
  readonly at: string | undefined;
}

/** The form of the debugger, and its result. No field has a name, so no browser can submit it. */
export function Debugger({ clientId, at }: DebuggerProps): ReactElement {
  const { baseUrl } = useSession().features;
  const form = useForm<DebugForm>({
    id: 'debug',
    initialValues: {
      ...emptyDebugForm(baseUrl),
      clientId,
      ...(at !== undefined && { clock: 'at', at }),
    },
    validate: (values) =>
      Object.fromEntries(
        missingFields(values, candidates.keys, profile.isRejected).map((field) => [
          field,
          t.errors[field === 'text' ? 'request' : field],
        ]),
      ),
  });
  const candidates = useCandidates(form.values);
  const profile = useDebugProfile(form.values);
  const explaining = useExplaining();
  const explain = (changed: Partial<DebugForm> = {}): void => {
    form.fill(changed);
    const next = { ...form.values, ...changed };
    void explaining.explain(debugRequestOf(next, candidates.keys, profile.rules), next);
  };
  const clear = (): void => {
    form.reset();
    form.fill(emptyDebugForm(baseUrl));
    explaining.reset();
  };
  // The explanation was requested before the keys, or the client's profile, had arrived.
  const { request, explained } = explaining;
  const hasNewKeys = request?.candidates !== candidates.keys && candidates.keys.length > 0;
  const hasNewRules =
    request?.profile !== profile.rules.profile || request.messageProfile !== profile.rules.messageProfile;
  const isSame = explained !== undefined && isSameInput(explained, form.values);
  useExplainAgain(
    request !== undefined &&
      !profile.isLoading &&
      !profile.isRejected &&
      (hasNewKeys || (isSame && hasNewRules)),
    explain,
  );
  return (
    <>
      <form onSubmit={form.submit(() => explain())} autoComplete="off" className={classes['form']}>
        <FormSummary {...form.summary} />
        <RequestSourceFields form={form} />
        <SentFields form={form} />
        <KeyFields form={form} candidates={candidates} profile={profile} />
        <MoreFields form={form} profile={profile} />
        <div className={classes['actions']}>
          <Button
            type="submit"
            loading={explaining.state === 'busy' || candidates.isLoading || profile.isLoading}
          >
            {t.explain}
          </Button>
          <Button variant="default" onClick={clear}>
            {t.clear}
          </Button>
          <span className={classes['stays']}>
            <ShieldCheck size={15} aria-hidden /> {t.staysHere}
          </span>
        </div>
      </form>
      <Outcome explaining={explaining} onChange={explain} form={form.values} />
    </>
  );
}

interface OutcomeProps {
  readonly explaining: Explaining;
  readonly onChange: (changed: Partial<DebugForm>) => void;
  readonly form: DebugForm;
}

function Outcome({ explaining, onChange, form }: OutcomeProps): ReactElement | null {
  const { state, answer, request, explained } = explaining;
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer === undefined) return;
    region.current?.focus();
    region.current?.scrollIntoView({ block: 'start' });
    announce(t.result);
  }, [answer]);
  if (state === 'failed') {
    return (
      <Notice tone="danger" role="alert">
        {t.failed}
      </Notice>
    );
  }
  if (!answer || !request || !explained) return null;
  if (!isSameInput(explained, form)) {
    return (
      <Notice tone="info" role="status" title={t.staleTitle}>
        {t.staleText}
      </Notice>
    );
  }
  return (
    <div ref={region} tabIndex={-1} className={classes['result']}>
      {answer.ok ? (
        <Suspense fallback={<LoadingLines />}>
          <DebugResult answer={answer} request={request} form={form} onChange={onChange} />
        </Suspense>
      ) : (
        <Section title={t.unreadableTitle}>
          <Notice tone="warning">
            {answer.part === 'sent' && `${t.unreadableSent} `}
            {answer.message}{' '}
            {answer.part === 'request' && answer.advice !== undefined && t.advice[answer.advice]}
          </Notice>
          {answer.part === 'request' && answer.choices.length > 0 && (
            <Choices choices={answer.choices} onChange={onChange} />
          )}
        </Section>
      )}
    </div>
  );
}

interface ChoicesProps extends Pick<OutcomeProps, 'onChange'> {
  readonly choices: readonly string[];
}

/** The requests of an archive. Each choice starts with its number. */
function Choices({ choices, onChange }: ChoicesProps): ReactElement {
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

function useExplainAgain(isDue: boolean, explain: () => void): void {
  const latest = useRef(explain);
  useEffect(() => {
    latest.current = explain;
  });
  useEffect(() => {
    if (isDue) latest.current();
  }, [isDue]);
}
