import { Button, Group, Modal } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { ConflictSaving } from '../api/use-conflict-saving.ts';
import { components as t } from '#messages/components.ts';
import classes from './conflict-dialog.module.css';
import { StatusBadge } from './notice.tsx';
import table from './table.module.css';

export interface ConflictField<Value> {
  readonly label: string;
  readonly show: (value: Value) => ReactNode;
  /** Returns the text to compare by; needed if `show` returns more than text. */
  readonly compare?: (value: Value) => string;
}

interface ConflictDialogProps<Value> {
  readonly mine: Value;
  /** The dialog is open while this holds another person's version. */
  readonly saving: Omit<ConflictSaving<Value, Value>, 'save' | 'error'>;
  readonly fields: readonly ConflictField<Value>[];
  readonly onTakeTheirs: () => void;
  /** What happens to the rest, where it is not that one version replaces the other. */
  readonly text?: string;
}

/** Compares both versions after another person saved first (412). */
export function ConflictDialog<Value>(props: ConflictDialogProps<Value>): ReactElement {
  const { mine, saving, onTakeTheirs } = props;
  const { theirs, isBusy } = saving;
  return (
    <Modal opened={theirs !== undefined} onClose={saving.dismissConflict} title={t.conflictTitle} size="lg">
      {theirs !== undefined && (
        <div className={classes['content']}>
          <p className={classes['text']}>{props.text ?? t.conflictText}</p>
          <ConflictTable mine={mine} theirs={theirs} fields={props.fields} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onTakeTheirs} disabled={isBusy}>
              {t.takeTheirs}
            </Button>
            <Button onClick={() => void saving.saveOverTheirs(mine)} loading={isBusy}>
              {t.keepMine}
            </Button>
          </Group>
        </div>
      )}
    </Modal>
  );
}

interface ConflictTableProps<Value> extends Pick<ConflictDialogProps<Value>, 'mine' | 'fields'> {
  readonly theirs: Value;
}

function ConflictTable<Value>({ mine, theirs, fields }: ConflictTableProps<Value>): ReactElement {
  return (
    <div className={table['region']}>
      <table className={`${table['table']} ${classes['table']}`}>
        <thead>
          <tr>
            <th scope="col">{t.conflictField}</th>
            <th scope="col">{t.conflictMine}</th>
            <th scope="col">{t.conflictTheirs}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => {
            const text = field.compare ?? ((value: Value) => textOf(field.show(value)));
            const differs = text(mine) !== text(theirs);
            return (
              <tr key={field.label} data-differs={differs || undefined}>
                <th scope="row">
                  {field.label} {differs && <StatusBadge tone="warning">{t.conflictDiffers}</StatusBadge>}
                </th>
                <td>{field.show(mine) || t.nothing}</td>
                <td>{field.show(theirs) || t.nothing}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function textOf(shown: ReactNode): string {
  return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : '';
}
