import { type ReactElement, useEffect, useRef, useState } from 'react';
import { layout as t } from '#messages/layout.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { provideLeavePrompt } from './unsaved-guard.ts';

/** The dialog behind `useUnsavedGuard`. Mount it once. */
export function LeaveDialog(): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const answer = useRef<(leaves: boolean) => void>(undefined);
  useEffect(
    () =>
      provideLeavePrompt(
        () =>
          new Promise((resolve) => {
            answer.current = resolve;
            setIsOpen(true);
          }),
      ),
    [],
  );
  const close = (leaves: boolean): void => {
    setIsOpen(false);
    answer.current?.(leaves);
    answer.current = undefined;
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      onClose={() => close(false)}
      title={t.leaveTitle}
      confirmLabel={t.leave}
      cancelLabel={t.stay}
      isDangerous
      onConfirm={() => close(true)}
    >
      {t.leaveText}
    </ConfirmDialog>
  );
}
