import { notificationsStore } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import type * as laterParts from './later-parts.ts';

type LaterParts = typeof laterParts;

let loading: Promise<LaterParts> | undefined;

/** Loads the parts once. After a failure, the next call tries again. */
export function loadLaterParts(): Promise<LaterParts> {
  loading ??= import('./later-parts.ts').catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Returns the parts once the person has done something, or there is something to show. */
export function useLaterParts(): LaterParts | undefined {
  const [parts, setParts] = useState<LaterParts>();
  useEffect(() => {
    if (parts !== undefined) return undefined;
    const load = (): void => {
      void loadLaterParts().then(setParts, () => undefined);
    };
    const actions = ['pointerdown', 'keydown'] as const;
    for (const action of actions) addEventListener(action, load, { capture: true, passive: true });
    const unsubscribe = notificationsStore.subscribe(load);
    return () => {
      for (const action of actions) removeEventListener(action, load, { capture: true });
      unsubscribe();
    };
  }, [parts]);
  return parts;
}
