import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { keyInput } from '#messages/key-input.ts';
import { announce } from '../announce.ts';
import { Notice } from '../notice.tsx';
import { canGenerateKeys } from './can-generate-keys.ts';
import { type GeneratedKeyPair, generateKeyPair } from './generate-key-pair.ts';
import classes from './key-input.module.css';
import { AcceptedKeyCard } from './key-verdict.tsx';
import { KeyChoiceInput } from './key-choice.tsx';
import { PrivateKeyText } from './private-key-text.tsx';
import { useKeyChoice } from './use-key-choice.ts';

/** The parent keeps the key pair, so switching tabs does not lose it. */
export interface GeneratePanelProps {
  /** The algorithms of the client's profile; undefined until they are known. */
  readonly allowed: readonly string[] | undefined;
  readonly pair: GeneratedKeyPair | undefined;
  readonly isSaved: boolean;
  readonly clientName: string;
  readonly onGenerated: (pair: GeneratedKeyPair) => void;
  readonly onSaved: (isSaved: boolean) => void;
  readonly onDiscard: () => void;
}

/** Generates a key pair in the browser. */
export function GeneratePanel({ allowed, pair, onGenerated, ...rest }: GeneratePanelProps): ReactElement {
  const t = keyInput.generate;
  const { choices, choice, setChoice } = useKeyChoice(allowed);
  const [work, setWork] = useState<'none' | 'running' | 'failed'>('none');
  if (pair !== undefined) return <GeneratedKey pair={pair} {...rest} />;
  if (!canGenerateKeys()) return <Notice tone="warning">{t.unavailable}</Notice>;

  const generate = async (): Promise<void> => {
    setWork('running');
    announce(t.working);
    try {
      onGenerated(await generateKeyPair(choice));
      setWork('none');
      announce(t.done);
    } catch {
      setWork('failed');
    }
  };
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">{t.intro}</Text>
      <KeyChoiceInput choices={choices} value={choice} onChange={setChoice} isDisabled={work === 'running'} />
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
          {t.failed(choice)}
        </Notice>
      )}
    </Stack>
  );
}

interface GeneratedKeyProps {
  readonly pair: GeneratedKeyPair;
  readonly isSaved: boolean;
  readonly clientName: string;
  readonly onSaved: (isSaved: boolean) => void;
  readonly onDiscard: () => void;
}

/** Shows a generated key pair until the person confirms that the private key is saved. */
function GeneratedKey({ pair, isSaved, clientName, onSaved, onDiscard }: GeneratedKeyProps): ReactElement {
  const t = keyInput.generated;
  const [wasTaken, setWasTaken] = useState(isSaved);
  const title = useRef<HTMLSpanElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <Stack gap="sm">
      <Notice
        tone={isSaved ? 'success' : 'warning'}
        title={
          <span ref={title} tabIndex={-1} className={classes.focusable}>
            {isSaved ? t.saved : t.title}
          </span>
        }
      >
        <div className={classes.facts}>
          <span>{t.explanation}</span>
          <PrivateKeyText pair={pair} clientName={clientName} onTaken={() => setWasTaken(true)} />
          <Checkbox
            mt={6}
            label={t.confirm}
            description={wasTaken ? undefined : t.confirmFirst}
            checked={isSaved}
            disabled={!wasTaken}
            onChange={(event) => onSaved(event.currentTarget.checked)}
          />
        </div>
      </Notice>
      <AcceptedKeyCard accepted={pair.key} />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {isSaved ? '' : t.gate}
        </Text>
        <Button variant="subtle" color="gray" size="xs" onClick={onDiscard}>
          {t.discard}
        </Button>
      </Group>
    </Stack>
  );
}
