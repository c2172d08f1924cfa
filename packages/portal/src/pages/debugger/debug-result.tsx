import { isChangedOnTheWay } from '@countersign/explain';
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useClientNames } from '../../clients/use-client-names.ts';
import { CopyButton } from '../../components/copyable-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { CheckList } from '../../explanation/check-list.tsx';
import { FindingList } from '../../explanation/finding-list.tsx';
import { explainedChecks } from '../../explanation/ordered-checks.ts';
import { WantedFields } from '../../explanation/wanted-fields.tsx';
import { VisibleText } from '../../explanation/visible-text.tsx';
import { explanation } from '#messages/explanation.ts';
import { signatureDebugger as t } from '#messages/debugger.ts';
import { usePermission } from '../../session/session-context.ts';
import type { DebugForm } from './debug-form.ts';
import type { DebugAnswer, DebugRequest } from './debug-request.ts';
import classes from './debugger.module.css';
import { HopResult } from './hop-result.tsx';
import { isKeyName, NamedKey } from './named-key.tsx';

export type Explained = Extract<DebugAnswer, { readonly ok: true }>;

interface ResultProps {
  readonly answer: Explained;
  readonly request: DebugRequest;
  readonly form: DebugForm;
  readonly onChange: (changed: Partial<DebugForm>) => void;
}

/** Findings, checks and the signature base. */
export function DebugResult({ answer, request, form, onChange }: ResultProps): ReactElement {
  const { conclusion, hops, notes, isClaimTrimmed } = answer;
  const { findings, checks, base, wanted, isComplete } = conclusion;
  // The changes in transit are the cause: the apparent mistakes are not the program's, and there is nothing
  // to sign again.
  const isProgramRight = hops !== undefined && isChangedOnTheWay(hops);
  const remarks = [
    ...notes.map(({ text, advice }) => (advice === undefined ? text : `${text} ${t.advice[advice]}`)),
    ...(isClaimTrimmed ? [t.claimTrimmed] : []),
    ...(isComplete ? [] : [t.incomplete]),
  ];
  return (
    <>
      {hops && <HopResult hops={hops} />}
      {!isProgramRight && <Headline answer={answer} />}
      {remarks.length > 0 && (
        <Notice tone="neutral">
          <ul className={classes['remarks']}>
            {remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        </Notice>
      )}
      <NamedClient answer={answer} request={request} form={form} onChange={onChange} />
      {!isProgramRight && findings.length > 0 && (
        <Section title={t.findings}>
          <FindingList findings={findings} />
        </Section>
      )}
      <Section title={t.checks} description={t.checksText}>
        <CheckList checks={explainedChecks(checks)} />
        <About answer={answer} request={request} />
      </Section>
      {!isProgramRight && wanted && findings.length > 0 && (
        <Section title={explanation.wanted(wanted.profile)}>
          <WantedFields wanted={wanted} />
        </Section>
      )}
      {!isProgramRight && base !== undefined && (
        <SignatureBase
          base={base}
          text={findings.length === 0 ? t.baseText : wanted ? t.baseMendedByProfile : t.baseMended}
        />
      )}
    </>
  );
}

function Headline({ answer: { conclusion } }: { readonly answer: Explained }): ReactElement {
  const { verdict, findings, checks } = conclusion;
  const isBodyUnknown = checks.some(({ name, state }) => name === 'body' && state === 'not-reached');
  if (verdict === 'valid' && isBodyUnknown)
    return (
      <Notice tone="info" title={t.verdicts.validWithoutBody}>
        {t.verdicts.validWithoutBodyText}
      </Notice>
    );
  if (verdict === 'valid') return <Notice tone="success" title={t.verdicts.valid} />;
  if (findings.length > 0) return <Notice tone="warning" title={t.verdicts.mistakes(findings.length)} />;
  return verdict === 'refused' ? (
    <Notice tone="warning" title={t.verdicts.refusedUnexplained} />
  ) : (
    <Notice tone="info" title={t.verdicts.undecided} />
  );
}

/**
 * Offers to load the keys of the client the request names. The ID comes from the request, so it is sent only on
 * request.
 */
function NamedClient({ answer, request, form, onChange }: ResultProps): ReactElement | null {
  const { keyid, namedClientId } = answer;
  const clientName = useClientNames();
  const maySeeClients = usePermission('clients:read');
  const name = keyid === undefined ? undefined : clientName(keyid);
  const isUsed = request.candidates.length > 0 && (form.clientId === keyid || namedClientId !== undefined);
  if (keyid === undefined || isUsed || form.keyFrom === 'pasted') return null;
  if (name === undefined)
    return maySeeClients && isKeyName(keyid) ? (
      <NamedKey
        keyName={keyid}
        onFound={(clientId) => onChange({ keyFrom: 'client', clientId, profile: undefined })}
      />
    ) : null;
  return (
    <Notice
      tone="info"
      title={t.useClientText(name)}
      action={
        <Button
          size="xs"
          onClick={() => onChange({ keyFrom: 'client', clientId: keyid, profile: undefined })}
        >
          {t.useClient(name)}
        </Button>
      }
    />
  );
}

interface AboutProps {
  readonly answer: Explained;
  readonly request: DebugRequest;
}

function About({ answer, request }: AboutProps): ReactElement {
  const { method, targetUri, bodyBytes, nowSeconds, keyid } = answer;
  const body =
    bodyBytes === undefined ? t.bodyUnknown : bodyBytes === 0 ? t.bodyNone : t.bodyBytes(bodyBytes);
  return (
    <dl className={classes['about']} aria-label={t.explained}>
      <dt>{t.explainedUrl}</dt>
      <dd>
        <code>
          {method} {targetUri}
        </code>
      </dd>
      {keyid !== undefined && (
        <>
          <dt>{t.keyid}</dt>
          <dd>
            <code>{keyid}</code>
          </dd>
        </>
      )}
      <dt>{t.explainedBody}</dt>
      <dd>{body}</dd>
      <dt>{t.explainedKeys}</dt>
      <dd>{t.keyCount(request.candidates.length)}</dd>
      <dt>{t.explainedProfile}</dt>
      <dd>{request.messageProfile?.id ?? request.profile}</dd>
      <dt>{t.explainedClock}</dt>
      <dd>{absoluteTime(nowSeconds * 1000)}</dd>
    </dl>
  );
}

interface SignatureBaseProps {
  readonly base: string;
  readonly text: string;
}

/** The signature base with visible line ends, which are signed too. The last line has none. */
function SignatureBase({ base, text }: SignatureBaseProps): ReactElement {
  const lines = base.split(/(?<=\n)/);
  return (
    <Section title={t.base} description={text} actions={<CopyButton value={base} label={t.copyBase} />}>
      {/* The keyboard must be able to scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes['base']} role="group" aria-label={t.base} tabIndex={0}>
        {lines.map((line, index) => (
          // The order of the lines is stable.
          <div key={index} className={classes['base-line']}>
            <VisibleText text={line} />
          </div>
        ))}
      </div>
    </Section>
  );
}
