// Compiled against the declarations, with the types of neither a browser nor Node; never run.
import {
  createSigner,
  createVerificationKey,
  MemoryReplayGuard,
  type SignedRequest,
  type Verification,
  type VerificationKey,
  verifyRequest,
} from '@countersign/signature';

interface Shop {
  readonly keys: readonly VerificationKey[];
}

export async function sign(privateKey: string): Promise<SignedRequest> {
  const signer = await createSigner({ keyid: 'shop', privateKey });
  return signer.sign({ method: 'GET', url: { href: 'https://api.example.com/' } });
}

export async function verify(publicKey: string, body: ArrayBuffer): Promise<Verification<Shop>> {
  const shop: Shop = { keys: [await createVerificationKey(publicKey)] };
  const request = { method: 'GET', targetUri: 'https://api.example.com/', headers: [], body };
  return verifyRequest(request, { clientByKeyid: () => shop, guard: new MemoryReplayGuard() });
}

// @ts-expect-error a parsed body is not a body
export const wrong: Parameters<typeof verifyRequest>[0]['body'] = { amount: 1 };
