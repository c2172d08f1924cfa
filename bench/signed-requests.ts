import { createSigner, type Signer } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';

/** The base URL of the API behind a benchmark's gateway. */
export const baseUrl = 'https://api.example.com';

/** Clients that call an API, each with a key of its own. */
export class SignedRequests {
  readonly #signers: Signer[] = [];
  readonly #clients: { clientId: string; publicKey: string }[] = [];
  #count = 0;

  constructor(clientCount: number) {
    for (let index = 0; index < clientCount; index++) {
      const { publicKey, privateKey } = makeKeyPair();
      const clientId = `bench-${index}`;
      this.#clients.push({ clientId, publicKey });
      this.#signers.push(createSigner({ keyid: clientId, privateKey }));
    }
  }

  /** The variable that passes the clients to the gateway. */
  get environment(): { BENCH_CLIENTS: string } {
    return { BENCH_CLIENTS: JSON.stringify(this.#clients) };
  }

  /** Signs this many GETs, by each client in turn, and serialises them. No two are equal. */
  next(count: number): Buffer[] {
    return Array.from({ length: count }, () => this.#sign());
  }

  #sign(): Buffer {
    const number = this.#count++;
    const path = `/invoices/invoice_${number}?expand=lines`;
    const signer = this.#signers[number % this.#signers.length]!;
    const { headers } = signer.sign({ method: 'GET', url: baseUrl + path });
    const lines = [
      `GET ${path} HTTP/1.1`,
      'Host: api.example.com',
      'User-Agent: bench/1',
      'Accept: application/json',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  }
}
