import { readPublicKey } from '@countersign/signature/node';
import type { RunningService } from '../service/running-service.ts';
import { vectorFiles } from '../../../signature/test/conformance/files.ts';
import { bodyOf, type WireCase } from '../../../signature/test/conformance/profile-vectors.ts';
import type { WireRequest } from './wire.ts';

/** The base URLs of the vectors. A host has one scheme, so a single case is left out. */
export const baseUrls: readonly string[] = [
  'https://api.example.test',
  'https://gateway.example.test',
  'https://pay.example.test',
  'https://api.example.test:8443',
  'http://127.0.0.1:3000',
  'https://[2001:db8::1]:8443',
  'http://[::1]:3000',
  'https://xn--bcher-kva.example',
  'https://a-1.b--2.example',
  'https://123.example',
];

const files = ['positive', 'negative', 'fuzz', 'policy'].map((name) => `vectors/profile/${name}.json`);
const cases = (await Promise.all(files.map((file) => vectorFiles.json(file)))).flatMap(
  (file) => (file as { cases: readonly WireCase[] }).cases,
);
const { keys } = (await vectorFiles.json('vectors/profile/keys.json')) as {
  keys: Record<string, { publicKeyPem: string }>;
};

/** The cases that can be sent. */
export const sent: readonly WireCase[] = cases.filter(({ wire: { wireable, scheme, host } }) => {
  return wireable && !(scheme === 'http' && host === 'api.example.test');
});

/** Writes a case as it goes over the wire. */
export async function requestOf(one: WireCase): Promise<WireRequest> {
  const { method, headers } = one.request;
  const body = await bodyOf(one, vectorFiles);
  const isMeasured = headers.some(([name]) => name.toLowerCase() === 'content-length');
  const length = body === undefined || isMeasured ? [] : [['Content-Length', String(body.length)] as const];
  return { method, target: one.wire.target, headers: [...headers, ...length], body };
}

/** Registers the clients of all cases, each in its own account, unless registration rejects their keys. */
export async function addClients(running: RunningService): Promise<void> {
  const keyByClient = new Map(
    cases.flatMap(({ verify }) => verify.clients.map(({ clientId, publicKey }) => [clientId, publicKey])),
  );
  await running.change(async (registry) => {
    for (const [clientId, key] of keyByClient) {
      const publicKey = keys[key]!.publicKeyPem;
      const isRefused =
        /["\\ ]/.test(clientId) || !readPublicKey(publicKey, { allowPublishedTestKeys: true }).ok;
      if (isRefused) continue;
      const { accountId } = await registry.addAccount('Vectors');
      const network = [{ entry: '0.0.0.0' }];
      const client = { name: 'Vectors', accountId, clientId, publicKey, network, roles: ['api-user'] };
      await registry.addClient(client);
    }
  });
}
