import type { ApiError, TotpSecret } from '@countersign/contract';
import { Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useEffect, useMemo } from 'react';
import { encode } from 'uqr';
import { isApiError } from '../../api/api-error.ts';
import { auth } from '../../api/auth.ts';
import { DialogButtons } from '../../components/confirm-dialog.tsx';
import { CopyButton } from '../../components/copyable-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useReturnFocus } from '../../components/use-return-focus.ts';
import { profile as t } from '#messages/profile.ts';
import classes from './profile.module.css';

interface TotpDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
}

/** Sets up an authenticator app. A first code proves that the secret arrived. */
export function TotpDialog({ opened, onClose, onConfirmed }: TotpDialogProps): ReactElement {
  useReturnFocus(opened);
  return (
    <Modal opened={opened} onClose={onClose} title={t.totpDialogTitle} size="md">
      {opened && <TotpSetUp onClose={onClose} onConfirmed={onConfirmed} />}
    </Modal>
  );
}

function TotpSetUp({ onClose, onConfirmed }: Omit<TotpDialogProps, 'opened'>): ReactElement {
  const secret = useQuery<TotpSecret, ApiError>({
    queryKey: ['totp-secret'],
    queryFn: () => auth.startTotp(),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <QueryState query={secret}>
      {(data) => <TotpForm secret={data} onClose={onClose} onConfirmed={onConfirmed} />}
    </QueryState>
  );
}

function TotpForm(props: Omit<TotpDialogProps, 'opened'> & { readonly secret: TotpSecret }): ReactElement {
  const { secret, onClose, onConfirmed } = props;
  const form = useForm({
    initialValues: { code: '' },
    validate: ({ code }) => ({ code: /^\s*(?:\d\s*){6}$/.test(code) ? undefined : t.totpCodeHint }),
    place: (error) => (isApiError(error, 'second_factor_invalid') ? { code: t.totpCodeWrong } : undefined),
  });
  const { id: codeId } = form.field('code');
  // The dialog may have given the focus away before the secret was there.
  useEffect(() => document.getElementById(codeId)?.focus(), [codeId]);
  const submit = form.submit(async ({ code }) => {
    onConfirmed((await auth.confirmTotp(code.replaceAll(/\s/g, ''))).recoveryCodes);
  });
  return (
    <form noValidate onSubmit={submit} className={classes['stack']}>
      <p>{t.totpScan}</p>
      <QrCode text={secret.otpauthUrl} label={t.totpQr} />
      <div className={classes['secret']}>
        <span>{t.totpManual}</span>
        <span className={classes['secretText']}>
          <code>{inGroups(secret.secret)}</code>
          <CopyButton value={secret.secret} label={t.totpSecret} />
        </span>
      </div>
      <ErrorNotice error={form.failure} />
      <TextInput
        {...form.field('code')}
        label={t.totpCode}
        description={t.totpCodeHint}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={9}
        data-autofocus
      />
      <DialogButtons label={t.totpConfirm} onCancel={onClose} isBusy={form.isBusy} />
    </form>
  );
}

/** Groups of four are easier to type. */
function inGroups(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** Draws a QR code in the page. Dark on white in both color schemes, for cameras. */
function QrCode({ text, label }: QrCodeProps): ReactElement {
  const { size, path } = useMemo(() => {
    const code = encode(text, { ecc: 'M', border: 0 });
    const squares = code.data.flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
    );
    return { size: code.size, path: squares.join('') };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className={classes['qr']}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#111318" />
    </svg>
  );
}
