import type { RequestEntry } from '@countersign/contract';
import { problemTitle } from '#messages/problem-titles.ts';
import { Bug, KeyRound } from 'lucide-react';
import type { ReactElement } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { useApiQuery } from '../../api/queries.ts';
import { useClientNames } from '../../clients/use-client-names.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { DescribedFact } from '../../components/facts.tsx';
import { Notice, StatusBadge } from '../../components/notice.tsx';
import { asSentence } from '../../components/problem-words.ts';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { ErrorCode } from '../../documents/error-code.tsx';
import { RequestOutcome } from '../../explanation/request-outcome.tsx';
import { RequestExplanationPanel } from '../../explanation/request-explanation-panel.tsx';
import { requests as t } from '#messages/requests.ts';
import { isRefusal } from '../../explanation/refusal.ts';
import { MissingRequest } from './missing-request.tsx';
import { RequestCopyMenu } from './request-copy-menu.tsx';
import classes from './request-detail.module.css';

interface RequestDetailProps {
  readonly requestId: string;
  /** The request, if a list has loaded it already. */
  readonly known?: RequestEntry | undefined;
}

export function RequestDetail({ requestId, known }: RequestDetailProps): ReactElement {
  const query = useApiQuery('getRequest', { path: { requestId } }, { enabled: known === undefined });
  if (known !== undefined) return <Known entry={known} />;
  if (isApiError(query.error, 'not_found')) return <MissingRequest error={query.error} />;
  return <QueryState query={query}>{(entry) => <Known entry={entry} />}</QueryState>;
}

function Known({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const { outcome, isObserved, method, url, clientId, requestId } = entry;
  const isFailed = outcome !== 'accepted';
  return (
    <div className={classes['detail']}>
      <div className={classes['head']}>
        <RequestOutcome entry={entry} />
        <div className={classes['target']}>
          <span className={classes['method']}>{method}</span> <bdi>{url}</bdi>
        </div>
        <div className={classes['actions']}>
          <LinkButton
            to={`/integrations/api-keys/${encodeURIComponent(clientId)}`}
            variant="default"
            size="xs"
            leftSection={<KeyRound size={14} aria-hidden />}
          >
            {t.openClient}
          </LinkButton>
          <RequestCopyMenu entry={entry} />
          {isFailed && (
            <LinkButton
              to={`/logs/debugger?request=${encodeURIComponent(requestId)}`}
              variant="default"
              size="xs"
              leftSection={<Bug size={14} aria-hidden />}
            >
              {t.openDebugger}
            </LinkButton>
          )}
        </div>
      </div>
      {isObserved && <Observed entry={entry} />}
      {isFailed && !isObserved && <Refusal entry={entry} />}
      <section>
        <h2 className={classes['title']}>{checksTitle(entry)}</h2>
        <RequestExplanationPanel request={entry} isReasonShown={isObserved || isReasonHidden(outcome)} />
      </section>
      <RequestFacts entry={entry} />
    </div>
  );
}

function checksTitle({ outcome, isObserved }: RequestEntry): string {
  if (!isRefusal(outcome)) return t.allPassed;
  return isObserved ? t.whyNotReady : t.whyRefused;
}

/** States that the request was not rejected, and what was wrong with it. */
function Observed({ entry: { outcome, reason } }: { readonly entry: RequestEntry }): ReactElement {
  return (
    <Notice tone="warning" title={t.letThrough}>
      {reason !== undefined && `${asSentence(reason)} `}
      {t.letThroughText} <ErrorCode code={outcome} />.
    </Notice>
  );
}

/** Only this code hides its reason from the caller (profile 2.1, check 8). */
function isReasonHidden(outcome: string): boolean {
  return outcome === 'signature_invalid';
}

/** The response to the caller, and the real reason. */
function Refusal({ entry: { outcome, reason } }: { readonly entry: RequestEntry }): ReactElement {
  const title = problemTitle(outcome);
  const isHidden = isReasonHidden(outcome);
  return (
    <>
      {isHidden && reason !== undefined && (
        <Notice tone="warning" title={`${t.trueReason}: ${reason}`}>
          {t.trueReasonNote}
        </Notice>
      )}
      <dl className={classes['told']}>
        <dt>{t.toldCaller}</dt>
        <dd>
          <ErrorCode code={outcome} />
          {title !== undefined && ` · ${title}`}
        </dd>
      </dl>
    </>
  );
}

function RequestFacts({ entry }: { readonly entry: RequestEntry }): ReactElement {
  const clientName = useClientNames();
  const { clientId, isProved, keyFingerprint, clockDifferenceSeconds, durationMs, sourceAddress } = entry;
  return (
    <dl className={classes['facts']}>
      <DescribedFact label={t.receivedAt}>
        {absoluteTime(entry.receivedAt)}
        <span className={classes['aside']}>
          <RelativeTime at={entry.receivedAt} />
        </span>
      </DescribedFact>
      <DescribedFact label={t.clientNamed}>
        {clientName(clientId) !== undefined && <bdi className={classes['name']}>{clientName(clientId)}</bdi>}
        <CopyableText value={clientId} label="clientId" />
        {!isProved && <StatusBadge tone="neutral">{t.notProved}</StatusBadge>}
      </DescribedFact>
      <DescribedFact label={t.sourceAddress}>
        {sourceAddress === '' ? (
          t.unknownAddress
        ) : (
          <CopyableText value={sourceAddress} label={t.sourceAddress} />
        )}
      </DescribedFact>
      {keyFingerprint !== undefined && (
        <DescribedFact label={t.key}>
          <CopyableText value={keyFingerprint} label={t.key} />
        </DescribedFact>
      )}
      {clockDifferenceSeconds !== undefined && (
        <DescribedFact label={t.clock}>{clockText(clockDifferenceSeconds)}</DescribedFact>
      )}
      <DescribedFact label={t.status}>
        {entry.status}
        {durationMs !== undefined && <span className={classes['aside']}>{t.durationMs(durationMs)}</span>}
      </DescribedFact>
      <DescribedFact label={t.requestId}>
        <CopyableText value={entry.requestId} label={t.requestId} />
      </DescribedFact>
    </dl>
  );
}

function clockText(seconds: number): string {
  if (seconds === 0) return t.clockRight;
  return seconds > 0 ? t.clockAhead(seconds) : t.clockBehind(seconds);
}
