import { setTimeout as sleep } from 'node:timers/promises';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { baseUrl, keyPair } from '@countersign/testing/running-service';
import type { Answer, Caller, Prepared } from './caller.ts';
import type { Ledger, Payer, Payment } from './ledger.ts';

export interface TrafficParts {
  readonly caller: Caller;
  readonly ledger: Ledger;
  readonly payers: readonly Payer[];
  readonly dataFolder: string;
  /** Called with a response that a writer must not get. */
  readonly onViolation: (text: string) => void;
}

/** Signs a payment, differently on each call. */
export function preparePayment({ payer, body, idempotencyKey }: Payment): Prepared {
  const signed = payer.signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments`, body });
  return { signed, headers: { 'Idempotency-Key': idempotencyKey } };
}

/** Writers that create payments and clients until they learn that the service is about to stop. */
export class Traffic {
  readonly #parts: TrafficParts;
  readonly #done: Promise<unknown>;
  #isEnding = false;

  constructor(parts: TrafficParts, writersPerPayer: number) {
    this.#parts = parts;
    const writers = parts.payers.flatMap((payer) =>
      Array.from({ length: writersPerPayer }, () => this.#createPayments(payer)),
    );
    this.#done = Promise.all([...writers, this.#addClients()]);
  }

  /** From now on the service may reject requests and disappear. */
  expectEnd(): void {
    this.#isEnding = true;
  }

  /** Resolves when all writers have stopped. */
  async ended(): Promise<void> {
    await this.#done;
  }

  async #createPayments(payer: Payer): Promise<void> {
    const { ledger, caller, onViolation } = this.#parts;
    while (!this.#isEnding) {
      const payment = ledger.newPayment(payer);
      const prepared = preparePayment(payment);
      let answer: Answer;
      try {
        answer = await caller.send(prepared);
      } catch (error) {
        if (!this.#isEnding) onViolation(`a payment was not answered: ${(error as Error).message}`);
        return;
      }
      if (answer.status === 201) {
        payment.paymentId = String(answer.body['paymentId']);
        ledger.recentSignatures.push(prepared);
      } else if (!(this.#isEnding && answer.code === 'shutting_down')) {
        onViolation(`a new payment was answered ${answer.status} ${answer.code}`);
        return;
      }
    }
  }

  /** Adds clients as the operator does, from this process, even while the service is killed. */
  async #addClients(): Promise<void> {
    const { dataFolder, ledger } = this.#parts;
    const registry = await openLocalRegistry({ dataFolder });
    try {
      while (!this.#isEnding) {
        // An account can register a key once.
        const { accountId } = await registry.addAccount('Added account');
        const { clientId } = await registry.addClient({
          name: 'Added client',
          accountId,
          publicKey: keyPair.publicKey,
          network: [{ entry: '0.0.0.0' }],
          roles: ['payments-reader'],
        });
        ledger.clientAdded(clientId);
        await sleep(10);
      }
    } finally {
      await registry.close();
    }
  }
}
