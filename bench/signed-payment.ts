import type { Signer } from '@countersign/signature/node';

/** The base URL of a benchmark's servers. */
export const baseUrl = 'https://api.example.com';

/** Signs a payment of 300 bytes and serialises it; each number makes a different one. */
export function signedPayment(signer: Signer, path: string, number: number): Buffer {
  const payment = {
    amount: 1000 + Math.abs(number),
    currency: 'EUR',
    reference: `bench-${number}`,
    description: '',
  };
  const description = 'x'.repeat(300 - JSON.stringify(payment).length);
  const body = JSON.stringify({ ...payment, description });
  const { headers } = signer.sign({ method: 'POST', url: baseUrl + path, body });
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: api.example.com',
    'User-Agent: bench/1',
    'Accept: */*',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}
