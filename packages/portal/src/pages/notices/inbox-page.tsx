import { type NoticeKind, noticeKindNames } from '@countersign/contract';
import { Button, Select } from '@mantine/core';
import { Inbox } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiMutation, usePagedQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notify } from '../../components/notify.ts';
import { Page } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { FilterBar } from '../../lists/filter-bar.tsx';
import { ListState } from '../../lists/list-state.tsx';
import { notices as t } from '#messages/notices.ts';
import { pageTitles } from '#messages/page-titles.ts';
import { alertRulesPath } from '../../alerts/alert-rules-path.ts';
import { usePermission } from '../../session/session-context.ts';
import { NoticeList } from './notice-list.tsx';

const refetchIntervalMs = 30_000;

/** The inbox: what happened in the account. The address holds the filters. */
export default function InboxPage(): ReactElement {
  const [search, setSearch] = useParameters();
  const mayReadRules = usePermission('alerts:read');
  const kind = noticeKindNames.find((name) => name === search.get('kind'));
  const show = search.get('show') === 'unread' ? 'unread' : 'all';
  const query = { limit: 25, show, ...(kind && { kind }) } as const;
  const pages = usePagedQuery('listNotices', { query }, { refetchIntervalMs });
  const unread = pages.data?.pages[0]?.unread ?? 0;
  const filter = (next: {
    readonly kind?: NoticeKind | undefined;
    readonly show: 'all' | 'unread';
  }): void => {
    const text = {
      ...(next.kind && { kind: next.kind }),
      ...(next.show === 'unread' && { show: next.show }),
    };
    setSearch(new URLSearchParams(text), { replace: true });
  };
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <>
          <MarkAllButton unread={unread} />
          {mayReadRules && (
            <LinkButton to={alertRulesPath} variant="default">
              {pageTitles.alertRules}
            </LinkButton>
          )}
          <LinkButton to="/settings/profile#notices" variant="default">
            {t.toPreferences}
          </LinkButton>
        </>
      }
    >
      <FilterBar onClear={kind || show === 'unread' ? () => filter({ show: 'all' }) : undefined}>
        <Select
          label={t.kind}
          data={[
            { value: '', label: t.anyKind },
            ...noticeKindNames.map((value) => ({ value, label: t.kinds[value].title })),
          ]}
          value={kind ?? ''}
          allowDeselect={false}
          onChange={(chosen) => filter({ kind: noticeKindNames.find((name) => name === chosen), show })}
        />
        <Select
          label={t.show}
          data={(['all', 'unread'] as const).map((value) => ({ value, label: t.shows[value] }))}
          value={show}
          allowDeselect={false}
          onChange={(chosen) => filter({ kind, show: chosen === 'unread' ? 'unread' : 'all' })}
        />
      </FilterBar>
      <Section title={t.list} isFlush isPlain>
        <ListState
          pages={pages}
          empty={
            <EmptyState icon={Inbox} title={show === 'unread' ? t.noneUnreadTitle : t.noneTitle}>
              {show === 'unread' ? t.noneUnreadText : t.noneText}
            </EmptyState>
          }
        >
          {(list) => <NoticeList notices={list} />}
        </ListState>
      </Section>
    </Page>
  );
}

function MarkAllButton({ unread }: { readonly unread: number }): ReactElement {
  const readAll = useApiMutation('readAllNotices');
  const markAll = (): void =>
    readAll.mutate(
      {},
      { onSuccess: () => notify.success(t.allRead), onError: (error) => notify.error(error) },
    );
  return (
    <Button variant="default" disabled={unread === 0} loading={readAll.isPending} onClick={markAll}>
      {t.markAll}
    </Button>
  );
}
