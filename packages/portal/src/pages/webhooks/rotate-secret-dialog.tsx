import { Button, Group, Modal, Radio, Stack } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { isApiError } from '../../api/api-error.ts';
import { DialogButtons } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useAction } from '../../components/use-action.ts';
import { useReturnFocus } from '../../components/use-return-focus.ts';
import { webhooks } from '#messages/webhooks.ts';
import { ShownSecret } from './shown-secret.tsx';

const t = webhooks.rotating;

interface RotateSecretDialogProps {
  readonly webhookId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Gives a webhook a new secret, and shows it, once. It closes only when the secret is said to be stored. */
export function RotateSecretDialog({ webhookId, isOpen, onClose }: RotateSecretDialogProps): ReactElement {
  const [secret, setSecret] = useState<string>();
  useReturnFocus(isOpen);
  const close = (): void => {
    setSecret(undefined);
    onClose();
  };
  const isShown = secret !== undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={isShown ? t.shownTitle : t.title}
      size="lg"
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
    >
      {isShown ? (
        <NewSecret secret={secret} onDone={close} />
      ) : (
        isOpen && <OverlapForm webhookId={webhookId} onRotated={setSecret} onCancel={close} />
      )}
    </Modal>
  );
}

/** For how many seconds the old secret also signs. */
const overlaps = { day: 86_400, week: 604_800, none: 0 } as const;

interface OverlapFormProps {
  readonly webhookId: string;
  readonly onRotated: (secret: string | undefined) => void;
  readonly onCancel: () => void;
}

function OverlapForm({ webhookId, onRotated, onCancel }: OverlapFormProps): ReactElement {
  const [overlap, setOverlap] = useState<keyof typeof overlaps>('day');
  const rotate = useApiMutation('rotateWebhookSecret');
  const { isBusy, error, run } = useAction(async () => {
    const body = { overlapSeconds: overlaps[overlap] };
    const { secret } = await rotate.mutateAsync({ path: { webhookId }, body });
    onRotated(secret);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void run();
      }}
    >
      <Stack gap="lg">
        <p>{t.text}</p>
        <Radio.Group label={t.overlap} value={overlap} onChange={setOverlap}>
          <Stack gap="sm" mt="xs">
            <Radio value="day" label={t.day} description={t.dayHint} />
            <Radio value="week" label={t.week} />
            <Radio value="none" label={t.none} description={t.noneHint} />
          </Stack>
        </Radio.Group>
        <ErrorNotice error={isApiError(error, 'cancelled') ? undefined : error} />
        <DialogButtons label={t.confirm} onCancel={onCancel} isBusy={isBusy} />
      </Stack>
    </form>
  );
}

function NewSecret({
  secret,
  onDone,
}: {
  readonly secret: string;
  readonly onDone: () => void;
}): ReactElement {
  const [isStored, setIsStored] = useState(false);
  return (
    <Stack gap="md">
      <ShownSecret secret={secret} isStored={isStored} onStored={setIsStored} />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={onDone}>
          {t.done}
        </Button>
      </Group>
    </Stack>
  );
}
