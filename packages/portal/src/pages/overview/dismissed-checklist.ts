import { useState } from 'react';
import { useAccountId } from '../../api/current-account.ts';

function keyOf(accountId: string): string {
  return `countersign-get-started-dismissed-${accountId}`;
}

/** Returns whether someone dismissed the checklist on this device, and what dismisses it. */
export function useDismissal(): readonly [boolean, () => void] {
  const key = keyOf(useAccountId());
  const [dismissed, setDismissed] = useState<string>();
  const dismiss = (): void => {
    setDismissed(key);
    try {
      localStorage.setItem(key, 'true');
    } catch {
      // Without storage it stays away as long as the page.
    }
  };
  return [dismissed === key || isStored(key), dismiss];
}

function isStored(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}
