import type { DeliveryState, WebhookEventType } from '@countersign/contract';
import { webhookEventTypeNames } from '@countersign/contract';
import { readTimeRange, type TimeRange, timeRangeQuery, writeTimeRange } from '../../lists/period.ts';

/** The filters in the page's address. */
export interface DeliveryFilters extends TimeRange {
  readonly state: DeliveryState | undefined;
  readonly eventType: WebhookEventType | undefined;
}

const states: readonly DeliveryState[] = ['waiting', 'delivered', 'failed'];

/** As long as deliveries are kept. */
const wholePeriod = '30d';

export const defaultDeliveryFilters: DeliveryFilters = {
  state: undefined,
  eventType: undefined,
  period: wholePeriod,
  from: undefined,
  to: undefined,
};

/** Ignores unreadable values. */
export function readDeliveryFilters(query: URLSearchParams): DeliveryFilters {
  return {
    state: states.find((state) => state === query.get('state')),
    eventType: webhookEventTypeNames.find((type) => type === query.get('type')),
    ...readTimeRange(query, wholePeriod),
  };
}

/** Leaves out defaults. */
export function deliveryFiltersQuery(filters: DeliveryFilters, deliveryId?: string): URLSearchParams {
  const query = new URLSearchParams();
  if (filters.state !== undefined) query.set('state', filters.state);
  if (filters.eventType !== undefined) query.set('type', filters.eventType);
  writeTimeRange(query, filters, wholePeriod);
  if (deliveryId !== undefined) query.set('delivery', deliveryId);
  return query;
}

/** True if the filters exclude anything. */
export function areDeliveriesFiltered(filters: DeliveryFilters): boolean {
  return deliveryFiltersQuery(filters).size > 0;
}

/** Returns the API query that selects the deliveries, for a point in time. */
export function deliveryListQuery(
  filters: DeliveryFilters,
  nowMs: number,
): {
  readonly state?: DeliveryState;
  readonly eventType?: WebhookEventType;
  readonly from?: string;
  readonly to?: string;
} {
  const { state, eventType, period } = filters;
  return {
    ...(state !== undefined && { state }),
    ...(eventType !== undefined && { eventType }),
    ...(period !== wholePeriod && timeRangeQuery(filters, nowMs)),
  };
}
