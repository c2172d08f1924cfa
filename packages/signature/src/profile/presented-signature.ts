import { isContentDigest } from '../rfc9421/content-digest.ts';
import { readHttpDate } from '../rfc9421/http-date.ts';
import {
  type ComponentList,
  componentListFor,
  componentLists,
  type NoncePolicy,
  profileLimits,
  signatureAlgorithm,
  type TimeWindow,
} from './profile.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { SignatureHeaders } from './request-headers.ts';
import {
  readSignature,
  readSignatureInput,
  type SignatureInput,
  type SignatureParameters,
} from './signature-fields.ts';
import type { BareItem } from '../rfc9421/structured-fields.ts';

/** What of the profile a verifier may set. */
export interface SignatureRules {
  readonly window: TimeWindow;
  readonly nonce: NoncePolicy;
}

/** A signature as a request presents it: well-formed and timely, but not yet verified with a key. */
export interface PresentedSignature {
  readonly ok: true;
  readonly keyid: string;
  /** Unix seconds. */
  readonly created: number;
  readonly nonce: string | undefined;
  readonly components: ComponentList;
  /** The value of `@signature-params` (RFC 9421 section 2.3). */
  readonly signatureParams: string;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The covered `Date` field; undefined when it is not covered. */
  readonly date: string | undefined;
  /** The covered `Content-Digest` field; undefined when it is not covered. */
  readonly contentDigest: string | undefined;
}

/**
 * Checks 2 to 7 of the profile, in their order, from the headers alone. No key is used and nothing is remembered.
 *
 * `hasBody` says whether a body comes with the request; undefined when only reading it will tell (chunked coding).
 * Not checked here: that the signature verifies, who the client is, that the body matches, that it is the first use.
 */
export function readPresentedSignature(
  headers: SignatureHeaders,
  hasBody: boolean | undefined,
  rules: SignatureRules,
  nowSeconds: number,
): PresentedSignature | Refusal {
  const missing = checkPresence(headers);
  if (missing) return missing;

  const fields = readFields(headers);
  if (!fields.ok) return fields;

  const parameters = readParameters(fields.input.parameters, rules.nonce);
  if (!parameters.ok) return parameters;

  const wrongAlgorithm = checkAlgorithm(parameters.alg);
  if (wrongAlgorithm) return wrongAlgorithm;

  const components = readComponents(fields.input, hasBody);
  if (!components.ok) return components;

  const untimely = checkTime(parameters.created, rules.window, nowSeconds);
  if (untimely) return untimely;

  const date = components.list.coversDate ? readDate(headers, parameters.created, rules.window) : notCovered;
  if (!date.ok) return date;

  // Without this field there is no signature base: its presence and form belong before the signature check,
  // its value is compared when the body is there (check 12).
  const digest = components.list.coversContentDigest ? readDigest(headers) : notCovered;
  if (!digest.ok) return digest;

  return {
    ok: true,
    keyid: parameters.keyid,
    created: parameters.created,
    nonce: parameters.nonce,
    components: components.list,
    signatureParams: fields.input.signatureParams,
    signature: fields.signature,
    date: date.text,
    contentDigest: digest.text,
  };
}

const notCovered = { ok: true, text: undefined } as const;

/** Check 2: both fields are there, once each. */
function checkPresence(headers: SignatureHeaders): Refusal | undefined {
  return (
    presence('Signature-Input', headers.signatureInput.count) ??
    presence('Signature', headers.signature.count)
  );
}

function presence(name: string, count: number): Refusal | undefined {
  if (count === 1) return undefined;
  return refuse(
    'signature_missing',
    `the ${name} header ${count === 0 ? 'is missing' : `comes ${count} times`}`,
  );
}

interface Fields {
  readonly ok: true;
  readonly input: SignatureInput;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Check 3: strict and canonical texts, exactly the member `sig`. */
function readFields(headers: SignatureHeaders): Fields | Refusal {
  const inputText = headers.signatureInput.value;
  const signatureText = headers.signature.value;
  const tooLong = checkLength('Signature-Input', inputText) ?? checkLength('Signature', signatureText);
  if (tooLong) return tooLong;
  const input = readSignatureInput(inputText);
  if (!input) {
    return refuse('signature_malformed', 'Signature-Input is not one member "sig" in its canonical text', {
      expected: `sig=${componentLists[0]!.text};created=<unix seconds>;keyid="<clientId>";alg="${signatureAlgorithm}"`,
      received: inputText,
    });
  }
  const signature = readSignature(signatureText);
  if (!signature) {
    return refuse('signature_malformed', 'Signature is not one member "sig" with canonical, padded Base64', {
      expected: 'sig=:<base64>:',
    });
  }
  return { ok: true, input, signature };
}

function checkLength(name: string, text: string): Refusal | undefined {
  const { signatureFieldLengthMax } = profileLimits;
  if (text.length <= signatureFieldLengthMax) return undefined;
  return refuse(
    'signature_malformed',
    `${name} has ${text.length} characters, more than ${signatureFieldLengthMax}`,
  );
}

interface ReadParameters {
  readonly ok: true;
  readonly created: number;
  readonly keyid: string;
  readonly alg: string;
  readonly nonce: string | undefined;
}

/** Check 4: exactly the parameters of the profile, each of its type. */
function readParameters(parameters: SignatureParameters, policy: NoncePolicy): ReadParameters | Refusal {
  const { created, keyid, alg, nonce, unknown } = parameters;
  if (created?.type !== 'integer') return parameterRefused('created', created, 'an integer of Unix seconds');
  if (keyid?.type !== 'string') return parameterRefused('keyid', keyid, 'a string, the clientId');
  if (alg?.type !== 'string') return parameterRefused('alg', alg, `the string "${signatureAlgorithm}"`);
  if (!isVisibleAscii(keyid.value, profileLimits.keyidLengthMax)) {
    return refuse(
      'parameters_invalid',
      `keyid must have 1 to ${profileLimits.keyidLengthMax} visible ASCII characters without spaces`,
    );
  }
  if (nonce ? policy === 'off' : policy === 'required') {
    return refuse(
      'parameters_invalid',
      nonce ? 'the parameter "nonce" is not allowed' : 'the parameter "nonce" is missing',
    );
  }
  if (nonce && (nonce.type !== 'string' || !isNonce(nonce.value))) {
    const { nonceLengthMin, nonceLengthMax } = profileLimits;
    return parameterRefused(
      'nonce',
      nonce,
      `a string of ${nonceLengthMin} to ${nonceLengthMax} visible characters`,
    );
  }
  if (unknown.length > 0) {
    const names = unknown.map((name) => `"${name}"`).join(', ');
    return refuse('parameters_invalid', `the profile has no parameter ${names}`);
  }
  return {
    ok: true,
    created: created.value,
    keyid: keyid.value,
    alg: alg.value,
    nonce: nonce?.value,
  };
}

function parameterRefused(name: string, item: BareItem | undefined, wanted: string): Refusal {
  const found = item ? `is a ${item.type}` : 'is missing';
  return refuse('parameters_invalid', `the parameter "${name}" ${found}; it must be ${wanted}`);
}

/** Check 5: the one algorithm that keys of the profile are registered for. */
function checkAlgorithm(alg: string): Refusal | undefined {
  if (alg === signatureAlgorithm) return undefined;
  return refuse('algorithm_not_allowed', 'the key is registered for another algorithm', {
    expected: signatureAlgorithm,
    received: alg,
  });
}

/** Check 6: exactly the components of the profile, in its order. */
function readComponents(
  input: SignatureInput,
  hasBody: boolean | undefined,
): { readonly ok: true; readonly list: ComponentList } | Refusal {
  const list = componentLists.find((one) => one.text === input.componentsText);
  if (list && (hasBody === undefined || hasBody === list.coversContentDigest)) return { ok: true, list };
  const wanted = hasBody === undefined ? [true, false] : [hasBody];
  const reason = list
    ? `"content-digest" must be covered ${hasBody ? 'because there is a body' : 'only when there is a body'}`
    : 'the covered components are not those of the profile';
  return refuse('components_invalid', reason, {
    expected: wanted.map((body) => componentListFor(body, true).text).join(' or '),
    received: input.componentsText,
  });
}

/** Check 7, the signature's own time. */
function checkTime(created: number, window: TimeWindow, nowSeconds: number): Refusal | undefined {
  const ageSeconds = nowSeconds - created;
  if (ageSeconds > window.maxAgeSeconds) {
    return refuse('created_expired', `created is ${ageSeconds} s old, more than ${window.maxAgeSeconds} s`);
  }
  if (-ageSeconds > window.maxFutureSeconds) {
    return refuse(
      'created_in_future',
      `created is ${-ageSeconds} s ahead, more than ${window.maxFutureSeconds} s`,
    );
  }
  return undefined;
}

/** Check 7, the covered `Date`. */
function readDate(
  headers: SignatureHeaders,
  created: number,
  window: TimeWindow,
): { readonly ok: true; readonly text: string } | Refusal {
  const { count, value: text } = headers.date;
  const expected = 'Tue, 20 Apr 2021 02:07:55 GMT';
  if (count !== 1) {
    return refuse('date_invalid', `the Date header ${count === 0 ? 'is missing' : `comes ${count} times`}`, {
      expected,
    });
  }
  const seconds = readHttpDate(text);
  if (seconds === undefined) {
    return refuse('date_invalid', 'the Date header is not an IMF-fixdate', { expected, received: text });
  }
  const apart = Math.abs(seconds - created);
  if (apart > window.maxDateDifferenceSeconds) {
    return refuse(
      'date_mismatch',
      `Date and created are ${apart} s apart, more than ${window.maxDateDifferenceSeconds} s`,
    );
  }
  return { ok: true, text };
}

function readDigest(headers: SignatureHeaders): { readonly ok: true; readonly text: string } | Refusal {
  const { count, value: text } = headers.contentDigest;
  if (count === 0) return refuse('digest_missing', 'the Content-Digest header is covered but missing');
  if (count !== 1 || !isContentDigest(text)) {
    const reason =
      count > 1
        ? `the Content-Digest header comes ${count} times`
        : 'Content-Digest is not one sha-256 digest';
    return refuse('digest_malformed', reason, {
      expected: 'sha-256=:<base64 of the SHA-256 of the body>:',
      received: text,
    });
  }
  return { ok: true, text };
}

function isVisibleAscii(text: string, lengthMax: number): boolean {
  if (text.length === 0 || text.length > lengthMax) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x21 || code > 0x7e) return false;
  }
  return true;
}

function isNonce(text: string): boolean {
  return text.length >= profileLimits.nonceLengthMin && isVisibleAscii(text, profileLimits.nonceLengthMax);
}
