/** Creates an RSA key of the recommended size. */
export const createKeyCommand = 'openssl genrsa -out private.pem 3072';
