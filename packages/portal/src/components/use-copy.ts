import { useEffect, useRef, useState } from 'react';
import { useMessages } from '../messages/messages.ts';
import { announce } from './announce.ts';
import { notify } from './notify.ts';

const confirmedMs = 2000;

/** Copies a text to the clipboard and says so; `isCopied` is true for two seconds after it. */
export function useCopy(
  value: string,
  label: string,
): { readonly isCopied: boolean; readonly copy: () => void } {
  const t = useMessages('components');
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
