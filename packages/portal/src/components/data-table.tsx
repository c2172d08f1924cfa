import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './data-table.module.css';

export interface DataColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** Hides the header visually, if the content is self-explanatory. */
  readonly isHeaderHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** Content below the row's name and outside its link, such as an ID to copy. For the row header only. */
  readonly below?: (row: Row) => ReactNode;
  /**
   * Marks the column that names the row: the link of `rowHref`, the title of the card on phones. By default, the first
   * one.
   */
  readonly isRowHeader?: boolean;
  readonly align?: 'left' | 'right';
  readonly isHiddenOnCard?: boolean;
  /** Hides the column where the table has little room, but not on cards. */
  readonly isHiddenWhenNarrow?: boolean;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly DataColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The path to open on a click anywhere in the row. Buttons in it keep working. */
  readonly rowHref?: (row: Row) => string | undefined;
  readonly empty?: ReactNode;
}

/** A table that turns into a list of cards on phones. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, rowHref, empty } = props;
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const named = columns.find((column) => column.isRowHeader) ?? columns[0];
  // These are the implicit roles. Browsers drop them once CSS turns the rows into cards.
  return (
    <table className={classes['table']} role="table" aria-label={label}>
      <thead className={classes['head']} role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th
              key={column.id}
              scope="col"
              role="columnheader"
              data-align={column.align}
              data-hidden-when-narrow={column.isHiddenWhenNarrow || undefined}
            >
              <span className={column.isHeaderHidden ? 'portal-visually-hidden' : undefined}>
                {column.header}
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const href = rowHref?.(row);
          return (
            <tr
              key={rowKey(row)}
              role="row"
              className={classes['row']}
              data-linked={href !== undefined || undefined}
            >
              {columns.map((column) => (
                <DataCell key={column.id} column={column} row={row} isName={column === named} href={href} />
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface DataCellProps<Row> {
  readonly column: DataColumn<Row>;
  readonly row: Row;
  readonly isName: boolean;
  readonly href: string | undefined;
}

function DataCell<Row>({ column, row, isName, href }: DataCellProps<Row>): ReactElement {
  const content = column.cell(row);
  if (isName) {
    return (
      <th scope="row" role="rowheader" className={classes['name']} data-align={column.align}>
        {href === undefined ? (
          content
        ) : (
          <Link href={href} className={classes['link']}>
            {content}
          </Link>
        )}
        {column.below && <div className={classes['below']}>{column.below(row)}</div>}
      </th>
    );
  }
  return (
    <td
      role="cell"
      data-align={column.align}
      data-unlabelled={column.isHeaderHidden || undefined}
      data-hidden-on-card={column.isHiddenOnCard || undefined}
      data-hidden-when-narrow={column.isHiddenWhenNarrow || undefined}
    >
      {!column.isHeaderHidden && (
        <span className={classes['label']} aria-hidden>
          {column.header}
        </span>
      )}
      <div className={classes['value']}>{content}</div>
    </td>
  );
}
