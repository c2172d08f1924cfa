import type { SignatureFormat } from '../profile.ts';

/**
 * What the gateway signs of a response to a verified client: the shape of FAPI 2.0 HTTP Signatures for responses to signed
 * requests (<https://openid.bitbucket.io/fapi/fapi-2_0-http-signatures.html>). The signature of the request is covered, so a
 * response answers no other request, even one for the same URL.
 */
export const signedResponse: SignatureFormat<'ed25519'> = {
  id: 'signed-response',
  select: { label: 'countersign', tag: 'fapi-2-response' },
  components: {
    required: [
      { identifier: '@status', when: 'always' },
      { identifier: 'content-digest', when: 'body' },
      { identifier: '"@method";req', when: 'always' },
      { identifier: '"@target-uri";req', when: 'always' },
      { identifier: '"content-digest";req', when: 'request digest' },
      { identifier: '"signature-input";req', when: 'always' },
      { identifier: '"signature";req', when: 'always' },
    ],
  },
  parameters: { created: 'required', keyid: 'required', alg: 'required', tag: 'required' },
  algorithms: ['ed25519'],
};
