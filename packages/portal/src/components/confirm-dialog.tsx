import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { useMessages } from '../messages/messages.ts';
import { ErrorNotice } from './error-notice.tsx';
import { isApiError } from '../api/api-error.ts';
import classes from './confirm-dialog.module.css';
import { useReturnFocus } from './use-return-focus.ts';

interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly isDangerous?: boolean;
  /** Looks at what was filled in; after false nothing is done, and the dialog stays. */
  readonly onCheck?: () => boolean;
  /** Does it. The dialog shows that it is being done, closes after success, and shows a failure. */
  readonly onConfirm: () => unknown;
  /** A text that has to be typed first, for what cannot be undone. */
  readonly typedConfirmation?: string;
}

/** Asks once more before something is done that matters. */
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
  const t = useMessages('components');
  const [typed, setTyped] = useState('');
  const { isBusy, error, run } = useRun(props.onConfirm, onClose);
  const isReady = typedConfirmation === undefined || typed.trim() === typedConfirmation;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // React hands events on from a dialog to the form that it was opened from.
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
      {error !== undefined && <ErrorNotice error={error} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} disabled={isBusy}>
          {cancelLabel ?? t.cancel}
        </Button>
        <Button type="submit" {...(isDangerous && { color: 'red' })} disabled={!isReady} loading={isBusy}>
          {confirmLabel}
        </Button>
      </Group>
    </form>
  );
}

function useRun(
  action: () => unknown,
  onDone: () => void,
): { readonly isBusy: boolean; readonly error: unknown; readonly run: () => Promise<void> } {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await action();
      onDone();
    } catch (failure) {
      if (!isApiError(failure, 'cancelled')) setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, run };
}
