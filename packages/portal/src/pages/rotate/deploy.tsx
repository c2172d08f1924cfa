import type { Key } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Section } from '../../components/section.tsx';
import { Snippets } from '../../snippets/snippets.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';
import type { ClientView } from '../client/client-view.ts';
import { DiscardDialog } from './discard-dialog.tsx';
import { FirstUse } from './first-use.tsx';
import { KeyPair } from './key-pair.tsx';
import classes from './rotate.module.css';

interface DeployProps {
  readonly view: ClientView;
  readonly newKey: Key;
  readonly oldKey: Key | undefined;
}

/** The third step: the new private key goes to where it is used, and its first request is waited for. */
export function Deploy({ view, newKey, oldKey }: DeployProps): ReactElement {
  const t = useMessages('rotate').deploy;
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
          <TryIt clientId={view.client.clientId} />
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
  const { steps: t, clientId: label } = useMessages('rotate').deploy;
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

function TryIt({ clientId }: { readonly clientId: string }): ReactElement {
  const t = useMessages('rotate').deploy;
  const { features } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes['details']} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{t.snippet}</summary>
      {isOpen && <Snippets baseUrl={features.baseUrl} clientId={clientId} />}
    </details>
  );
}
