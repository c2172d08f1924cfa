import type { AuditEvent, RequestEntry } from '@countersign/contract';
import { reportSessionDoubt } from './session-events.ts';

/** Whoever wants to know what happens in the account. */
export interface LiveListener {
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
  readonly onChange?: ((event: AuditEvent) => void) | undefined;
  /** More happened than was told, or the stream was interrupted: read anew what you show. */
  readonly onGap?: (() => void) | undefined;
}

/** The stream of events of one account: one connection, however many listen. */
export interface LiveEvents {
  listen(listener: LiveListener): () => void;
  close(): void;
}

const retryMs = 5000;

/**
 * Opens the stream of events of an account.
 *
 * A hidden page has none, because browsers allow few connections to a service; when it is shown again, it is told that
 * there was a gap.
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
    // The browser tries again by itself, but not after an answer that is an error.
    source.addEventListener('error', () => {
      hasMissed = true;
      if (source?.readyState !== EventSource.CLOSED) return;
      // Why it was refused, a page is not told; it may be that the session has ended.
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
