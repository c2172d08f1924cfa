// Sends a signed request and prints the response.
import { RefusedError, signingFetch } from '@countersign/client/node';

const baseUrl = process.env.COUNTERSIGN_BASE_URL ?? 'http://127.0.0.1:8421';
const clientId = 'client_…';
const privateKeyFile = 'private.pem';

const fetch = signingFetch({ clientId, privateKeyFile });

try {
  const response = await fetch(`${baseUrl}/v1/signature-test`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ hello: 'from JavaScript' }),
  });
  console.log(response.status, await response.text());
} catch (error) {
  if (!(error instanceof RefusedError)) throw error;
  console.error(error.message); // its code, what is wrong, and what to do
  process.exitCode = 1;
}
