/** Creates a private key of the recommended kind and size. */
export const createKeyCommand = 'openssl genrsa -out private.pem 3072';
