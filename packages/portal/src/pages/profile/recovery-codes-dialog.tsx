import { Button, Checkbox, Group, Modal } from '@mantine/core';
import { Copy, Download } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import { useCopy } from '../../components/copyable-text.tsx';
import { notify } from '../../components/notify.ts';
import { saveText } from '../../components/save-text.ts';
import { useUnsavedGuard } from '../../components/unsaved-guard.ts';
import { profile as t } from '#messages/profile.ts';
import { useSession } from '../../session/session-context.ts';
import classes from './profile.module.css';

interface RecoveryCodesDialogProps {
  /** Undefined: the dialog is closed. */
  readonly codes: readonly string[] | undefined;
  readonly email: string;
  readonly onClose: () => void;
}

/** Shows recovery codes once. It closes only after the person confirms that they are saved. */
export function RecoveryCodesDialog({ codes, email, onClose }: RecoveryCodesDialogProps): ReactElement {
  const [isSaved, setIsSaved] = useState(false);
  useUnsavedGuard(codes !== undefined && !isSaved);
  useEffect(() => setIsSaved(false), [codes]);
  const close = (): void => {
    if (isSaved) onClose();
    else notify.error(t.recoveryGate);
  };
  return (
    <Modal
      opened={codes !== undefined}
      onClose={close}
      title={t.recoveryDialogTitle}
      size="md"
      closeOnClickOutside={false}
    >
      {codes && (
        <div className={classes['stack']}>
          <p>{t.recoveryDialogText}</p>
          <ul className={classes['codes']}>
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
          <SaveButtons codes={codes} email={email} />
          <Checkbox
            label={t.recoverySaved}
            checked={isSaved}
            onChange={(event) => setIsSaved(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button onClick={close} disabled={!isSaved}>
              {t.recoveryDone}
            </Button>
          </Group>
        </div>
      )}
    </Modal>
  );
}

function SaveButtons(props: { readonly codes: readonly string[]; readonly email: string }): ReactElement {
  const { serviceName } = useSession().features;
  const title = t.recoveryFile(serviceName, props.email);
  const text = `${title}\n${t.recoveryFileNote}\n\n${props.codes.join('\n')}\n`;
  const { copy } = useCopy(props.codes.join('\n'), t.recoveryLabel);
  return (
    <Group gap="sm">
      <Button variant="default" size="xs" leftSection={<Copy size={14} aria-hidden />} onClick={copy}>
        {t.recoveryCopy}
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<Download size={14} aria-hidden />}
        onClick={() => saveText(text, 'countersign-recovery-codes.txt', 'text/plain')}
      >
        {t.recoveryDownload}
      </Button>
    </Group>
  );
}
