import { Textarea } from '@mantine/core';
import type { ClipboardEvent, ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import classes from './key-input.module.css';
import { privateKeyReading } from './read-key-text.ts';
import type { KeyTextReader } from './use-key-reading.ts';

/** What `PastePanel` needs. */
export interface PastePanelProps {
  readonly reader: KeyTextReader;
  /** Whether the service has refused the key. */
  readonly isWrong: boolean;
  readonly isRequired: boolean;
  readonly describedBy: string;
}

/** The field for the text of a public key. A private key does not even get into it. */
export function PastePanel({ reader, isWrong, isRequired, describedBy }: PastePanelProps): ReactElement {
  const t = useMessages('keyInput');
  const keepOut = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const pasted = event.clipboardData.getData('text/plain');
    if (privateKeyReading(pasted) === undefined) return;
    event.preventDefault();
    reader.take(pasted);
  };
  const isRefused = reader.reading.kind === 'refused' || reader.reading.kind === 'private-key';
  return (
    <Textarea
      aria-label={t.fieldLabel}
      aria-describedby={describedBy}
      aria-required={isRequired}
      description={t.paste.hint}
      inputWrapperOrder={['input', 'error', 'description']}
      placeholder={t.paste.placeholder}
      value={reader.text}
      error={isWrong || isRefused}
      onPaste={keepOut}
      onChange={(event) => reader.take(event.currentTarget.value)}
      autosize
      minRows={5}
      maxRows={12}
      // Some browsers send what is in a field to a service that checks the spelling.
      spellCheck={false}
      autoComplete="off"
      autoCorrect="off"
      autoCapitalize="off"
      data-gramm="false"
      classNames={{ input: classes.textarea }}
    />
  );
}
