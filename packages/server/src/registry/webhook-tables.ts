import type { DeliveryState, WebhookStatus } from '@countersign/contract';
import type { Fixed, TimeMs, Defaulted } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    webhooks: WebhooksTable;
    webhook_events: WebhookEventsTable;
    webhook_deliveries: WebhookDeliveriesTable;
    webhook_attempts: WebhookAttemptsTable;
    webhook_listeners: WebhookListenersTable;
    webhook_listener_events: WebhookListenerEventsTable;
  }
}

/** The URLs that accounts are told their events at. */
export interface WebhooksTable {
  webhook_id: Fixed<string>;
  account_id: Fixed<string>;
  url: string;
  description: string;
  /** The types that it wants, as JSON; null for all. */
  event_types: string | null;
  /** 1 if a client's events are sent one after the other. */
  is_ordered: 0 | 1;
  /** 1 if it gets the events of every account. */
  is_for_all_accounts: 0 | 1;
  status: WebhookStatus;
  disabled_reason: string | null;
  /** The key of `webhook-signature`, as `WebhookSecrets` stores it. */
  secret: string;
  /** The one before the last rotation; null if it signs no longer. */
  previous_secret: Defaulted<string | null>;
  /** Until when the previous secret signs. */
  previous_secret_until_ms: Defaulted<TimeMs | null>;
  /** The first failed attempt since the last success; null if the last one succeeded. */
  failing_since_ms: TimeMs | null;
  /** Nothing is sent before this time, because the receiver asked for that. */
  blocked_until_ms: Defaulted<TimeMs>;
  /** How often the receiver has failed in a row. */
  failure_count: Defaulted<number>;
  /** While it fails, nothing is sent before this time. Whoever changes this has claimed the next attempt. */
  held_until_ms: Defaulted<TimeMs>;
  /** The delivery to try first while it fails, because someone asked for it. */
  probe_delivery_id: Defaulted<string | null>;
  /** Custom headers as JSON: their names, with the values as `WebhookSecrets` stores them. Null for none. */
  headers: Defaulted<string | null>;
  /** The number of attempts per minute; null for no limit. */
  attempts_per_minute_max: Defaulted<number | null>;
  /** With such a limit, nothing is sent before this time. Whoever moves it on has taken attempts: see `AttemptRate`. */
  throttled_until_ms: Defaulted<TimeMs>;
  created_at_ms: Fixed<TimeMs>;
  updated_at_ms: TimeMs;
  /** The registry version of its last change. */
  version: number;
}

/** Events that some webhook wanted, written in the transaction of what they tell. */
export interface WebhookEventsTable {
  event_id: Fixed<string>;
  account_id: Fixed<string>;
  type: Fixed<string>;
  created_at_ms: Fixed<TimeMs>;
  /** JSON. */
  data: Fixed<string>;
}

/** Events on their way to webhooks, written together with the events. */
export interface WebhookDeliveriesTable {
  delivery_id: Fixed<string>;
  webhook_id: Fixed<string>;
  event_id: Fixed<string>;
  /** The client that the event is about, if any. */
  client_id: Fixed<string | null>;
  /** The registry version at that time: the order of a client's events. */
  position: Fixed<number>;
  state: DeliveryState;
  attempt_count: number;
  /** When it is due; null unless it waits. Whoever changes this has claimed the attempt. */
  next_attempt_at_ms: TimeMs | null;
  created_at_ms: Fixed<TimeMs>;
}

/** Requests to receivers, and their answers. */
export interface WebhookAttemptsTable {
  attempt_id: Fixed<string>;
  delivery_id: Fixed<string>;
  attempted_at_ms: Fixed<TimeMs>;
  duration_ms: Fixed<number>;
  url: Fixed<string>;
  /** JSON. */
  request_headers: Fixed<string>;
  status: Fixed<number | null>;
  /** The first bytes of the answer, as text. */
  answer: Fixed<string | null>;
  problem: Fixed<string | null>;
  next_attempt_at_ms: Fixed<TimeMs | null>;
}

/** Programs that pull events for a while. */
export interface WebhookListenersTable {
  listener_id: Fixed<string>;
  account_id: Fixed<string>;
  /** The types that it wants, as JSON; null for all. */
  event_types: Fixed<string | null>;
  created_at_ms: Fixed<TimeMs>;
  /** Each pull puts it off. */
  expires_at_ms: TimeMs;
}

/** Events that wait to be pulled. */
export interface WebhookListenerEventsTable {
  listener_id: Fixed<string>;
  event_id: Fixed<string>;
  /** The registry version at that time: their order. */
  position: Fixed<number>;
}
