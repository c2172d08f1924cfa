import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { Notice } from '../notice.tsx';
import type { GeneratedKeyPair } from './generate-key-pair.ts';
import classes from './key-input.module.css';
import { AcceptedKeyCard } from './key-verdict.tsx';
import { PrivateKeyText } from './private-key-text.tsx';

/** What `GeneratedKey` needs. */
export interface GeneratedKeyProps {
  readonly pair: GeneratedKeyPair;
  readonly isSaved: boolean;
  readonly fileStem: string;
  readonly onSaved: (isSaved: boolean) => void;
  readonly onDiscard: () => void;
}

/** A key pair that was made here: its private half to be saved, and the confirmation that it is. */
export function GeneratedKey({
  pair,
  isSaved,
  fileStem,
  onSaved,
  onDiscard,
}: GeneratedKeyProps): ReactElement {
  const t = useMessages('keyInput').generated;
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
          <PrivateKeyText pair={pair} fileStem={fileStem} onTaken={() => setWasTaken(true)} />
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
