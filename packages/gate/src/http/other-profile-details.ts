import type { ProblemCode } from '@countersign/contract/problems';

/**
 * What to do about a rejected request that is not of the closed profile, where the code's own advice holds only for that one.
 * It depends on the shape of the request, not on the client that it names, so a stranger learns nothing more.
 */
export const otherProfileDetails: Readonly<Partial<Record<ProblemCode, string>>> = {
  signature_missing: 'Send Signature-Input and Signature, with a member of the same label in each.',
  signature_malformed:
    'Send Signature-Input and Signature as dictionaries (RFC 8941), each label once, with a list of components in one and a byte sequence in the other.',
  parameters_invalid:
    "The reason says which parameter is wrong. Every signature here needs created and keyid; the client's profile says which others it has.",
  algorithm_not_allowed:
    "Sign with an algorithm of the client's profile, by a key that is for it. The reason says what is wrong.",
  components_invalid:
    "The reason says what this client's profile, or this API, requires. Accept-Signature lists what the profile covers, once your key is proved.",
  created_expired:
    'Sign each request just before sending it, and check the clock of the signing machine. The reason says how old created may be at serverTime.',
  created_in_future:
    'Correct the clock of the signing machine. The reason says how far created may be after serverTime.',
  signature_invalid:
    'Check that keyid is your clientId or the thumbprint of your public key, that the key is registered and still valid, and that you signed exactly what you send.',
  digest_missing:
    "Send Content-Digest by an algorithm of the client's profile, and cover it with the signature.",
  digest_malformed:
    'Send Content-Digest as a dictionary with each algorithm once (RFC 9530). The reason says what is wrong.',
  signature_replayed:
    'Sign every request separately. If two requests are otherwise identical, use another nonce or a later created.',
};
