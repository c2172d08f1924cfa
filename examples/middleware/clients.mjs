// The clients of these examples. Yours come from a database: the function may be async.
import { readFileSync } from 'node:fs';

/** The public key that `countersign keygen` or openssl wrote. */
const publicKey = readFileSync(process.env.CLIENT_PUBLIC_KEY ?? 'public.pem', 'utf8');

const clients = new Map([
  [
    'shop',
    {
      keys: [publicKey], // two during a rollover
      network: ['127.0.0.1'], // '0.0.0.0' for everyone
      roles: ['buyer'],
      permissions: ['orders:write'],
    },
  ],
]);

export const findClient = (clientId) => clients.get(clientId);
