// Sends a signed payment: node first-request.mjs https://api.example.com/v1/payments
import { RefusedError, signingFetch } from '@countersign/client/node';

const fetch = signingFetch({ clientId: process.env.CLIENT_ID, privateKeyFile: 'private.pem' });

try {
  const response = await fetch(process.argv[2], {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ amount: 1250, currency: 'EUR', reference: 'INV-7' }),
  });
  console.log(response.status, await response.text());
} catch (error) {
  if (!(error instanceof RefusedError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
