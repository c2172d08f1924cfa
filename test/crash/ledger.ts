import type { Signer } from '@countersign/signature/node';
import type { Prepared } from './caller.ts';

/** A client that pays. */
export interface Payer {
  readonly clientId: string;
  readonly signer: Signer;
}

/** A payment that was sent at least once; `paymentId` once the service has acknowledged it. */
export interface Payment {
  readonly payer: Payer;
  readonly idempotencyKey: string;
  readonly reference: string;
  readonly body: string;
  paymentId: string | undefined;
}

const olderSignaturesMax = 1000;

/** What the service has been sent, and what it has acknowledged: what must be true after every start. */
export class Ledger {
  /** Every payment of the run, by its reference. */
  readonly payments: Map<string, Payment> = new Map();
  /** Every client whose registration was acknowledged. */
  readonly clientIds: string[] = [];
  /** The payments, clients and accepted signatures since the last start. */
  recentPayments: Payment[] = [];
  recentClientIds: string[] = [];
  recentSignatures: Prepared[] = [];
  /** Some of the accepted signatures of before. */
  readonly olderSignatures: Prepared[] = [];
  /** A request that was signed before a clean stop and is sent after it. */
  unsent: { readonly payment: Payment; readonly prepared: Prepared } | undefined;

  /** A payment that no other one is equal to, about to be sent. */
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

  /** The checks after a start are done: what was recent belongs to the past. */
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
