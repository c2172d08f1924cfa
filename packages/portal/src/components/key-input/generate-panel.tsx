import { Button, Stack, Text } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { announce } from '../announce.ts';
import { Notice } from '../notice.tsx';
import {
  canGenerateKeys,
  generateKeyPair,
  type GeneratedKeyPair,
  type ModulusBits,
} from './generate-key-pair.ts';
import { GeneratedKey } from './generated-key.tsx';
import { ModulusSize } from './modulus-size.tsx';

/** What `GeneratePanel` needs. The key pair is kept by the box around it, so that other tabs do not lose it. */
export interface GeneratePanelProps {
  readonly pair: GeneratedKeyPair | undefined;
  readonly isSaved: boolean;
  readonly fileStem: string;
  readonly onGenerated: (pair: GeneratedKeyPair) => void;
  readonly onSaved: (isSaved: boolean) => void;
  readonly onDiscard: () => void;
}

/** Makes a key pair in the browser. */
export function GeneratePanel({ pair, onGenerated, ...rest }: GeneratePanelProps): ReactElement {
  const t = useMessages('keyInput').generate;
  const [modulusBits, setModulusBits] = useState<ModulusBits>(3072);
  const [work, setWork] = useState<'none' | 'running' | 'failed'>('none');
  if (pair !== undefined) return <GeneratedKey pair={pair} {...rest} />;
  if (!canGenerateKeys()) return <Notice tone="warning">{t.unavailable}</Notice>;

  const generate = async (): Promise<void> => {
    setWork('running');
    announce(t.working);
    try {
      onGenerated(await generateKeyPair(modulusBits));
      setWork('none');
      announce(t.done);
    } catch {
      setWork('failed');
    }
  };
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">{t.intro}</Text>
      <ModulusSize value={modulusBits} onChange={setModulusBits} isDisabled={work === 'running'} />
      <Button
        variant="light"
        leftSection={<KeyRound size={16} aria-hidden />}
        loading={work === 'running'}
        onClick={() => void generate()}
      >
        {t.action}
      </Button>
      {work === 'failed' && (
        <Notice tone="danger" role="alert">
          {t.failed}
        </Notice>
      )}
    </Stack>
  );
}
