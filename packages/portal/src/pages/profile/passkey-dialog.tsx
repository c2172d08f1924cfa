import { Button, Group, Modal, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { auth } from '../../api/auth.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { useFormFields } from '../../components/use-form-fields.ts';
import { useReturnFocus } from '../../components/use-return-focus.ts';
import { useMessages } from '../../messages/messages.ts';
import { createPasskey } from '../../session/passkeys.ts';
import { deviceName } from './device-name.ts';
import classes from './profile.module.css';
import { useProfileRefresh } from './use-profile.ts';

interface PasskeyDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Names a passkey, and has the device make it. */
export function PasskeyDialog({ opened, onClose }: PasskeyDialogProps): ReactElement {
  const t = useMessages('profile');
  useReturnFocus(opened);
  return (
    <Modal opened={opened} onClose={onClose} title={t.passkeyNameTitle} size="sm">
      {opened && <PasskeyForm onClose={onClose} />}
    </Modal>
  );
}

function PasskeyForm({ onClose }: { readonly onClose: () => void }): ReactElement {
  const t = useMessages('profile');
  const words = useMessages('components');
  const refresh = useProfileRefresh();
  const form = useFormFields({
    initial: { name: deviceName(navigator.userAgent, t) },
    check: ({ name }) => ({ name: name.trim() === '' ? t.passkeyNameRequired : undefined }),
  });
  const submit = form.submit(async ({ name }) => {
    const response = await createPasskey(await auth.passkeyCreationOptions());
    await auth.addPasskey({ name: name.trim(), response });
    await refresh();
    notify.success(t.passkeyAdded);
    onClose();
  });
  return (
    <form noValidate onSubmit={submit} className={classes['stack']}>
      {form.failure && <ErrorNotice error={form.failure} />}
      <TextInput
        {...form.field('name')}
        label={t.passkeyName}
        description={t.passkeyNameHint}
        maxLength={60}
        data-autofocus
      />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} disabled={form.isBusy}>
          {words.cancel}
        </Button>
        <Button type="submit" loading={form.isBusy}>
          {t.passkeyContinue}
        </Button>
      </Group>
    </form>
  );
}
