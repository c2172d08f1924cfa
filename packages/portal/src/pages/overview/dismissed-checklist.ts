import { useState } from 'react';
import { useAccountId } from '../../api/current-account.ts';
import { keepOnDevice, readFromDevice } from '../../session/device-storage.ts';

/** Returns whether someone dismissed the checklist on this device, and what dismisses it. */
export function useDismissal(): readonly [boolean, () => void] {
  const name = `countersign-get-started-dismissed-${useAccountId()}`;
  const [dismissed, setDismissed] = useState<string>();
  const dismiss = (): void => {
    setDismissed(name);
    keepOnDevice(name, 'true');
  };
  return [dismissed === name || readFromDevice(name) !== undefined, dismiss];
}
