import { Button, Group, Modal } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useMessages } from '../messages/messages.ts';
import classes from './conflict-dialog.module.css';
import { StatusBadge } from './status-badge.tsx';

/** One thing that both have changed, or could have. */
export interface ConflictField<Value> {
  readonly label: string;
  readonly show: (value: Value) => ReactNode;
  /** Text by which the two are compared; needed when `show` gives more than a text. */
  readonly compare?: (value: Value) => string;
}

interface ConflictDialogProps<Value> {
  /** Undefined: the dialog is closed. */
  readonly mine: Value | undefined;
  /** What the service has now. */
  readonly theirs: Value | undefined;
  readonly fields: readonly ConflictField<Value>[];
  /** Saves the own version over what is there now. */
  readonly onKeepMine: () => void;
  /** Throws the own version away. */
  readonly onTakeTheirs: () => void;
  /** Goes back to the form; like `onTakeTheirs` unless set. */
  readonly onClose?: () => void;
  readonly isBusy?: boolean;
}

/** Shows two versions side by side when somebody else was quicker (412). */
export function ConflictDialog<Value>(props: ConflictDialogProps<Value>): ReactElement {
  const { mine, theirs, onKeepMine, onTakeTheirs, onClose, isBusy = false } = props;
  const t = useMessages('components');
  const isOpen = mine !== undefined && theirs !== undefined;
  return (
    <Modal opened={isOpen} onClose={onClose ?? onTakeTheirs} title={t.conflictTitle} size="lg">
      {isOpen && (
        <div className={classes['content']}>
          <p className={classes['text']}>{t.conflictText}</p>
          <ConflictTable {...props} mine={mine} theirs={theirs} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onTakeTheirs} disabled={isBusy}>
              {t.takeTheirs}
            </Button>
            <Button onClick={onKeepMine} loading={isBusy}>
              {t.keepMine}
            </Button>
          </Group>
        </div>
      )}
    </Modal>
  );
}

function ConflictTable<Value>({
  mine,
  theirs,
  fields,
}: {
  readonly mine: Value;
  readonly theirs: Value;
  readonly fields: readonly ConflictField<Value>[];
}): ReactElement {
  const t = useMessages('components');
  return (
    <div className={classes['scroll']}>
      <table className={classes['table']}>
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
