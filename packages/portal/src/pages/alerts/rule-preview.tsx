import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { useClientNames } from '../../clients/use-client-names.ts';
import { alertWords } from '#messages/alert-words.ts';
import { alerts } from '#messages/alerts.ts';
import { type AlertRuleDraft, conditionOf, thresholdMistakes } from './alert-rule-draft.ts';
import classes from './alerts.module.css';

const t = alerts.form;
const pauseMs = 300;

/** Reads the rule back as a sentence, with what it measures now. */
export function RulePreview({ draft }: { readonly draft: AlertRuleDraft }): ReactElement {
  const clientName = useClientNames();
  const isComplete = Object.keys(thresholdMistakes(draft)).length === 0;
  const { kind, clientId } = draft;
  return (
    <div className={classes['preview']} role="status" aria-label={t.sentence}>
      {isComplete ? (
        <>
          <p className={classes['sentence']}>
            <bdi>{alertWords.rule(conditionOf(draft), clientId && (clientName(clientId) ?? clientId))}</bdi>
          </p>
          <p className={classes['hint']}>
            <Measured draft={draft} /> {t.ends[kind]}
          </p>
        </>
      ) : (
        <p className={classes['hint']}>{t.incomplete}</p>
      )}
    </div>
  );
}

function Measured({ draft }: { readonly draft: AlertRuleDraft }): ReactElement {
  const accountId = useAccountId();
  const body = { condition: conditionOf(draft), clientId: draft.clientId ?? null };
  const [text] = useDebouncedValue(JSON.stringify(body), pauseMs);
  const measured = JSON.parse(text) as typeof body;
  const { data } = useQuery({
    queryKey: ['account', accountId, 'previewAlertRule', text],
    queryFn: ({ signal }) => api.call('previewAlertRule', { body: measured, signal }),
  });
  if (data === undefined) return <>{t.previewLoading}</>;
  return <>{t.preview(alerts.value(measured.condition.kind, data), data.isMet)}</>;
}
