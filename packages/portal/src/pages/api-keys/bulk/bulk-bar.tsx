import { type BulkAction, bulkActions, bulkLimits } from '@countersign/contract';
import { Button, Menu } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { lazy, type ReactElement, Suspense, useState } from 'react';
import { clientBulk as t } from '#messages/client-bulk.ts';
import type { BulkChoice } from './bulk-choice.ts';
import classes from './bulk.module.css';

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'));

interface BulkBarProps {
  /** The clients to change, if some or all are selected. */
  readonly choice: BulkChoice | undefined;
  /** Selects all clients that match the filters, shown or not. */
  readonly onSelectAll: () => void;
  readonly total: number | undefined;
  readonly onClear: () => void;
}

/** Shows how many clients are selected, and changes them. */
export default function BulkBar({ choice, onSelectAll, total, onClear }: BulkBarProps): ReactElement | null {
  const [action, setAction] = useState<BulkAction>();
  if (choice === undefined && action === undefined) return null;
  const isAll = choice !== undefined && 'filter' in choice;
  const isTooMany = isAll && total !== undefined && total > bulkLimits.clientsMax;
  return (
    <>
      {choice && (
        <div className={classes.bar} role="region" aria-label={t.region}>
          <span role="status" className={classes.count}>
            {isAll ? t.allSelected(total) : t.selected(choice.clients.length)}
          </span>
          {!isAll && choice.clients.length !== total && (
            <Button size="compact-sm" variant="subtle" onClick={onSelectAll}>
              {t.selectAll(total)}
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
            {t.clear}
          </Button>
          {isTooMany ? (
            <span className={classes.hint}>{t.tooMany(bulkLimits.clientsMax)}</span>
          ) : (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  size="xs"
                  className={classes.change}
                  rightSection={<ChevronDown size={14} aria-hidden />}
                >
                  {t.change}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {(Object.keys(bulkActions) as BulkAction[]).map((name) => (
                  <Menu.Item key={name} onClick={() => setAction(name)}>
                    {t.actions[name]}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </div>
      )}
      {action !== undefined && (
        <Suspense>
          <BulkDialog action={action} choice={choice} total={total} onClose={() => setAction(undefined)} />
        </Suspense>
      )}
    </>
  );
}
