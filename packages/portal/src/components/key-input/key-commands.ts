import type { ModulusBits } from './generate-key-pair.ts';
import type { PrivateKeyForm } from './private-key-form.ts';

/** The commands that make a key pair, in their order. They work with OpenSSL 1.1.1, OpenSSL 3 and LibreSSL. */
export function keyCommands(modulusBits: ModulusBits): {
  readonly make: string;
  readonly publicHalf: string;
  readonly fingerprint: string;
} {
  return {
    make: `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:${modulusBits} -out private.pem`,
    publicHalf: 'openssl pkey -in private.pem -pubout -out public.pem',
    fingerprint:
      "openssl pkey -pubin -in public.pem -outform DER | openssl dgst -sha256 -binary | openssl base64 | sed 's/=*$//; s/^/SHA256:/'",
  };
}

const publicHalfOfPem = 'openssl pkey -in private.pem -pubout';

/** What prints the public half of a private key; none for keys that are no RSA keys. */
export const publicHalfCommands: Readonly<Record<PrivateKeyForm, string | undefined>> = {
  encrypted: publicHalfOfPem,
  pkcs8: publicHalfOfPem,
  pkcs1: publicHalfOfPem,
  unknown: publicHalfOfPem,
  openssh: 'ssh-keygen -e -m PKCS8 -f id_rsa',
  putty: 'puttygen private.ppk -O public-openssh',
  'key-store': 'openssl pkcs12 -in store.p12 -nokeys -clcerts | openssl x509 -noout -pubkey',
  jwk: undefined,
  xml: undefined,
  ec: undefined,
  dsa: undefined,
  pgp: undefined,
};
