import { ActionIcon } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { components as t } from '#messages/components.ts';
import { announce } from './announce.ts';
import classes from './copyable-text.module.css';
import { notify } from './notify.ts';
import { Tip } from './tip.tsx';

interface CopyableTextProps {
  readonly value: string;
  /** A description of the value, for screen readers: `clientId`. */
  readonly label: string;
  /** Truncates a long value to one line. The button copies all of it. */
  readonly isShort?: boolean;
}

export function CopyableText({ value, label, isShort = false }: CopyableTextProps): ReactElement {
  return (
    <span className={classes['whole']}>
      <code className={isShort ? classes['short'] : classes['text']} title={isShort ? value : undefined}>
        {value}
      </code>
      <CopyButton value={value} label={label} />
    </span>
  );
}

interface CopyButtonProps {
  readonly value: string;
  /** A description of the value, for screen readers: `clientId`, `curl command`. */
  readonly label: string;
}

export function CopyButton({ value, label }: CopyButtonProps): ReactElement {
  const { isCopied, copy } = useCopy(value, label);
  return (
    <Tip label={isCopied ? t.copied(label) : t.copy(label)}>
      <ActionIcon
        variant="subtle"
        color={isCopied ? 'green' : 'gray'}
        size={24}
        aria-label={t.copy(label)}
        onClick={copy}
      >
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Tip>
  );
}

const confirmedMs = 2000;

/** Copies a text and announces it. `isCopied` stays true for two seconds. */
export function useCopy(
  value: string,
  label: string,
): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setIsCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      notify.error(t.copyFailed(label));
      return;
    }
    announce(t.copied(label));
    setIsCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsCopied(false), confirmedMs);
  };
  return { isCopied, copy: () => void copy() };
}
