import type { Passkey } from '@countersign/contract';
import { Button, Modal, TextInput } from '@mantine/core';
import { Fingerprint, Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { ConfirmDialog, DialogButtons } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useReturnFocus } from '../../components/use-return-focus.ts';
import { profile as t } from '#messages/profile.ts';
import { canUsePasskeys, createPasskey } from '../../session/passkeys.ts';
import { useSession } from '../../session/session-context.ts';
import { deviceName } from './device-name.ts';
import { FactorRow } from './factor-row.tsx';
import classes from './profile.module.css';
import { useProfileRefresh } from './use-profile.ts';

/** Passkeys, or why there can be none. */
export function PasskeysSection({ passkeys }: { readonly passkeys: readonly Passkey[] }): ReactElement {
  const { arePasskeysPossible } = useSession().features;
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const refresh = useProfileRefresh();
  const isPossible = arePasskeysPossible && canUsePasskeys();
  const addButton = (
    <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => setIsAdding(true)}>
      {t.passkeyAdd}
    </Button>
  );
  return (
    <Section
      title={t.passkeysTitle}
      description={t.passkeysText}
      actions={isPossible && passkeys.length > 0 && addButton}
      isFlush
    >
      {!isPossible && (
        <div className={classes['notice']}>
          <Notice tone="neutral">{arePasskeysPossible ? t.passkeysUnsupported : t.passkeysImpossible}</Notice>
        </div>
      )}
      {isPossible && passkeys.length === 0 && (
        <EmptyState icon={Fingerprint} title={t.passkeysNone} action={addButton}>
          {t.passkeysText}
        </EmptyState>
      )}
      <div className={classes['rows']}>
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.passkeyId} passkey={passkey} onRemove={() => setRemoved(passkey)} />
        ))}
      </div>
      <PasskeyDialog opened={isAdding} onClose={() => setIsAdding(false)} />
      <ConfirmDialog
        opened={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={t.passkeyRemoveTitle(removed?.name ?? '')}
        confirmLabel={t.passkeyRemove}
        isDangerous
        onConfirm={async () => {
          await auth.removePasskey(removed?.passkeyId ?? '');
          await refresh();
          notify.success(t.passkeyRemoved);
        }}
      >
        {t.passkeyRemoveText}
      </ConfirmDialog>
    </Section>
  );
}

function PasskeyRow(props: { readonly passkey: Passkey; readonly onRemove: () => void }): ReactElement {
  const { name, createdAt, lastUsedAt } = props.passkey;
  return (
    <FactorRow
      icon={Fingerprint}
      name={name}
      text={
        <>
          {t.created} <RelativeTime at={createdAt} />
          {' · '}
          {t.lastUsed} {lastUsedAt === undefined ? t.never : <RelativeTime at={lastUsedAt} />}
        </>
      }
    >
      <Button variant="default" size="xs" aria-label={t.passkeyRemoveLabel(name)} onClick={props.onRemove}>
        {t.passkeyRemove}
      </Button>
    </FactorRow>
  );
}

interface PasskeyDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function PasskeyDialog({ opened, onClose }: PasskeyDialogProps): ReactElement {
  useReturnFocus(opened);
  return (
    <Modal opened={opened} onClose={onClose} title={t.passkeyNameTitle} size="sm">
      {opened && <PasskeyForm onClose={onClose} />}
    </Modal>
  );
}

function PasskeyForm({ onClose }: { readonly onClose: () => void }): ReactElement {
  const refresh = useProfileRefresh();
  const form = useForm({
    initialValues: { name: deviceName(navigator.userAgent, t) },
    validate: ({ name }) => ({ name: name.trim() === '' ? t.passkeyNameRequired : undefined }),
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
      <ErrorNotice error={form.failure} />
      <TextInput
        {...form.field('name')}
        label={t.passkeyName}
        description={t.passkeyNameHint}
        maxLength={60}
        data-autofocus
      />
      <DialogButtons label={t.passkeyContinue} onCancel={onClose} isBusy={form.isBusy} />
    </form>
  );
}
