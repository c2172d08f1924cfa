// Compiled against the declarations, without any framework; never run.
import { createVerifier, followRegistry, type RegistryCopy, type Verifier } from '@countersign/middleware';
import { countersign as forExpress } from '@countersign/middleware/express';
import { countersign as forNode } from '@countersign/middleware/node';
import { createSigner } from '@countersign/signature/node';

export const verifier: Verifier = createVerifier({
  baseUrls: ['https://api.example.com'],
  findClient: async () => ({ keys: ['PEM'], network: ['0.0.0.0'] }),
});

// @ts-expect-error a network is required, so that nobody allows every address by mistake
createVerifier({ baseUrls: [], findClient: () => ({ keys: [] }) });

export const middleware: ReturnType<typeof forExpress> = forExpress(verifier);

export const listener: ReturnType<typeof forNode> = forNode(verifier, (_request, response, signed) => {
  const clientId: string = signed.clientId;
  // @ts-expect-error bytes, not text
  const body: string = signed.body;
  response.end(clientId + body);
});

export const registry: Promise<RegistryCopy> = followRegistry({
  baseUrl: 'https://console.example.com',
  signer: createSigner({ keyid: 'auditor', privateKey: 'PEM' }),
});
