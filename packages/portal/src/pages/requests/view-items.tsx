import type { SavedView } from '@countersign/contract';
import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { notify } from '../../components/notify.ts';
import { type QueryLike, QueryState } from '../../components/query-state.tsx';
import { savedViews as t } from '#messages/saved-views.ts';
import { type RequestFilters, requestFiltersQuery } from '../../requests/request-filters.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import type { UsedView } from './used-view.ts';
import type { ViewTask } from './view-dialogs.tsx';
import classes from './views-menu.module.css';

interface ViewItemsProps {
  readonly query: QueryLike<{ readonly items: readonly SavedView[] }>;
  readonly used: UsedView | undefined;
  readonly filters: RequestFilters;
  readonly onApply: (view: SavedView) => void;
  /** Opens a dialog. */
  readonly onTask: (task: ViewTask) => void;
}

/** The menu's items: the views, and what can be done with the one in use. */
export function ViewItems({ query, used, filters, onApply, onTask }: ViewItemsProps): ReactElement {
  // Nobody saves views in an account that they only act for.
  const canSave = useSession().account?.acting === undefined;
  return (
    <QueryState query={query}>
      {({ items }) => (
        <>
          {items.length === 0 && <Menu.Label>{t.none}</Menu.Label>}
          <div className={classes['items']}>
            <ViewGroup
              label={t.own}
              views={items.filter(({ isOwn }) => isOwn)}
              used={used}
              onApply={onApply}
            />
            <ViewGroup
              label={t.shared}
              views={items.filter(({ isOwn }) => !isOwn)}
              used={used}
              onApply={onApply}
            />
          </div>
          {items.length > 0 && (canSave || used !== undefined) && <Menu.Divider />}
          {canSave && <Menu.Item onClick={() => onTask({ kind: 'save' })}>{t.saveAs}</Menu.Item>}
          {used && <UsedViewItems used={used} filters={filters} onTask={onTask} />}
        </>
      )}
    </QueryState>
  );
}

interface ViewGroupProps {
  readonly label: string;
  readonly views: readonly SavedView[];
  readonly used: UsedView | undefined;
  readonly onApply: (view: SavedView) => void;
}

function ViewGroup({ label, views, used, onApply }: ViewGroupProps): ReactElement | null {
  if (views.length === 0) return null;
  return (
    <>
      <Menu.Label>{label}</Menu.Label>
      <Menu.RadioGroup value={used?.view.savedViewId ?? ''}>
        {views.map((view) => (
          <Menu.RadioItem
            key={view.savedViewId}
            value={view.savedViewId}
            closeMenuOnClick
            onClick={() => onApply(view)}
          >
            <bdi className={classes['name']}>{view.name}</bdi>
            {!view.isOwn && view.author && (
              <span className={classes['author']}>{t.by(view.author.name)}</span>
            )}
            {view.isOwn && view.isShared && <span className={classes['author']}>{t.shared}</span>}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  );
}

type UsedViewItemsProps = Pick<ViewItemsProps, 'filters' | 'onTask'> & { readonly used: UsedView };

function UsedViewItems({
  used: { view, isChanged },
  filters,
  onTask,
}: UsedViewItemsProps): ReactElement | null {
  const { savedViewId, name, isOwn, isShared } = view;
  const managesMembers = usePermission('members:write');
  const update = useApiMutation('updateSavedView');
  const change = (body: { query?: string; isShared?: boolean }, done: string): void =>
    // By then the menu is closed, and with it what would be told by `mutate`.
    void update.mutateAsync({ path: { savedViewId }, body }).then(
      () => notify.success(done),
      (error: unknown) => notify.error(error),
    );
  if (!isOwn && !managesMembers) return null;
  return (
    <>
      {isChanged && (
        <Menu.Item
          onClick={() => change({ query: requestFiltersQuery(filters).toString() }, t.updated(name))}
        >
          <bdi className={classes['name']}>{t.update(name)}</bdi>
        </Menu.Item>
      )}
      <Menu.Item onClick={() => onTask({ kind: 'rename', view })}>{t.rename}</Menu.Item>
      {isOwn && (
        <Menu.Item
          onClick={() => change({ isShared: !isShared }, isShared ? t.unsharedNow(name) : t.sharedNow(name))}
        >
          {isShared ? t.unshare : t.share}
        </Menu.Item>
      )}
      <Menu.Item color="red" onClick={() => onTask({ kind: 'remove', view })}>
        {t.remove}
      </Menu.Item>
    </>
  );
}
