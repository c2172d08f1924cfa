/** How many attempts run at the same time on a node. */
const roomLimits = {
  all: 32,
  perAccount: 8,
  perWebhook: 4,
  /** For all webhooks that lead to one server, whoever they belong to. */
  perOrigin: 16,
  /** For one that failed last time, or took long. */
  perSlowWebhook: 1,
  /** For all of those together, so that half of the room is always left for others. */
  allSlow: 16,
} as const;

/** A webhook, as far as its share of the room depends on it. */
export interface RoomWebhook {
  readonly webhookId: string;
  readonly accountId: string;
  readonly origin: string;
  readonly isFailing: boolean;
}

/** An attempt that takes part of the room. */
export interface RoomPlace {
  readonly webhookId: string;
  readonly accountId: string;
  readonly origin: string;
  readonly isSlow: boolean;
}

/**
 * Shares the attempts that a node makes at the same time between webhooks, so that a slow or dead receiver holds up nobody
 * else's events.
 */
export class DeliveryRoom {
  readonly #places = new Set<RoomPlace>();
  /** Webhooks whose last attempt on this node took long. */
  readonly #slow = new Set<string>();

  /** Returns how many more attempts a webhook may have now. */
  leftFor(webhook: RoomWebhook): number {
    const isSlow = this.#isSlow(webhook);
    const count = (isCounted: (place: RoomPlace) => boolean): number => {
      let counted = 0;
      for (const place of this.#places) if (isCounted(place)) counted += 1;
      return counted;
    };
    const perWebhook = isSlow ? roomLimits.perSlowWebhook : roomLimits.perWebhook;
    return Math.max(
      0,
      Math.min(
        roomLimits.all - this.#places.size,
        roomLimits.perAccount - count(({ accountId }) => accountId === webhook.accountId),
        roomLimits.perOrigin - count(({ origin }) => origin === webhook.origin),
        perWebhook - count(({ webhookId }) => webhookId === webhook.webhookId),
        isSlow ? roomLimits.allSlow - count((place) => place.isSlow) : Infinity,
      ),
    );
  }

  get isFull(): boolean {
    return this.#places.size >= roomLimits.all;
  }

  /** Takes a place until `leave`. */
  enter(webhook: RoomWebhook): RoomPlace {
    const { webhookId, accountId, origin } = webhook;
    const place = { webhookId, accountId, origin, isSlow: this.#isSlow(webhook) };
    this.#places.add(place);
    return place;
  }

  leave(place: RoomPlace, durationMs: number): void {
    this.#places.delete(place);
    if (durationMs < slowMs) {
      this.#slow.delete(place.webhookId);
      return;
    }
    // Whoever was slow longest ago is forgotten first, so that webhooks that no longer exist take no memory.
    this.#slow.delete(place.webhookId);
    this.#slow.add(place.webhookId);
    const [oldest] = this.#slow;
    if (this.#slow.size > slowKeptMax && oldest !== undefined) this.#slow.delete(oldest);
  }

  #isSlow({ webhookId, isFailing }: RoomWebhook): boolean {
    return isFailing || this.#slow.has(webhookId);
  }
}

const slowMs = 3000;
const slowKeptMax = 10_000;
