import type { Profile } from '@countersign/contract';
import { Button } from '@mantine/core';
import { LifeBuoy, Smartphone } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { auth } from '../../api/auth.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { profile as t } from '#messages/profile.ts';
import { FactorRow } from './factor-row.tsx';
import classes from './profile.module.css';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { TotpDialog } from './totp-dialog.tsx';
import { useProfileRefresh } from './use-profile.ts';

type OpenDialog = 'totp' | 'remove' | 'codes' | undefined;

/** The authenticator app and recovery codes. */
export function SecondFactorSection({ profile }: { readonly profile: Profile }): ReactElement {
  const [dialog, setDialog] = useState<OpenDialog>();
  const [codes, setCodes] = useState<readonly string[]>();
  const refresh = useProfileRefresh();
  const { hasTotp, recoveryCodesLeft } = profile;
  const close = (): void => setDialog(undefined);
  return (
    <Section title={t.secondTitle} description={t.secondText} isFlush>
      <div className={classes['rows']}>
        <TotpRow hasTotp={hasTotp} onOpen={setDialog} />
        {hasTotp && <CodesRow left={recoveryCodesLeft} onNew={() => setDialog('codes')} />}
      </div>
      <TotpDialog
        opened={dialog === 'totp'}
        onClose={close}
        onConfirmed={(recoveryCodes) => {
          close();
          setCodes(recoveryCodes);
          void refresh();
        }}
      />
      <ConfirmDialog
        opened={dialog === 'remove'}
        onClose={close}
        title={t.totpRemoveTitle}
        confirmLabel={t.totpRemove}
        isDangerous
        onConfirm={async () => {
          await auth.removeTotp();
          await refresh();
          notify.success(t.totpRemoved);
        }}
      >
        {t.totpRemoveText}
      </ConfirmDialog>
      <ConfirmDialog
        opened={dialog === 'codes'}
        onClose={close}
        title={t.recoveryNewTitle}
        confirmLabel={t.recoveryNew}
        onConfirm={async () => {
          setCodes((await auth.newRecoveryCodes()).recoveryCodes);
          await refresh();
        }}
      >
        {t.recoveryNewText}
      </ConfirmDialog>
      <RecoveryCodesDialog codes={codes} email={profile.email} onClose={() => setCodes(undefined)} />
    </Section>
  );
}

function TotpRow(props: {
  readonly hasTotp: boolean;
  readonly onOpen: (dialog: OpenDialog) => void;
}): ReactElement {
  const { hasTotp, onOpen } = props;
  return (
    <FactorRow
      icon={Smartphone}
      name={t.totpName}
      badge={<StatusBadge tone={hasTotp ? 'success' : 'neutral'}>{hasTotp ? t.on : t.off}</StatusBadge>}
      text={hasTotp ? t.totpOnText : t.totpOffText}
    >
      {hasTotp ? (
        <Button variant="default" size="xs" aria-label={t.totpRemoveLabel} onClick={() => onOpen('remove')}>
          {t.totpRemove}
        </Button>
      ) : (
        <Button size="xs" aria-label={t.totpAddLabel} onClick={() => onOpen('totp')}>
          {t.totpAdd}
        </Button>
      )}
    </FactorRow>
  );
}

/** Suggest new codes at this number. */
const fewCodes = 3;

function CodesRow({ left, onNew }: { readonly left: number; readonly onNew: () => void }): ReactElement {
  const isLow = left <= fewCodes;
  return (
    <FactorRow
      icon={LifeBuoy}
      name={t.recoveryName}
      text={isLow ? t.recoveryLow(left) : t.recoveryLeft(left)}
      isWarning={isLow}
    >
      <Button variant="default" size="xs" onClick={onNew}>
        {t.recoveryNew}
      </Button>
    </FactorRow>
  );
}
