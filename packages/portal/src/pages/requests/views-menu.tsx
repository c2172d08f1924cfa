import type { SavedView } from '@countersign/contract';
import { Button, Menu } from '@mantine/core';
import { Bookmark, ChevronDown } from 'lucide-react';
import { type ReactElement, Suspense, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { LoadingLines } from '../../components/query-state.tsx';
import { requests as t } from '#messages/requests.ts';
import { readRequestFilters, type RequestFilters } from '../../requests/request-filters.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { type UsedView, useUsedView } from './used-view.ts';
import type { ViewTask } from './view-dialogs.tsx';
import classes from './views-menu.module.css';

const ViewItems = lazyPart(async () => (await import('./view-items.tsx')).ViewItems);
const ViewDialogs = lazyPart(async () => (await import('./view-dialogs.tsx')).ViewDialogs);

interface ViewsMenuProps {
  readonly filters: RequestFilters;
  readonly onChange: (filters: RequestFilters) => void;
}

/** The saved views: its button names the one in use, and its menu applies, saves and changes them. */
export function ViewsMenu({ filters, onChange }: ViewsMenuProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [task, setTask] = useState<ViewTask>();
  const query = useApiQuery('listSavedViews');
  const views = query.data?.items ?? [];
  const { used, choose } = useUsedView(views, filters);
  const apply = (view: SavedView): void => {
    choose(view);
    onChange(readRequestFilters(new URLSearchParams(view.query)));
  };
  return (
    <>
      <Menu
        opened={isOpen}
        onChange={setIsOpen}
        withinPortal={false}
        position="bottom-end"
        width="min(21rem, calc(100vw - 2rem))"
      >
        <Menu.Target>
          <Button
            variant="default"
            className={classes['button']}
            leftSection={<Bookmark size={15} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
            aria-label={nameOf(used)}
            data-used={used !== undefined || undefined}
          >
            <bdi className={classes['used']}>{used?.view.name ?? t.views}</bdi>
            {used?.isChanged && <span className={classes['changed']} aria-hidden />}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Suspense fallback={<LoadingLines />}>
            {isOpen && (
              <ViewItems query={query} used={used} filters={filters} onApply={apply} onTask={setTask} />
            )}
          </Suspense>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {task && (
          <ViewDialogs task={task} filters={filters} onSaved={choose} onClose={() => setTask(undefined)} />
        )}
      </Suspense>
    </>
  );
}

function nameOf(used: UsedView | undefined): string {
  if (used === undefined) return t.views;
  return used.isChanged ? t.viewChanged(used.view.name) : t.viewUsed(used.view.name);
}
