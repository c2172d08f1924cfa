import { type Alert, alertLimits, type AlertRule } from '@countersign/contract';
import { Button, Tooltip } from '@mantine/core';
import { Bell, Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { alertRulePath, alertRulesPath } from '../../alerts/alert-rules-path.ts';
import { useApiQuery } from '../../api/queries.ts';
import { useClientNames } from '../../clients/use-client-names.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge, type Tone } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { alertWords } from '#messages/alert-words.ts';
import { alerts as t } from '#messages/alerts.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './alerts.module.css';

const refreshMs = 15_000;

/** The account's alert rules: what they measure now, and what fires. */
export function AlertRulesPage(): ReactElement {
  const mayAdd = usePermission('alerts:write');
  const query = useApiQuery('listAlertRules', { query: { limit: 100 } }, { refetchIntervalMs: refreshMs });
  const count = query.data?.data.length ?? 0;
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <>
          {mayAdd && count > 0 && <AddButton isFull={count >= alertLimits.perAccountMax} />}
          <LinkButton to="/notices?kind=alert" variant="default">
            {t.toNotices}
          </LinkButton>
        </>
      }
    >
      <QueryState query={query}>
        {({ data }) => (
          <div className={classes['card']}>
            {data.length === 0 ? <NoRules mayAdd={mayAdd} /> : <RuleTable rules={data} mayChange={mayAdd} />}
          </div>
        )}
      </QueryState>
    </Page>
  );
}

function AddButton({ isFull = false }: { readonly isFull?: boolean }): ReactElement {
  const icon = <Plus size={16} aria-hidden />;
  if (!isFull)
    return (
      <LinkButton to={`${alertRulesPath}/new`} leftSection={icon}>
        {t.add}
      </LinkButton>
    );
  const why = t.full(alertLimits.perAccountMax);
  return (
    <Tooltip label={why}>
      <span>
        <Button leftSection={icon} disabled>
          {t.add}
        </Button>
        <span className="portal-visually-hidden">{why}</span>
      </span>
    </Tooltip>
  );
}

function NoRules({ mayAdd }: { readonly mayAdd: boolean }): ReactElement {
  return (
    <EmptyState icon={Bell} title={t.empty.title} action={mayAdd && <AddButton />}>
      {mayAdd ? t.empty.text : t.empty.mayNot}
    </EmptyState>
  );
}

const columns: readonly DataColumn<AlertRule>[] = [
  {
    id: 'rule',
    header: t.rule,
    isRowHeader: true,
    cell: ({ name, condition, client }) => (
      <span className={classes['names']}>
        <bdi>{name}</bdi>
        <bdi className={classes['below']}>{alertWords.rule(condition, client?.name)}</bdi>
      </span>
    ),
  },
  { id: 'state', header: t.state, cell: (rule) => <State rule={rule} /> },
  {
    id: 'now',
    header: t.now,
    cell: ({ condition, current, isEnabled, client }) =>
      isEnabled && client?.isActive !== false ? t.value(condition.kind, current) : '–',
  },
  {
    id: 'last',
    header: t.lastFired,
    cell: ({ lastFiredAt }) => (lastFiredAt === null ? t.never : <RelativeTime at={lastFiredAt} />),
  },
  {
    id: 'channels',
    header: t.channels,
    isHiddenWhenNarrow: true,
    cell: ({ channels }) =>
      (['inInbox', 'byMail', 'byWebhook'] as const)
        .filter((channel) => channels[channel])
        .map((channel) => t.channelNames[channel])
        .join(', '),
  },
];

function RuleTable({
  rules,
  mayChange,
}: {
  readonly rules: readonly AlertRule[];
  readonly mayChange: boolean;
}): ReactElement {
  return (
    <DataTable
      label={t.list}
      columns={columns}
      rows={rules}
      rowKey={({ alertRuleId }) => alertRuleId}
      {...(mayChange && { rowHref: ({ alertRuleId }: AlertRule) => alertRulePath(alertRuleId) })}
    />
  );
}

const tones: Readonly<Record<keyof typeof t.states, Tone>> = {
  firing: 'danger',
  ok: 'success',
  off: 'neutral',
  inactive: 'neutral',
};
const alertsShownMax = 3;

function stateOf({ isEnabled, client, firing }: AlertRule): keyof typeof t.states {
  if (!isEnabled) return 'off';
  if (firing.length > 0) return 'firing';
  return client?.isActive === false ? 'inactive' : 'ok';
}

function State({ rule }: { readonly rule: AlertRule }): ReactElement {
  const state = stateOf(rule);
  const oldest = rule.firing.at(-1);
  return (
    <span className={classes['names']}>
      <StatusBadge tone={tones[state]}>{t.states[state]}</StatusBadge>
      {state === 'firing' && oldest && (
        <span className={classes['below']}>
          <RelativeTime at={oldest.firedAt} />
        </span>
      )}
      {state === 'firing' && <Subjects firing={rule.firing} />}
    </span>
  );
}

/** Names what fires, if a rule can fire for several things at once. */
function Subjects({ firing }: { readonly firing: readonly Alert[] }): ReactElement {
  const clientName = useClientNames();
  const named = firing.flatMap(({ alertId, clientId = '', dueAt, sourceAddress }) => {
    const client = clientName(clientId) ?? clientId;
    if (dueAt !== undefined) return [{ alertId, text: t.keyEnds(client, absoluteTime(dueAt)) }];
    return sourceAddress === undefined ? [] : [{ alertId, text: t.addressOf(client, sourceAddress) }];
  });
  return (
    <>
      {named.slice(0, alertsShownMax).map(({ alertId, text }) => (
        <bdi key={alertId} className={classes['below']}>
          {text}
        </bdi>
      ))}
      {named.length > alertsShownMax && (
        <span className={classes['below']}>{t.more(named.length - alertsShownMax)}</span>
      )}
    </>
  );
}
