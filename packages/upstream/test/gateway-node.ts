import { signForwarded } from '../../gate/src/proxy/forwarded-signature.ts';
import { makeOwnKey, type OwnKey } from '../../server/src/forwarding/own-key.ts';
import type { ForwardedRequest } from '../src/index.ts';

export const audience = ['https://shop.example.test'];
export const directoryUrl = 'https://auth.example.test/.well-known/http-message-signatures-directory';

/** A node that signs what it forwards, without a service. */
export class GatewayNode {
  readonly #key: OwnKey = makeOwnKey(0);
  #requests = 0;

  /** Its key, as the directory has it. */
  jwk(exp?: number): object {
    return { kty: 'OKP', crv: 'Ed25519', x: this.#key.publicKey, ...(exp !== undefined && { exp }) };
  }

  /** Returns a request that it forwarded at this time. */
  forward(nowMs: number): Required<Pick<ForwardedRequest, 'method' | 'url' | 'rawHeaders'>> {
    this.#requests += 1;
    const requestId = `request_${this.#key.keyid}_${this.#requests}`;
    const identity = {
      clientId: 'client_a',
      accountId: 'account_a',
      roles: [],
      keyId: 'key_a',
      contentDigest: undefined,
    };
    const request = {
      method: 'GET',
      targetUri: `${audience[0]}/`,
      identity,
      requestId,
    };
    const { input, signature } = signForwarded(request, this.#key, nowMs);
    return {
      method: 'GET',
      url: '/',
      rawHeaders: Object.entries({
        'Countersign-Client-Id': identity.clientId,
        'Countersign-Account': identity.accountId,
        'Countersign-Roles': '',
        'Countersign-Key': identity.keyId,
        'Countersign-Request-Id': requestId,
        'Signature-Input': input,
        Signature: signature,
      }).flat(),
    };
  }
}

/** A directory and a clock that tests control, and the requests that were made to it. */
export class TestDirectory {
  nowMs: number = Date.UTC(2026, 0, 1);
  keys: object[] = [];
  /** What it answers in the place of the keys. */
  answer: (() => Response | Promise<Response>) | undefined;
  readonly reads: RequestInit[] = [];

  readonly fetch: typeof fetch = async (_url, options) => {
    this.reads.push(options ?? {});
    return this.answer?.() ?? Response.json({ keys: this.keys });
  };

  pass(seconds: number): void {
    this.nowMs += seconds * 1000;
  }
}
