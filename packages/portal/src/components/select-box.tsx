import { type ReactElement, useRef } from 'react';
import { components as t } from '#messages/components.ts';
import classes from './data-table.module.css';
import type { RowSelection } from './use-row-selection.ts';

/** Selects a row. With the shift key, also selects all rows back to the previous one. */
export function SelectBox({
  rows,
  rowKey,
  name,
}: {
  readonly rows: RowSelection;
  readonly rowKey: string;
  readonly name: string;
}): ReactElement {
  const isRange = useRef(false);
  return (
    <input
      type="checkbox"
      className={classes['box']}
      aria-label={t.selectRow(name)}
      checked={rows.keys.has(rowKey)}
      // A click comes before its change event, even from the keyboard.
      onClick={(event) => (isRange.current = event.shiftKey)}
      onChange={(event) => rows.toggle(rowKey, event.currentTarget.checked, isRange.current)}
    />
  );
}

/** Selects all rows that are shown, or none. */
export function SelectAllBox({
  rows,
  count,
}: {
  readonly rows: RowSelection;
  readonly count: number;
}): ReactElement {
  const { size } = rows.keys;
  return (
    <input
      type="checkbox"
      className={classes['box']}
      aria-label={t.selectAllRows}
      ref={(box) => {
        if (box) box.indeterminate = size > 0 && size < count;
      }}
      checked={size > 0 && size === count}
      onChange={(event) => rows.toggleAll(event.currentTarget.checked)}
    />
  );
}
