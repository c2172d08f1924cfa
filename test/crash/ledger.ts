import type { Signer } from '@countersign/signature/node';
import type { Prepared } from './caller.ts';

export interface Payer {
  readonly clientId: string;
  readonly signer: Signer;
}

/** A payment that was sent at least once. It has a `paymentId` once acknowledged. */
export interface Payment {
  readonly payer: Payer;
  readonly idempotencyKey: string;
  readonly reference: string;
  readonly body: string;
  paymentId: string | undefined;
}

const olderSignaturesMax = 1000;

/** Everything sent and everything acknowledged, which must hold after every start. */
export class Ledger {
  /** All payments, by reference. */
  readonly payments: Map<string, Payment> = new Map();
  /** All acknowledged clients. */
  readonly clientIds: string[] = [];
  /** Since the last start. */
  recentPayments: Payment[] = [];
  recentClientIds: string[] = [];
  recentSignatures: Prepared[] = [];
  /** Some accepted signatures from before that. */
  readonly olderSignatures: Prepared[] = [];
  /** Signed before a clean stop, to be sent after it. */
  unsent: { readonly payment: Payment; readonly prepared: Prepared } | undefined;

  /** Returns a unique payment to send. */
  newPayment(payer: Payer): Payment {
    const reference = `order-${this.payments.size + 1}`;
    const body = JSON.stringify({ amount: 100, currency: 'EUR', reference });
    const payment = { payer, idempotencyKey: `key-${reference}`, reference, body, paymentId: undefined };
    this.payments.set(reference, payment);
    this.recentPayments.push(payment);
    return payment;
  }

  clientAdded(clientId: string): void {
    this.clientIds.push(clientId);
    this.recentClientIds.push(clientId);
  }

  /** Called when the checks after a start are done. */
  turnPage(): void {
    for (const [index, signature] of this.recentSignatures.entries()) {
      if (index % 10 === 0) this.olderSignatures.push(signature);
    }
    this.olderSignatures.splice(0, Math.max(0, this.olderSignatures.length - olderSignaturesMax));
    this.recentPayments = [];
    this.recentClientIds = [];
    this.recentSignatures = [];
  }
}
