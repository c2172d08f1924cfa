import type { WebhookEvent, WebhookListener, WebhookPulled } from '@countersign/contract';
import { CommandError } from '../exits.ts';
import type { ManagementApi } from '../sending/call-api.ts';

export interface PullOptions {
  readonly api: ManagementApi;
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Aborts when the user ends the command. */
  readonly stopped: AbortSignal;
  readonly onEvent: (event: WebhookEvent) => Promise<void>;
  readonly onNote: (text: string) => void;
  /** Called for each listener that was added: from then on, no event is missed. */
  readonly onListening: () => void;
}

const waitSeconds = 10;
const pauseMaxMs = 30_000;
const path = '/v1/webhook-listeners';

/**
 * Pulls an account's events until it is stopped, each once, and then ends its listener. Without a connection it tries again
 * after 1 s, 2 s and so on up to 30 s. Throws a CommandError if the service rejects it.
 */
export async function pullEvents({ api, eventTypes, stopped, ...options }: PullOptions): Promise<void> {
  const { pause, onEvent, onNote, onListening } = options;
  let listener: WebhookListener | undefined;
  let received: readonly string[] = [];
  let failures = 0;
  while (!stopped.aborted) {
    try {
      if (listener === undefined) {
        listener = await addListener(api, eventTypes);
        onListening();
      }
      if (failures > 0) onNote('connected again');
      failures = 0;
      const { events } = await api.change<WebhookPulled>(
        'POST',
        `${path}/${listener.listenerId}/events`,
        { received, waitSeconds },
        [],
        stopped,
      );
      received = [];
      for (const event of events) {
        if (stopped.aborted) break;
        await onEvent(event);
        received = [...received, event.id];
      }
    } catch (error) {
      if (stopped.aborted) break;
      if (!(error instanceof CommandError)) throw error;
      if (error.code === 'not_found' && listener !== undefined) {
        onNote('the service has ended this listener: events of the last minutes may be missing');
        listener = undefined;
        received = [];
        continue;
      }
      if (!isPassing(error)) throw error;
      const pauseMs = Math.min(1000 * 2 ** failures, pauseMaxMs);
      failures += 1;
      if (failures === 1) onNote(`no connection, trying again: ${error.message.split('\n')[0] ?? ''}`);
      await Promise.race([pause(pauseMs), aborted(stopped)]);
    }
  }
  if (listener !== undefined) await removeListener(api, listener);
}

function addListener(api: ManagementApi, eventTypes: readonly string[] | null): Promise<WebhookListener> {
  return api.change<WebhookListener>('POST', path, { eventTypes });
}

/** A listener that cannot be removed ends by itself after a minute. */
async function removeListener(api: ManagementApi, { listenerId }: WebhookListener): Promise<void> {
  await api.change('DELETE', `${path}/${listenerId}`, undefined).catch(() => undefined);
}

/** Returns true if the same call can succeed later. */
function isPassing({ exit, code }: CommandError): boolean {
  const later = [
    'rate_limited',
    'storage_unavailable',
    'outcome_unknown',
    'internal_error',
    'signature_replayed',
  ];
  return exit === 'unreachable' || later.includes(code);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
