import { Modal } from '@mantine/core';
import type { StepUpMethod } from '@countersign/contract';
import { type ReactElement, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { provideStepUp } from '../api/session-events.ts';
import { layout as t } from '#messages/layout.ts';
import { loadLaterParts } from './use-later-parts.ts';
import type { StepUpForm } from './step-up-form.tsx';

interface WantedProof {
  readonly methods: readonly StepUpMethod[];
  readonly Form: typeof StepUpForm;
}

/** Opens whenever the service wants a fresh proof of identity. The app renders one. */
export function StepUpDialog(): ReactElement {
  const [wanted, setWanted] = useState<WantedProof>();
  const answer = useRef<(isProved: boolean) => void>(undefined);
  useEffect(
    () =>
      provideStepUp(async (methods) => {
        const { StepUpForm: Form } = await loadLaterParts();
        return new Promise((resolve) => {
          answer.current = resolve;
          setWanted({ methods, Form });
        });
      }),
    [],
  );
  const close = useCallback((isProved: boolean): void => {
    setWanted(undefined);
    answer.current?.(isProved);
    answer.current = undefined;
  }, []);
  useEscapeOfTopDialog(answer, close);
  return (
    <Modal
      opened={wanted !== undefined}
      onClose={() => close(false)}
      title={t.confirmIdentity}
      size="sm"
      // Above the dialog whose action it confirms.
      zIndex={400}
      closeOnEscape={false}
    >
      {wanted && (
        <wanted.Form methods={wanted.methods} onProved={() => close(true)} onCancel={() => close(false)} />
      )}
    </Modal>
  );
}

/**
 * Handles Escape while this dialog is open. All open dialogs listen on the window, and the one below must stay open with its
 * input. The first listener wins, so the app renders this dialog first.
 */
function useEscapeOfTopDialog(
  answer: RefObject<((isProved: boolean) => void) | undefined>,
  close: (isProved: boolean) => void,
): void {
  useEffect(() => {
    const take = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || answer.current === undefined) return;
      event.stopImmediatePropagation();
      close(false);
    };
    window.addEventListener('keydown', take, { capture: true });
    return () => window.removeEventListener('keydown', take, { capture: true });
  }, [answer, close]);
}
