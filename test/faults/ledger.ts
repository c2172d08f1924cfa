import type { Answer, Prepared } from '../crash/caller.ts';

/** The service's statement about a payment. */
export type Word =
  /** 201: it exists. */
  | 'done'
  /** A rejection that promises that nothing was done. */
  | 'nothing done'
  /** No response, or one that says that the outcome is unknown. */
  | 'unknown';

/** A payment that was sent. */
export interface SentPayment {
  readonly reference: string;
  readonly idempotencyKey: string | undefined;
  /** Undefined until it was sent. */
  word: Word | undefined;
  paymentId: string | undefined;
  /** The service's statement about its cancellation; undefined if there was no request for one. */
  cancellation?: Word;
}

/** Rejections that a fault may cause; all promise that nothing was done. */
const refusalsOfFaults = [
  'guard_unavailable',
  'registry_stale',
  'storage_unavailable',
  'shutting_down',
  'upstream_unavailable',
];

/** Everything sent, over all lives of the service, and its responses. */
export class Ledger {
  readonly payments: SentPayment[] = [];
  /** Signed requests that were accepted. */
  readonly accepted: Prepared[] = [];
  readonly violations: string[] = [];
  #count = 0;

  newPayment(hasKey: boolean): SentPayment {
    const reference = `order-${++this.#count}`;
    const idempotencyKey = hasKey ? `key-${reference}` : undefined;
    const payment: SentPayment = { reference, idempotencyKey, word: undefined, paymentId: undefined };
    this.payments.push(payment);
    return payment;
  }

  violate(text: string): void {
    this.violations.push(text);
  }

  /** Returns the meaning of a response, and records one that no fault excuses. */
  wordOf(what: string, answer: Answer | undefined, mayFail: boolean): Word {
    if (answer === undefined) {
      if (!mayFail) this.violate(`${what}: no answer`);
      return 'unknown';
    }
    if (answer.status < 300) return 'done';
    const { status, code = '', headers, body } = answer;
    if (!mayFail) this.violate(`${what}: ${status} ${code}, without a fault: ${String(body['reason'])}`);
    if (code === 'outcome_unknown' || code === 'upstream_failed' || code === 'upstream_timeout')
      return 'unknown';
    if (!refusalsOfFaults.includes(code)) this.violate(`${what}: ${status} ${code}`);
    if (status === 503 && code !== 'shutting_down' && headers['retry-after'] === undefined)
      this.violate(`${what}: ${code} without Retry-After`);
    return 'nothing done';
  }
}
