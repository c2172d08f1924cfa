import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { isApiError } from '../api/api-error.ts';
import { components as t } from '#messages/components.ts';
import classes from './confirm-dialog.module.css';
import { ErrorNotice } from './error-notice.tsx';
import { useAction } from './use-action.ts';
import { useReturnFocus } from './use-return-focus.ts';

interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Describes what will happen, and whether it can be undone. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly isDangerous?: boolean;
  /** Validates the fields in the dialog. False keeps it open. */
  readonly onCheck?: () => boolean;
  /** The dialog stays busy until the promise settles, then closes or shows its error. */
  readonly onConfirm: () => unknown;
  /** A text that must be typed first, for actions that cannot be undone. */
  readonly typedConfirmation?: string;
}

/** Asks for a confirmation. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { opened, onClose, title } = props;
  useReturnFocus(opened);
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="md" className={classes['dialog']}>
      {opened && <ConfirmForm {...props} />}
    </Modal>
  );
}

function ConfirmForm(props: ConfirmDialogProps): ReactElement {
  const { onClose, children, confirmLabel, cancelLabel, isDangerous = false, typedConfirmation } = props;
  const [typed, setTyped] = useState('');
  const { isBusy, error, run } = useAction(async () => {
    await props.onConfirm();
    onClose();
  });
  const isReady = typedConfirmation === undefined || typed.trim() === typedConfirmation;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // React bubbles events from a dialog to the form it was opened from.
    event.stopPropagation();
    if (isReady && !isBusy && props.onCheck?.() !== false) void run();
  };
  return (
    <form onSubmit={submit} className={classes['form']}>
      <div className={classes['text']}>{children}</div>
      {typedConfirmation !== undefined && (
        <TextInput
          label={t.typeToConfirm(typedConfirmation)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
      <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
      {isApiError(error, 'waits_for_second_person') ? (
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.close}</Button>
        </Group>
      ) : (
        <DialogButtons
          label={confirmLabel}
          cancelLabel={cancelLabel}
          onCancel={onClose}
          isBusy={isBusy}
          isDisabled={!isReady}
          isDangerous={isDangerous}
        />
      )}
    </form>
  );
}

interface DialogButtonsProps {
  readonly label: string;
  readonly cancelLabel?: string | undefined;
  readonly onCancel: () => void;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
}

/** The buttons that end a dialog. */
export function DialogButtons(props: DialogButtonsProps): ReactElement {
  const { label, cancelLabel, onCancel, isBusy, isDisabled = false, isDangerous = false } = props;
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel} disabled={isBusy}>
        {cancelLabel ?? t.cancel}
      </Button>
      <Button type="submit" {...(isDangerous && { color: 'red' })} disabled={isDisabled} loading={isBusy}>
        {label}
      </Button>
    </Group>
  );
}
