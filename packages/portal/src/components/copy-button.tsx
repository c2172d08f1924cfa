import { ActionIcon, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import type { ReactElement } from 'react';
import { useMessages } from '../messages/messages.ts';
import { useCopy } from './use-copy.ts';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, as it is said: `clientId`, `curl command`. */
  readonly label: string;
}

/** Copies a text; the icon and a spoken sentence confirm it. */
export function CopyButton({ value, label }: CopyButtonProps): ReactElement {
  const t = useMessages('components');
  const { isCopied, copy } = useCopy(value, label);
  return (
    <Tooltip label={isCopied ? t.copied(label) : t.copy(label)}>
      <ActionIcon
        variant="subtle"
        color={isCopied ? 'green' : 'gray'}
        size="sm"
        aria-label={t.copy(label)}
        onClick={copy}
      >
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
