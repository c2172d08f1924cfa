import type { Key } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { KeyStatusBadge } from '../../clients/status-badges.tsx';
import { useClientChange } from '../../clients/use-client-change.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Section } from '../../components/section.tsx';
import { Countdown } from '../../keys/countdown.tsx';
import { client } from '#messages/client.ts';
import { rotate } from '#messages/rotate.ts';
import { useSession } from '../../session/session-context.ts';
import { ClientExamples } from '../../snippets/client-examples.tsx';
import { FirstUse } from './first-use.tsx';
import classes from './rotate.module.css';

interface DeployProps {
  readonly view: ClientView;
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}

/** The third step: deploy the private key and wait for its first request. */
export function Deploy({ view, newKey, oldKey }: DeployProps): ReactElement {
  const t = rotate.deploy;
  const [isDiscarding, setIsDiscarding] = useState(false);
  return (
    <div className={classes['stack']}>
      <FirstUse clientId={view.client.clientId} newKey={newKey} oldKey={oldKey} />
      <Section
        title={t.title}
        description={oldKey === undefined ? t.textOnly : t.text}
        actions={
          <Button variant="default" size="xs" onClick={() => setIsDiscarding(true)}>
            {t.discard}
          </Button>
        }
      >
        <div className={classes['stack']}>
          <WhatToDo clientId={view.client.clientId} />
          <TryIt view={view} newKey={newKey} />
          <KeyPair newKey={newKey} oldKey={oldKey} />
          <p className={classes['quiet']}>{t.leave}</p>
        </div>
      </Section>
      {isDiscarding && (
        <DiscardDialog
          view={view}
          newKey={newKey}
          isOnly={oldKey === undefined}
          onClose={() => setIsDiscarding(false)}
        />
      )}
    </div>
  );
}

function WhatToDo({ clientId }: { readonly clientId: string }): ReactElement {
  const { steps: t, clientId: label } = rotate.deploy;
  return (
    <ol className={classes['todo']}>
      <li>
        <strong>{t.copy}</strong>
        <span>{t.copyText}</span>
        <span>
          {label} <CopyableText value={clientId} label={label} />
        </span>
      </li>
      <li>
        <strong>{t.reload}</strong>
        <span>{t.reloadText}</span>
      </li>
      <li>
        <strong>{t.send}</strong>
        <span>{t.sendText}</span>
      </li>
    </ol>
  );
}

function TryIt({ view, newKey }: Pick<DeployProps, 'view' | 'newKey'>): ReactElement {
  const t = rotate.deploy;
  const { features } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes['details']} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t.snippet}</summary>
      {isOpen && <ClientExamples baseUrl={features.baseUrl} client={view.client} usedKey={newKey} />}
    </details>
  );
}

interface DiscardDialogProps {
  readonly view: ClientView;
  readonly newKey: Key;
  readonly isOnly: boolean;
  readonly onClose: () => void;
}

/** Asks before an unused new key is discarded. */
function DiscardDialog({ view, newKey, isOnly, onClose }: DiscardDialogProps): ReactElement {
  const t = rotate.deploy;
  const change = useClientChange();
  const path = { clientId: newKey.clientId, keyId: newKey.keyId };
  // The service rejects this if the key has been used meanwhile.
  const revoke = (): Promise<unknown> =>
    api.call('revokeKey', { path, ifMatch: view.entityTag, body: { reason: 'unspecified' } });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t.discardTitle}
      confirmLabel={t.discardConfirm}
      isDangerous
      onConfirm={() => change(revoke, t.discarded)}
    >
      <p>{isOnly ? t.discardTextOnly : t.discardText}</p>
    </ConfirmDialog>
  );
}

interface KeyPairProps {
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}

/** Both keys of a rotation. */
function KeyPair({ newKey, oldKey }: KeyPairProps): ReactElement {
  const { deploy: t, overlap } = rotate;
  const after = newKey.overlapSeconds ?? 0;
  return (
    <div className={classes['pair']}>
      {oldKey && (
        <KeyBox name={t.oldKey} keyShown={oldKey}>
          {oldKey.endsAt !== undefined ? (
            <>
              {t.endsAt} <Countdown to={oldKey.endsAt} />
            </>
          ) : after === 0 ? (
            t.overlapNone
          ) : (
            t.overlapAfter(overlap.span(after))
          )}
        </KeyBox>
      )}
      <KeyBox name={t.newKey} keyShown={newKey} />
    </div>
  );
}

interface KeyBoxProps {
  readonly name: string;
  readonly keyShown: Key;
  readonly children?: React.ReactNode;
}

function KeyBox({ name, keyShown: key, children }: KeyBoxProps): ReactElement {
  const { fingerprint } = client.keys;
  return (
    <div className={classes['box']}>
      <div className={classes['boxHead']}>
        <strong>{name}</strong>
        <KeyStatusBadge status={key.status} />
      </div>
      <CopyableText value={key.fingerprint} label={fingerprint} isShort />
      {children !== undefined && <p className={classes['quiet']}>{children}</p>}
    </div>
  );
}
