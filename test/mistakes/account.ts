import { createHash, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A key of the account that a portal user may see. */
export interface AccountKey {
  readonly name: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly keyState: 'pending' | 'active' | 'retiring' | 'expired' | 'revoked';
  /** Set if the client belongs to another environment of the account: its name. */
  readonly environment?: string;
  readonly fingerprint: string;
  readonly publicKeyPem: string;
}

/** The corpus's account, shipped as `vectors/mistakes/account.json`. */
export interface Account {
  readonly baseUrls: readonly string[];
  readonly internalHosts: readonly string[];
  readonly keys: readonly AccountKey[];
}

const clients = {
  webshop: { clientId: 'client_01kjw7hq2n8d4s6r0vgt5x9mzb', clientName: 'Acme Webshop', key: 'rsa-2048-a' },
  backoffice: {
    clientId: 'client_01kjw7m3c5y1fa8e6pktz4d2wr',
    clientName: 'Acme Back Office',
    key: 'rsa-3072-a',
  },
  mobile: { clientId: 'client_01kk02t9x6b7gjq3hs1nv8e4yc', clientName: 'Acme Mobile', key: 'rsa-4096-a' },
} as const;

export function clientIdOf(client: keyof typeof clients): string {
  return clients[client].clientId;
}

export function keyOf(client: keyof typeof clients): string {
  return clients[client].key;
}

export function clientNameOf(clientId: string): string {
  return Object.values(clients).find((client) => client.clientId === clientId)!.clientName;
}

const vectors = fileURLToPath(new URL('../../vectors', import.meta.url));

/** Private keys by name: the published ones of the profile's vectors, and this corpus's own. */
export function privateKeys(): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const path of ['profile/keys.json', 'mistakes/keys.json']) {
    const file = JSON.parse(readFileSync(`${vectors}/${path}`, 'utf8')) as {
      keys: Record<string, { privateKeyPem: string }>;
    };
    for (const [name, key] of Object.entries(file.keys)) keys.set(name, key.privateKeyPem);
  }
  return keys;
}

/** Builds the account that the service knows. It contains no strangers' keys. */
export function makeAccount(): Account {
  const keys = privateKeys();
  const active = Object.values(clients).map(({ key, ...client }) => ({
    name: key,
    ...client,
    keyState: 'active' as const,
  }));
  const { clientId, clientName } = clients.webshop;
  const others = [
    { name: 'retired', clientId, clientName, keyState: 'expired' as const },
    { name: 'revoked', clientId, clientName, keyState: 'revoked' as const },
    {
      name: 'sandbox',
      clientId: 'client_01kjw2a4e9k7v5c3m8t6z1q0xh',
      clientName: 'Acme Webshop',
      keyState: 'active' as const,
      environment: 'sandbox',
    },
  ];
  return {
    baseUrls: [
      'https://api.countersign.example',
      'https://api.eu.countersign.example',
      'https://api.countersign.example:8443',
      'https://api.xn--mnchen-3ya.example',
    ],
    internalHosts: ['gateway.internal:8080', '10.0.3.7:8080'],
    keys: [...active, ...others].map((key) => {
      const publicKey = createPublicKey(keys.get(key.name)!);
      const der = publicKey.export({ type: 'spki', format: 'der' });
      return {
        ...key,
        fingerprint: `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`,
        publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }),
      };
    }),
  };
}
