import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

export interface StoredPasskey {
  readonly id: string;
  /** PEM. */
  readonly privateKey: string;
  /** How often it has been used. */
  readonly counter: number;
}

/** A passkey in a test's hands, answering like a browser and its authenticator (WebAuthn level 3). */
export class Authenticator {
  readonly id: string;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  #counter: number;

  /** Creates a passkey, or restores a stored one. */
  constructor(stored?: StoredPasskey) {
    this.id = stored?.id ?? randomBytes(32).toString('base64url');
    this.#counter = stored?.counter ?? 0;
    if (stored === undefined) this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    else {
      const privateKey = createPrivateKey(stored.privateKey);
      this.#keys = { privateKey, publicKey: createPublicKey(stored.privateKey) };
    }
  }

  /** Whether the owner gives a fingerprint, a face or a PIN. */
  isUserVerified = true;

  register(options: Record<string, unknown>, origin: string): Record<string, unknown> {
    const { rp, challenge } = options as { rp: { id: string }; challenge: string };
    const clientDataJSON = clientData('webauthn.create', challenge, origin);
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()]);
    const data = Buffer.concat([this.#data(rp.id, 0x40), credential]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(data),
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientDataJSON.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  prove(options: Record<string, unknown>, origin: string): Record<string, unknown> {
    const { rpId, challenge } = options as { rpId: string; challenge: string };
    const clientDataJSON = clientData('webauthn.get', challenge, origin);
    this.#counter += 1;
    const data = this.#data(rpId, 0);
    const hash = createHash('sha256').update(clientDataJSON).digest();
    const signature = sign('sha256', Buffer.concat([data, hash]), this.#keys.privateKey);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      },
    };
  }

  #data(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const present = 0x01 | (this.isUserVerified ? 0x04 : 0) | flags;
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([present]), counter]);
  }

  /** Encodes the ES256 public key as a COSE key (RFC 9053 section 7.1.1). */
  #coseKey(): Buffer {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x!, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y!, 'base64url')),
    ]);
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}
