import { createSigner, type Signer } from '@countersign/signature/node';
import { call, type PreparedCall } from './call.ts';
import { type Output, reportLine } from './report.ts';
import type { ShownService } from './shown-service.ts';
import { makeDemoKeyPair } from './demo-key-pair.ts';

export const paymentsPath = '/v1/payments';
export const order = { amount: 4200, currency: 'EUR', reference: 'demo-invoice-1' };

/** Shows the service's main purpose with the built-in sandbox API, over real HTTP. */
export async function showSandbox(
  service: Pick<ShownService, 'address'>,
  signer: Signer,
  baseUrl: string,
  output: Output,
): Promise<void> {
  const good = prepare(signer, baseUrl, order);
  const otherKey = (await makeDemoKeyPair()).privateKey;
  const stranger = createSigner({ keyid: signer.keyid, privateKey: otherKey });
  const next = (reference: string): PreparedCall => prepare(signer, baseUrl, { ...order, reference });
  const tampered = next('demo-invoice-2');
  const moved = next('demo-invoice-3');
  const unsigned = next('demo-invoice-4');

  output.write('\nWhat it does, with a client and key pair created just now:\n\n');
  const show = async (title: string, prepared: PreparedCall): Promise<void> => {
    const answer = await call(service.address, prepared);
    output.write(reportLine(title, answer, (answer.body as { paymentId?: string }).paymentId ?? ''));
  };
  await show('a signed payment', good);
  await show('the same bytes again', good);
  await show('one byte of the body changed', { ...tampered, body: tampered.body.replace('4200', '9200') });
  await show('one byte of the URL changed', { ...moved, url: `${moved.url}?` });
  await show('the same without a signature', {
    ...unsigned,
    headers: { 'Content-Type': 'application/json' },
  });
  await show("signed with someone else's key", prepare(stranger, baseUrl, order));
}

function prepare(signer: Signer, baseUrl: string, payment: object): PreparedCall {
  const body = JSON.stringify(payment);
  const { method, url, headers } = signer.sign({ method: 'POST', url: baseUrl + paymentsPath, body });
  return { method, url, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
