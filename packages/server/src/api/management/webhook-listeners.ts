import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEvent, WebhookListener } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import {
  addListener,
  keepListening,
  type ListenerRecord,
  readWaitingEvents,
  removeListener,
  type WaitingEvent,
} from '../../registry/store/webhook-listeners.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { timestamp } from '../timestamp.ts';

const lookEveryMs = 500;

/** Programs that pull events, because no webhook can reach them. */
export const webhookListenerHandlers = defineHandlers(({ database, change }) => ({
  addWebhookListener: ({ body: { eventTypes = null } }, request) =>
    change(request, async (transaction, context) => {
      const { accountId } = request.caller;
      return { status: 201, body: show(await addListener(transaction, accountId, eventTypes, context)) };
    }),

  pullWebhookEvents: async ({ body: { received = [], waitSeconds = 0 } }, request) => {
    const listenerId = listenerIdOf(request);
    const { accountId } = request.caller;
    const { body: expiresAt } = await change(request, async (transaction, context) => {
      const listener = await keepListening(transaction, listenerId, { accountId, received }, context);
      return { status: 200, body: timestamp(listener.expiresAtMs) };
    });
    for (let looksLeft = (waitSeconds * 1000) / lookEveryMs; ; looksLeft -= 1) {
      const events = await readWaitingEvents(database, listenerId);
      // It was ended meanwhile.
      if (events === undefined) throw new ProblemError('not_found');
      if (events.length > 0 || looksLeft <= 0)
        return { status: 200, body: { events: events.map(showEvent), expiresAt: expiresAt ?? '' } };
      await sleep(lookEveryMs, undefined, { ref: false });
    }
  },

  removeWebhookListener: (_input, request) =>
    change(request, async (transaction, context) => {
      const { accountId } = request.caller;
      const listener = await removeListener(transaction, listenerIdOf(request), accountId, context);
      return { status: 200, body: show(listener) };
    }),
}));

function listenerIdOf(request: ApiRequest): string {
  return idInPath(request, 'listenerId', 'listener');
}

function show({ expiresAtMs, ...listener }: ListenerRecord): WebhookListener {
  return { ...listener, expiresAt: timestamp(expiresAtMs) };
}

function showEvent({ eventId: id, createdAtMs, data, ...event }: WaitingEvent): WebhookEvent {
  return {
    id,
    ...event,
    createdAt: timestamp(createdAtMs),
    data: JSON.parse(data) as Record<string, unknown>,
  };
}
