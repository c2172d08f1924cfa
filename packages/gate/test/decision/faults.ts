import type { ProblemCode } from '@countersign/contract';
import { dateOf, type Draft, nowSeconds } from '@countersign/testing/draft';
import { otherKeyPair } from '@countersign/testing/running-service';

/** One way to break a good request, and the code that reports it. */
export interface Fault {
  readonly name: string;
  readonly code: ProblemCode;
  readonly apply: (draft: Draft) => void;
}

const fault = (name: string, code: ProblemCode, apply: (draft: Draft) => void): Fault => ({
  name,
  code,
  apply,
});

/** The largest body that the service under test accepts. */
export const bodyBytesMax = 1000;

/**
 * Faults of a request alone, in the order in which the checks must find them (docs/profile.md section 2.1).
 * Any two of these can be combined.
 */
export const requestFaults: readonly Fault[] = [
  fault('framing: another host', 'request_malformed', (draft) => {
    draft.host = 'evil.example';
    draft.targetUri = `https://evil.example${draft.target}`;
  }),
  fault('no Signature-Input', 'signature_missing', (draft) => (draft.signatureInputSent = () => undefined)),
  fault(
    'Base64 of Signature cut off',
    'signature_malformed',
    (draft) => (draft.signatureSent = () => 'sig=:AAA:'),
  ),
  fault(
    'parameter that the profile does not have',
    'parameters_invalid',
    (draft) => (draft.moreParameters = ';tag="x"'),
  ),
  fault('another algorithm', 'algorithm_not_allowed', (draft) => (draft.alg = 'rsa-pss-sha512')),
  fault(
    'another order of the components',
    'components_invalid',
    (draft) => (draft.components = draft.components.toReversed()),
  ),
  fault('created too old', 'created_expired', (draft) => {
    draft.created = nowSeconds - 301;
    draft.date = dateOf(draft.created);
  }),
  fault('Date far from created', 'date_mismatch', (draft) => (draft.date = dateOf(nowSeconds + 61))),
  fault(
    'Content-Digest in another form',
    'digest_malformed',
    (draft) => (draft.contentDigest = 'sha-512=:AAAA:'),
  ),
  fault("somebody else's key", 'signature_invalid', (draft) => (draft.privateKey = otherKeyPair.privateKey)),
];

/** The other codes of the same checks: each excludes one of the faults above. */
export const variantFaults: readonly Fault[] = [
  fault('a target without its slash', 'request_malformed', (draft) => (draft.target = 'payments')),
  fault('a fragment', 'request_malformed', (draft) => (draft.target += '#top')),
  fault('a target of 8,193 bytes', 'uri_too_long', (draft) => (draft.target = `/${'a'.repeat(8192)}`)),
  fault('101 header lines', 'headers_too_large', (draft) => {
    for (let line = 0; line < 101; line++) draft.headers[`X-${line}`] = '';
  }),
  fault('no Signature', 'signature_missing', (draft) => (draft.signatureSent = () => undefined)),
  fault('another label', 'signature_malformed', (draft) => {
    draft.signatureInputSent = (value) => value.replace('sig=', 'sig1=');
  }),
  fault('white space', 'signature_malformed', (draft) => {
    draft.signatureInputSent = (value) => value.replace(';alg', '; alg');
  }),
  fault('no keyid', 'parameters_invalid', (draft) => {
    draft.signatureInputSent = (value) => value.replace(/;keyid="[^"]*"/, '');
  }),
  fault('another component', 'components_invalid', (draft) => draft.components.splice(1, 1, '@authority')),
  fault('created in the future', 'created_in_future', (draft) => {
    draft.created = nowSeconds + 61;
    draft.date = dateOf(draft.created);
  }),
  fault(
    'Date in another form',
    'date_invalid',
    (draft) => (draft.date = new Date(nowSeconds * 1000).toISOString()),
  ),
  fault('no Date', 'date_invalid', (draft) => (draft.date = undefined)),
  fault('no Content-Digest', 'digest_missing', (draft) => (draft.contentDigest = undefined)),
  fault('a client that does not exist', 'signature_invalid', (draft) => (draft.keyid = 'client_unknown')),
];
