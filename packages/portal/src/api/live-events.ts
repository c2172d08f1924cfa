import type { AuditEvent, RequestEntry } from '@countersign/contract';
import { reportSessionDoubt } from './session-events.ts';

/** Takes what happened since it was last called, oldest first: at least one of each. */
export interface LiveListener {
  readonly onRequests?: ((entries: readonly RequestEntry[]) => void) | undefined;
  readonly onChanges?: ((events: readonly AuditEvent[]) => void) | undefined;
  /** Events were lost: refetch. */
  readonly onGap?: (() => void) | undefined;
}

/** An account's event stream: one connection for all listeners. */
export interface LiveEvents {
  listen(listener: LiveListener): () => void;
  close(): void;
}

const retryMs = 5000;
/** The service sends up to a hundred events at once. Told one by one, each would draw the page again. */
const togetherMs = 100;

/**
 * Opens an account's event stream. A hidden page closes it, because browsers limit connections per host, and reports a gap
 * once it is visible again.
 */
export function openLiveEvents(accountId: string): LiveEvents {
  const listeners = new Set<LiveListener>();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasMissed = false;

  const tellGap = (): void => {
    for (const { onGap } of listeners) onGap?.();
  };
  const tellRequests = together((entries) => {
    for (const { onRequests } of listeners) onRequests?.(entries as readonly RequestEntry[]);
  });
  const tellChanges = together((events) => {
    for (const { onChanges } of listeners) onChanges?.(events as readonly AuditEvent[]);
  });
  const disconnect = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    hasMissed = true;
  };
  const connect = (): void => {
    source = new EventSource(`/v1/events?account=${encodeURIComponent(accountId)}`);
    source.addEventListener('open', () => {
      if (hasMissed) tellGap();
      hasMissed = false;
    });
    source.addEventListener('request', tellRequests.add);
    source.addEventListener('change', tellChanges.add);
    source.addEventListener('gap', tellGap);
    // The browser reconnects by itself, but not after an error response.
    source.addEventListener('error', () => {
      hasMissed = true;
      if (source?.readyState !== EventSource.CLOSED) return;
      // EventSource hides the reason: it may be a lost session.
      reportSessionDoubt();
      clearTimeout(timer);
      timer = setTimeout(connect, retryMs);
    });
  };
  const followVisibility = (): void => {
    disconnect();
    if (document.visibilityState === 'visible') connect();
  };

  if (document.visibilityState === 'visible') connect();
  document.addEventListener('visibilitychange', followVisibility);
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      document.removeEventListener('visibilitychange', followVisibility);
      disconnect();
      tellRequests.clear();
      tellChanges.clear();
      listeners.clear();
    },
  };
}

/** Collects the data of events, and tells those of a moment together. */
function together(tell: (data: readonly unknown[]) => void): {
  readonly add: (event: Event) => void;
  readonly clear: () => void;
} {
  let waiting: unknown[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const clear = (): readonly unknown[] => {
    clearTimeout(timer);
    timer = undefined;
    const told = waiting;
    waiting = [];
    return told;
  };
  const add = (event: Event): void => {
    const data = read(event);
    if (data === undefined) return;
    waiting.push(data);
    timer ??= setTimeout(() => tell(clear()), togetherMs);
  };
  return { add, clear };
}

function read(event: Event): unknown {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as unknown;
  } catch {
    return undefined;
  }
}
