import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { Copy, Download, Eye, EyeOff } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { keyInput } from '#messages/key-input.ts';
import { announce } from '../announce.ts';
import { noteSavedKeyFile, privateKeyFile } from '../private-key-file.ts';
import { saveText } from '../save-text.ts';
import type { GeneratedKeyPair } from './generate-key-pair.ts';
import classes from './key-input.module.css';

export interface PrivateKeyTextProps {
  readonly pair: GeneratedKeyPair;
  readonly clientName: string;
  /** Called after a download or copy. */
  readonly onTaken: () => void;
}

/** The private key in two formats, to download, copy or view. */
export function PrivateKeyText({ pair, clientName, onTaken }: PrivateKeyTextProps): ReactElement {
  const t = keyInput.generated;
  const [form, setForm] = useState<'pem' | 'line'>('pem');
  const [isShown, setIsShown] = useState(false);
  const text = form === 'pem' ? pair.privateKeyPem : pair.privateKeyLine;
  const pemFile = privateKeyFile(clientName, pair.key.fingerprint);
  const fileName = form === 'pem' ? pemFile : pemFile.replace(/\.pem$/, '.txt');
  return (
    <Stack gap={8}>
      <div>
        <SegmentedControl
          size="xs"
          aria-label={t.form}
          value={form}
          onChange={(chosen) => setForm(chosen === 'line' ? 'line' : 'pem')}
          data={[
            { value: 'pem', label: t.forms.pem },
            { value: 'line', label: t.forms.line },
          ]}
        />
      </div>
      <Text size="xs">{t.formHints[form]}</Text>
      <SecretText text={text} isShown={isShown} />
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<Download size={15} aria-hidden />}
          onClick={() => {
            saveText(text, fileName);
            if (form === 'pem') noteSavedKeyFile(pair.key.fingerprint, fileName);
            onTaken();
          }}
        >
          {t.download}
        </Button>
        <CopySecret text={text} onTaken={onTaken} />
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={isShown ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? t.hide : t.show}
        </Button>
      </Group>
    </Stack>
  );
}

interface SecretTextProps {
  readonly text: string;
  readonly isShown: boolean;
}

function SecretText({ text, isShown }: SecretTextProps): ReactElement | null {
  const t = keyInput.generated;
  if (!isShown) return null;
  return (
    // It may overflow, so the keyboard must be able to scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={classes.secret} role="region" aria-label={t.shownLabel} tabIndex={0}>
      {text}
    </pre>
  );
}

interface CopySecretProps {
  readonly text: string;
  readonly onTaken: () => void;
}

function CopySecret({ text, onTaken }: CopySecretProps): ReactElement {
  const t = keyInput.generated;
  const [note, setNote] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      onTaken();
      setNote(t.copied);
      announce(t.copied);
    } catch {
      setNote(t.copyFailed);
      announce(t.copyFailed);
    }
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<Copy size={15} aria-hidden />}
        onClick={() => void copy()}
      >
        {t.copy}
      </Button>
      {note !== '' && (
        <Text size="xs" w="100%" style={{ order: 9 }}>
          {note}
        </Text>
      )}
    </>
  );
}
