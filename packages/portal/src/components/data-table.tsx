import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { components as t } from '#messages/components.ts';
import classes from './data-table.module.css';
import { SelectAllBox, SelectBox } from './select-box.tsx';
import type { RowSelection } from './use-row-selection.ts';

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
  /** The row whose content is shown beside the table. Links of the others then take its place in the history. */
  readonly openKey?: string | undefined;
  /** Lets people select rows, each named by `nameOf` for screen readers. */
  readonly selection?: { readonly rows: RowSelection; readonly nameOf: (row: Row) => string } | undefined;
  /**
   * One line a row on wide screens, or wherever it is a table and not cards (`always`). The cells must say which of
   * their parts may be cut short.
   */
  readonly isDense?: boolean | 'always';
  /** Sorts by the columns that it names. */
  readonly sort?: TableSort | undefined;
}

/** The order of a table's rows, which are sorted elsewhere. */
export interface TableSort {
  readonly columnIds: readonly string[];
  readonly columnId: string | undefined;
  readonly isDescending: boolean;
  readonly onSort: (columnId: string, isDescending: boolean) => void;
}

/** A table that turns into a list of cards on phones. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, columns, rows, rowKey, rowHref, openKey, empty, selection, isDense = false, sort } = props;
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const named = columns.find((column) => column.isRowHeader) ?? columns[0];
  // These are the implicit roles. Browsers drop them once CSS turns the rows into cards.
  return (
    <table className={classes['table']} role="table" aria-label={label} data-dense={isDense || undefined}>
      <thead className={classes['head']} role="rowgroup">
        <tr role="row">
          {selection && (
            <th scope="col" role="columnheader">
              <span className="portal-visually-hidden">{t.selection}</span>
              <SelectAllBox rows={selection.rows} count={rows.length} />
            </th>
          )}
          {columns.map((column) => (
            <th
              key={column.id}
              scope="col"
              role="columnheader"
              data-align={column.align}
              data-hidden-when-narrow={column.isHiddenWhenNarrow || undefined}
              aria-sort={ariaSort(column.id, sort)}
            >
              <ColumnHeader column={column} sort={sort} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const href = rowHref?.(row);
          const isOpen = openKey === undefined ? undefined : openKey === rowKey(row);
          return (
            <tr
              key={rowKey(row)}
              role="row"
              data-row={rowKey(row)}
              className={classes['row']}
              data-linked={href !== undefined || undefined}
              data-selected={isOpen || selection?.rows.keys.has(rowKey(row)) || undefined}
            >
              {selection && (
                <td role="cell" data-select>
                  <SelectBox rows={selection.rows} rowKey={rowKey(row)} name={selection.nameOf(row)} />
                </td>
              )}
              {columns.map((column) => (
                <DataCell
                  key={column.id}
                  column={column}
                  row={row}
                  isName={column === named}
                  href={href}
                  isOpen={isOpen}
                />
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function ariaSort(columnId: string, sort: TableSort | undefined): 'ascending' | 'descending' | undefined {
  if (sort?.columnId !== columnId) return undefined;
  return sort.isDescending ? 'descending' : 'ascending';
}

/** The name of a column, as a button if the table can be sorted by it. */
function ColumnHeader<Row>({
  column: { id, header, isHeaderHidden },
  sort,
}: {
  readonly column: DataColumn<Row>;
  readonly sort: TableSort | undefined;
}): ReactElement {
  if (!sort?.columnIds.includes(id))
    return <span className={isHeaderHidden ? 'portal-visually-hidden' : undefined}>{header}</span>;
  const isSorted = sort.columnId === id;
  const Icon = !isSorted ? ArrowUpDown : sort.isDescending ? ArrowDown : ArrowUp;
  return (
    <>
      {/* On phones the header is only for screen readers, and has no controls. */}
      <span className={classes['headerName']}>{header}</span>
      <button
        type="button"
        className={classes['sort']}
        data-sorted={isSorted || undefined}
        onClick={() => sort.onSort(id, isSorted && !sort.isDescending)}
      >
        {header}
        <Icon size={13} aria-hidden />
      </button>
    </>
  );
}

interface DataCellProps<Row> {
  readonly column: DataColumn<Row>;
  readonly row: Row;
  readonly isName: boolean;
  readonly href: string | undefined;
  /** Undefined if no row is open. */
  readonly isOpen: boolean | undefined;
}

function DataCell<Row>({ column, row, isName, href, isOpen }: DataCellProps<Row>): ReactElement {
  const content = column.cell(row);
  if (isName) {
    return (
      <th scope="row" role="rowheader" className={classes['name']} data-align={column.align}>
        <div className={classes['named']}>
          {href === undefined ? (
            content
          ) : (
            <Link
              href={href}
              replace={isOpen !== undefined}
              className={classes['link']}
              aria-current={isOpen || undefined}
            >
              {content}
            </Link>
          )}
          {column.below && <div className={classes['below']}>{column.below(row)}</div>}
        </div>
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
