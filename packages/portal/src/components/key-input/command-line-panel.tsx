import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { Command } from './command.tsx';
import type { ModulusBits } from './generate-key-pair.ts';
import { keyCommands } from './key-commands.ts';
import classes from './key-input.module.css';
import { ModulusSize } from './modulus-size.tsx';

/** What `CommandLinePanel` needs. */
export interface CommandLinePanelProps {
  readonly onPaste: () => void;
  readonly onUpload: () => void;
}

/** The commands that make a key pair on the machine that will sign. */
export function CommandLinePanel({ onPaste, onUpload }: CommandLinePanelProps): ReactElement {
  const t = useMessages('keyInput').commandLine;
  const [modulusBits, setModulusBits] = useState<ModulusBits>(3072);
  const commands = keyCommands(modulusBits);
  return (
    <Stack gap="md">
      <Text size="sm">{t.intro}</Text>
      <ModulusSize value={modulusBits} onChange={setModulusBits} />
      <ol className={classes.steps}>
        {(['make', 'publicHalf', 'fingerprint'] as const).map((step) => (
          <li key={step}>
            <Text size="sm" fw={500}>
              {t[step]}
            </Text>
            <Command command={commands[step]} label={`${t.copy}: ${t[step]}`} />
          </li>
        ))}
      </ol>
      <Group gap="xs">
        <Text size="sm">{t.next}</Text>
        <Button variant="default" size="xs" onClick={onPaste}>
          {t.paste}
        </Button>
        <Button variant="default" size="xs" onClick={onUpload}>
          {t.upload}
        </Button>
      </Group>
    </Stack>
  );
}
