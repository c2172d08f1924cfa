import { createSigner } from '@countersign/signature/node';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { baseUrl, keyPair } from '@countersign/testing/running-service';
import type { Answer, Caller, Prepared } from './caller.ts';
import type { Ledger, Payer, Payment } from './ledger.ts';
import { preparePayment } from './traffic.ts';

export interface CheckFigures {
  /** Replays, by the code of their rejection. */
  readonly replays: Record<string, number>;
  /** Acknowledged payments, read back and created again with their Idempotency-Key. */
  paymentsRepeated: number;
  /** Payments cut off by a kill and repeated until the service responded. */
  paymentsInDoubt: number;
  clientsCalled: number;
  /** The longest rejection after a start. */
  refusedSecondsMax: number;
  /** The number of times that the run waited that time out. */
  waited: number;
}

export function noFigures(): CheckFigures {
  return {
    replays: {},
    paymentsRepeated: 0,
    paymentsInDoubt: 0,
    clientsCalled: 0,
    refusedSecondsMax: 0,
    waited: 0,
  };
}

export interface CheckParts {
  readonly caller: Caller;
  readonly ledger: Ledger;
  readonly payers: readonly Payer[];
  /** The signers' clock, in milliseconds. */
  readonly nowMs: () => number;
  readonly figures: CheckFigures;
  readonly onViolation: (text: string) => void;
}

/** Checks the invariants after every start, once the rejection period is over. */
export async function checkAfterStart(parts: CheckParts, wasStoppedCleanly: boolean): Promise<void> {
  const { ledger } = parts;
  await sendUnsent(parts);
  await inParallel(ledger.recentSignatures, (signature) => checkReplay(parts, signature, wasStoppedCleanly));
  await inParallel(ledger.olderSignatures, (signature) => checkReplay(parts, signature, false));
  await inParallel(ledger.recentPayments, (payment) =>
    payment.paymentId === undefined
      ? settle(parts, payment)
      : checkPayment(parts, payment, payment.paymentId),
  );
  for (const clientId of ledger.recentClientIds.slice(-3)) await checkClient(parts, clientId);
}

/** Checks every payment and client at the end of the run. */
export async function checkEverything(parts: CheckParts & { readonly dataFolder: string }): Promise<void> {
  const { ledger, payers, onViolation, dataFolder } = parts;
  const listed = new Map<string, string>();
  for (const payer of payers) {
    for await (const { reference, paymentId } of allPayments(parts, payer)) {
      if (listed.has(reference)) onViolation(`${reference} was created twice`);
      listed.set(reference, paymentId);
    }
  }
  for (const { reference, paymentId } of ledger.payments.values()) {
    if (listed.get(reference) !== paymentId)
      onViolation(`${reference} is not the payment that was acknowledged`);
  }
  if (listed.size !== ledger.payments.size) onViolation(`${listed.size} payments of ${ledger.payments.size}`);

  const registry = await openLocalRegistry({ dataFolder });
  try {
    const clients = await registry.listClients({ limit: ledger.clientIds.length + 1000 });
    const known = new Set(clients.map(({ clientId }) => clientId));
    for (const clientId of ledger.clientIds) if (!known.has(clientId)) onViolation(`${clientId} is lost`);
  } finally {
    await registry.close();
  }
}

/** A request signed before a clean stop and first sent after it passes. */
async function sendUnsent({ caller, ledger, onViolation }: CheckParts): Promise<void> {
  const { unsent } = ledger;
  if (unsent === undefined) return;
  ledger.unsent = undefined;
  const answer = await caller.send(unsent.prepared);
  if (answer.status !== 201)
    return onViolation(`signed before a clean stop, sent after it: ${describe(answer)}`);
  unsent.payment.paymentId = String(answer.body['paymentId']);
  ledger.recentSignatures.push(unsent.prepared);
}

async function checkReplay(
  { caller, figures, onViolation }: CheckParts,
  signature: Prepared,
  isRemembered: boolean,
): Promise<void> {
  const answer = await caller.send(signature);
  const code = answer.code ?? 'ACCEPTED';
  figures.replays[code] = (figures.replays[code] ?? 0) + 1;
  const isReplayed = answer.status === 401 && (code === 'signature_replayed' || code === 'created_expired');
  const isUnknown = answer.status === 503 && code === 'recently_restarted';
  if (!isReplayed && (isRemembered || !isUnknown))
    onViolation(`an accepted signature, again: ${describe(answer)}`);
  if (isUnknown && !/^[1-9]\d*$/.test(String(answer.headers['retry-after'])))
    onViolation('503 without Retry-After');
}

/** An acknowledged payment exists, and repeating its Idempotency-Key returns the same one. */
async function checkPayment(parts: CheckParts, payment: Payment, paymentId: string): Promise<void> {
  const { caller, figures, onViolation } = parts;
  const url = `${baseUrl}/v1/payments/${paymentId}`;
  const read = await caller.send({ signed: payment.payer.signer.sign({ method: 'GET', url }) });
  if (read.status !== 200 || read.body['reference'] !== payment.reference) {
    onViolation(`${payment.reference} was acknowledged and is lost: ${describe(read)}`);
  }
  const again = await caller.send(preparePayment(payment));
  const isSame = again.status === 201 && again.body['paymentId'] === paymentId;
  if (!isSame || again.headers['idempotency-replayed'] !== 'true') {
    onViolation(`${payment.reference} again, with its Idempotency-Key: ${describe(again)}`);
  }
  figures.paymentsRepeated++;
}

/** Repeating a payment that got no response succeeds, whether it was created or not. */
async function settle({ caller, ledger, figures, onViolation }: CheckParts, payment: Payment): Promise<void> {
  const prepared = preparePayment(payment);
  const answer = await caller.send(prepared);
  if (answer.status !== 201) return onViolation(`${payment.reference}, in doubt, again: ${describe(answer)}`);
  payment.paymentId = String(answer.body['paymentId']);
  ledger.recentSignatures.push(prepared);
  figures.paymentsInDoubt++;
}

async function checkClient(
  { caller, figures, nowMs, onViolation }: CheckParts,
  clientId: string,
): Promise<void> {
  const signer = createSigner({ keyid: clientId, privateKey: keyPair.privateKey, nowMs });
  const answer = await caller.send({ signed: signer.sign({ method: 'GET', url: `${baseUrl}/v1/whoami` }) });
  if (answer.status !== 200)
    onViolation(`the client ${clientId} was acknowledged and is lost: ${describe(answer)}`);
  figures.clientsCalled++;
}

async function* allPayments(
  { caller }: CheckParts,
  { signer }: Payer,
): AsyncIterable<{ readonly reference: string; readonly paymentId: string }> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const url = `${baseUrl}/v1/payments?limit=100${query}`;
    const { body } = await caller.send({ signed: signer.sign({ method: 'GET', url }) });
    yield* body['data'] as { reference: string; paymentId: string }[];
    cursor = body['nextCursor'] as string | null;
  }
}

function describe({ status, code }: Answer): string {
  return `${status} ${code ?? ''}`;
}

const parallelMax = 8;

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  // All share one iterator: each takes the next item when it is free.
  const rest = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: parallelMax }, worker));
}
