import type { AuditEvent, RequestEntry } from '@countersign/contract';
import { reportSessionDoubt } from './session-events.ts';

export interface LiveListener {
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
  readonly onChange?: ((event: AuditEvent) => void) | undefined;
  /** Events were lost: refetch. */
  readonly onGap?: (() => void) | undefined;
}

/** An account's event stream: one connection for all listeners. */
export interface LiveEvents {
  listen(listener: LiveListener): () => void;
  close(): void;
}

const retryMs = 5000;

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
    source.addEventListener('request', (event) => {
      const entry = read(event) as RequestEntry | undefined;
      if (entry) for (const { onRequest } of listeners) onRequest?.(entry);
    });
    source.addEventListener('change', (event) => {
      const change = read(event) as AuditEvent | undefined;
      if (change) for (const { onChange } of listeners) onChange?.(change);
    });
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
      listeners.clear();
    },
  };
}

function read(event: Event): unknown {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as unknown;
  } catch {
    return undefined;
  }
}
