import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { Notice } from '../notice.tsx';
import { Command } from './command.tsx';
import { publicHalfCommands } from './key-commands.ts';
import type { KeyReading } from './key-input-state.ts';
import classes from './key-input.module.css';

/** What `PrivateKeyRefused` shows. */
export interface PrivateKeyRefusedProps {
  readonly reading: Extract<KeyReading, { kind: 'private-key' }>;
  readonly onGenerate: () => void;
}

/** Tells that what was given is a private key, which one, that it is gone, and how to get at its public half. */
export function PrivateKeyRefused({ reading, onGenerate }: PrivateKeyRefusedProps): ReactElement {
  const t = useMessages('keyInput').privateKey;
  const command = publicHalfCommands[reading.form];
  return (
    <Notice
      tone="danger"
      role="alert"
      title={t.title(reading.form, reading.modulusBits)}
      action={
        <Button variant="default" size="xs" onClick={onGenerate}>
          {t.generate}
        </Button>
      }
    >
      <div className={classes.facts}>
        <span>{t.notSent}</span>
        <span>{command === undefined ? t.otherKind : t.publicHalf}</span>
        {command !== undefined && <Command command={command} label={t.command} />}
        <span>{t.leaked}</span>
      </div>
    </Notice>
  );
}
