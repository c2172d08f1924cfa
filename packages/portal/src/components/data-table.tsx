import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './data-table.module.css';

/** A column of a table. */
export interface DataColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** Hides the header for eyes, where the content explains itself: row menus. */
  readonly isHeaderHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** Below the name of the row and outside of its link: an id that can be copied. Only of the column that names the row. */
  readonly below?: (row: Row) => ReactNode;
  /** The column that names the row: a link with `rowHref`, the title of the card on phones. The first one unless set. */
  readonly isRowHeader?: boolean;
  readonly align?: 'left' | 'right';
  /** Leaves the cell out of the card on phones. */
  readonly isHiddenOnCard?: boolean;
}

interface DataTableProps<Row> {
  /** What is listed, for screen readers. */
  readonly label: string;
  readonly columns: readonly DataColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The path that a row leads to; the whole row can be clicked, buttons in it still work. */
  readonly rowHref?: (row: Row) => string | undefined;
  /** What stands in the place of rows when there are none. */
  readonly empty?: ReactNode;
}

/** A list of things with the same properties: a table, and on phones a card for each row. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, rowHref, empty } = props;
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const named = columns.find((column) => column.isRowHeader) ?? columns[0];
  // The roles are those that the elements have anyway; browsers forget them when CSS makes cards of the rows.
  return (
    <table className={classes['table']} role="table" aria-label={label}>
      <thead className={classes['head']} role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.id} scope="col" role="columnheader" data-align={column.align}>
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
