import { alternatives } from '../rfc9421/algorithms.ts';
import { isContentDigest } from '../rfc9421/content-digest.ts';
import { readHttpDate } from '../rfc9421/http-date.ts';
import { signatureBase } from '../rfc9421/signature-base.ts';
import { methodToken } from '../rfc9421/tokens.ts';
import type { BareItem } from '../rfc9421/structured-fields.ts';
import { andThen, type Awaitable, type Examination, isPromise, type Means } from './examination.ts';
import { componentListOf, defaultProfile, profileLimits, profiles, signatureLabel } from './profiles.ts';
import { type FieldName, type Refusal, type RefusalCode, refuse } from './refusal.ts';
import { readSignature, readSignatureInput } from './signature-fields.ts';

/** The names of the checks, as explanations and the portal use them. */
export type CheckName =
  | 'framing'
  | 'presence'
  | 'syntax'
  | 'parameters'
  | 'algorithm'
  | 'components'
  | 'time'
  | 'signature'
  | 'active'
  | 'network'
  | 'permission'
  | 'body'
  | 'replay';

/**
 * The stage at which a check can run: on method and URL alone, on the headers, once the body has arrived, and
 * after everything else, because using up the signature is the only step that leaves a trace.
 */
export type Stage = 'target' | 'head' | 'body' | 'replay';

/** A check: it rejects the request, or stores what it read in the examination and returns nothing. */
export interface Check {
  /** Several checks may share a name: parts of one that cannot all run at once. */
  readonly name: CheckName;
  readonly stage: Stage;
  readonly codes: readonly RefusalCode[];
  readonly run: <Client>(
    examination: Examination<Client>,
    means: Means<Client>,
  ) => Awaitable<Refusal | undefined>;
}

/**
 * The profile's checks, in order: the first one that fails decides. The order is defined here and nowhere else; a test
 * compares docs/profile.md section 2.1 with it, whose numbers the comments below use. Verifiers run the list with `walk`;
 * the explainer continues past failures where it can.
 */
export const checks: readonly Check[] = [
  {
    name: 'framing',
    stage: 'target',
    codes: ['request_malformed'],
    run: ({ method, targetUri }) => checkTarget(method, targetUri),
  },
  { name: 'presence', stage: 'head', codes: ['signature_missing'], run: checkPresence },
  { name: 'syntax', stage: 'head', codes: ['signature_malformed'], run: checkSyntax },
  { name: 'parameters', stage: 'head', codes: ['parameters_invalid'], run: checkParameters },
  { name: 'algorithm', stage: 'head', codes: ['algorithm_not_allowed'], run: checkAlgorithm },
  { name: 'components', stage: 'head', codes: ['components_invalid'], run: checkComponents },
  {
    name: 'time',
    stage: 'head',
    codes: ['created_expired', 'created_in_future'],
    run: checkCreated,
  },
  { name: 'time', stage: 'head', codes: ['date_invalid', 'date_mismatch'], run: checkDate },
  // A covered field that is missing or repeated leaves no signature base, so its form is checked before the signature.
  {
    name: 'body',
    stage: 'head',
    codes: ['digest_missing', 'digest_malformed'],
    run: checkDigestForm,
  },
  { name: 'signature', stage: 'head', codes: ['signature_invalid'], run: checkSignature },
  // Depends on the client's record. An earlier check would reveal to strangers which clients exist.
  { name: 'components', stage: 'head', codes: ['components_invalid'], run: checkClientProfile },
  {
    name: 'active',
    stage: 'head',
    codes: ['client_disabled', 'account_suspended'],
    run: ({ client }, { standing }) => standing?.checkActive(client!),
  },
  {
    name: 'network',
    stage: 'head',
    codes: ['network_not_allowed'],
    run: ({ client }, { standing }) => standing?.checkNetwork(client!),
  },
  {
    name: 'permission',
    stage: 'head',
    codes: ['permission_denied'],
    run: ({ client }, { standing }) => standing?.checkPermission(client!),
  },
  {
    name: 'body',
    stage: 'body',
    codes: ['digest_missing', 'digest_mismatch', 'components_invalid'],
    run: checkBody,
  },
  {
    name: 'replay',
    stage: 'replay',
    codes: ['signature_replayed', 'guard_unavailable', 'guard_full', 'recently_restarted'],
    run: (examination, means) => means.useSignature(examination),
  },
];

/** Returns the checks of some stages, in order. */
export function checksOf(...stages: readonly Stage[]): readonly Check[] {
  return checks.filter(({ stage }) => stages.includes(stage));
}

/**
 * Runs checks until one rejects, and returns the rejection. Returns a promise only if one of the means does,
 * so synchronous means make it synchronous.
 */
export function walk<Client>(
  list: readonly Check[],
  examination: Examination<Client>,
  means: Means<Client>,
): Awaitable<Refusal | undefined> {
  for (let index = 0; index < list.length; index++) {
    const refusal = list[index]!.run(examination, means);
    if (refusal === undefined) continue;
    if (!isPromise(refusal)) return refusal;
    const rest = list.slice(index + 1);
    return refusal.then((first) => first ?? walk(rest, examination, means));
  }
  return undefined;
}

const absoluteUri = /^https?:\/\/[^\x00-\x20\x7f-\uffff/?#@\\]+\/[^\x00-\x20\x7f-\uffff#]*$/;

/**
 * Check 1, limited to what a library can see: the method is a token (RFC 9110 section 5.6.2), and the target
 * URI is the absolute URL as called: `http` or `https`, a host, a path, visible ASCII, no user information,
 * no fragment.
 */
export function checkTarget(method: string, targetUri: string): Refusal | undefined {
  if (!methodToken.test(method)) return refuse('request_malformed', 'the method is not a token');
  if (targetUri.length > profileLimits.targetUriLengthMax)
    return refuse('request_malformed', 'the target URI is too long');
  if (!absoluteUri.test(targetUri)) {
    return refuse(
      'request_malformed',
      'the target URI is not an absolute http or https URL with a path, in visible ASCII',
    );
  }
  return undefined;
}

/** Check 2: both fields are present, once each. */
function checkPresence({ headers }: Examination): Refusal | undefined {
  return (
    presence('Signature-Input', 'signature-input', headers.signatureInput.count) ??
    presence('Signature', 'signature', headers.signature.count)
  );
}

function presence(name: string, field: FieldName, count: number): Refusal | undefined {
  if (count === 1) return undefined;
  return refuse(
    'signature_missing',
    `the ${name} header ${count === 0 ? 'is missing' : `comes ${count} times`}`,
    { field },
  );
}

/** Check 3: strict and canonical texts, with exactly the member `sig`. */
function checkSyntax(examination: Examination): Refusal | undefined {
  const inputText = examination.headers.signatureInput.value;
  const signatureText = examination.headers.signature.value;
  const tooLong =
    checkLength('Signature-Input', 'signature-input', inputText) ??
    checkLength('Signature', 'signature', signatureText);
  if (tooLong) return tooLong;
  const input = readSignatureInput(inputText);
  if (!input) {
    const reason = `Signature-Input is not one member "${signatureLabel}" in its canonical text`;
    return refuse('signature_malformed', reason, {
      field: 'signature-input',
      expected: defaultProfile.expectedInput,
      received: inputText,
    });
  }
  const signature = readSignature(signatureText);
  if (!signature) {
    const reason = `Signature is not one member "${signatureLabel}" with canonical, padded Base64`;
    return refuse('signature_malformed', reason, {
      field: 'signature',
      expected: `${signatureLabel}=:<base64>:`,
    });
  }
  examination.input = input;
  examination.signatureParams = input.signatureParams;
  examination.signature = signature;
  return undefined;
}

function checkLength(name: string, field: FieldName, text: string): Refusal | undefined {
  const { signatureFieldLengthMax } = profileLimits;
  if (text.length <= signatureFieldLengthMax) return undefined;
  return refuse(
    'signature_malformed',
    `${name} has ${text.length} characters, more than ${signatureFieldLengthMax}`,
    { field },
  );
}

/** Check 4: exactly the profile's parameters, each of its type. */
function checkParameters(examination: Examination): Refusal | undefined {
  const { created, keyid, alg, nonce, unknown } = examination.input.parameters;
  const policy = examination.rules.nonce;
  if (created?.type !== 'integer') return parameterRefused('created', created, 'an integer of Unix seconds');
  if (keyid?.type !== 'string') return parameterRefused('keyid', keyid, 'a string, the clientId');
  if (alg?.type !== 'string') return parameterRefused('alg', alg, `the string ${quotedAlgorithms}`);
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
  examination.created = created.value;
  examination.keyid = keyid.value;
  examination.alg = alg.value;
  examination.nonce = nonce?.value;
  return undefined;
}

function parameterRefused(name: string, item: BareItem | undefined, wanted: string): Refusal {
  const found = item ? `is a ${item.type}` : 'is missing';
  return refuse('parameters_invalid', `the parameter "${name}" ${found}; it must be ${wanted}`);
}

const quotedAlgorithms = alternatives(defaultProfile.profile.algorithms.map((name) => `"${name}"`));

/**
 * Check 5: an algorithm of the profile. It must also be the algorithm of the key that verifies: check 8 tries no other
 * keys, because a comparison here would reveal to strangers which clients exist.
 */
function checkAlgorithm({ alg }: Examination): Refusal | undefined {
  const { algorithmNames, hasAlgorithm } = defaultProfile;
  if (hasAlgorithm(alg)) return undefined;
  return refuse('algorithm_not_allowed', `only ${algorithmNames} is accepted`, {
    expected: algorithmNames,
    received: alg,
  });
}

/** Check 6: exactly the profile's components, in its order. */
function checkComponents(examination: Examination): Refusal | undefined {
  const { hasBody } = examination;
  const { componentsText } = examination.input;
  const list = componentListOf(componentsText);
  if (list && (hasBody === undefined || hasBody === list.coversContentDigest)) {
    examination.components = list;
    return undefined;
  }
  const wanted = hasBody === undefined ? [true, false] : [hasBody];
  const reason = list
    ? `"content-digest" must be covered ${hasBody ? 'because there is a body' : 'only when there is a body'}`
    : 'the covered components are not those of the profile';
  return refuse('components_invalid', reason, {
    expected: wanted.map((body) => defaultProfile.listFor(body).text).join(' or '),
    received: componentsText,
  });
}

/** Check 7, the signature's own time. */
export function checkCreated({
  created,
  rules,
  nowSeconds,
}: Pick<Examination, 'created' | 'rules' | 'nowSeconds'>): Refusal | undefined {
  const { window } = rules;
  const ageSeconds = nowSeconds - created;
  // The negated comparison also rejects a time that is NaN.
  if (!(ageSeconds <= window.maxAgeSeconds)) {
    return refuse(
      'created_expired',
      `created is ${ageSeconds} s old; the limit is ${window.maxAgeSeconds} s`,
    );
  }
  if (!(-ageSeconds <= window.maxFutureSeconds)) {
    return refuse(
      'created_in_future',
      `created is ${-ageSeconds} s ahead; the limit is ${window.maxFutureSeconds} s`,
    );
  }
  return undefined;
}

/** Check 7, the covered `Date`. */
function checkDate(examination: Examination): Refusal | undefined {
  if (!examination.components.coversDate) return undefined;
  const { headers, created, rules } = examination;
  const { count, value: text } = headers.date;
  const expected = 'Tue, 20 Apr 2021 02:07:55 GMT';
  if (count !== 1) {
    return refuse('date_invalid', `the Date header ${count === 0 ? 'is missing' : `comes ${count} times`}`, {
      field: 'date',
      expected,
    });
  }
  const seconds = readHttpDate(text);
  if (seconds === undefined) {
    return refuse('date_invalid', 'the Date header is not an IMF-fixdate', {
      field: 'date',
      expected,
      received: text,
    });
  }
  examination.date = text;
  const apart = Math.abs(seconds - created);
  if (!(apart <= rules.window.maxDateDifferenceSeconds)) {
    return refuse(
      'date_mismatch',
      `Date and created are ${apart} s apart; the limit is ${rules.window.maxDateDifferenceSeconds} s`,
    );
  }
  return undefined;
}

/** Check 7b: a covered `Content-Digest` is well-formed. */
function checkDigestForm(examination: Examination): Refusal | undefined {
  if (!examination.components.coversContentDigest) return undefined;
  const { count, value: text } = examination.headers.contentDigest;
  if (count === 0)
    return refuse('digest_missing', 'the Content-Digest header is covered but missing', {
      field: 'content-digest',
    });
  if (count !== 1 || !isContentDigest(text)) {
    const reason =
      count > 1
        ? `the Content-Digest header comes ${count} times`
        : 'Content-Digest is not one sha-256 digest';
    return refuse('digest_malformed', reason, {
      field: 'content-digest',
      expected: 'sha-256=:<base64 of the SHA-256 of the body>:',
      received: text,
    });
  }
  examination.contentDigest = text;
  return undefined;
}

/**
 * Check 8: a usable key of the client that the request names made this signature over this request. The key must be
 * registered for the announced algorithm.
 */
function checkSignature<Client>(
  examination: Examination<Client>,
  means: Means<Client>,
): Awaitable<Refusal | undefined> {
  return andThen(means.findClient(examination.keyid), (client) => proveClient(client, examination, means));
}

function proveClient<Client>(
  client: Client | undefined,
  examination: Examination<Client>,
  means: Means<Client>,
): Awaitable<Refusal | undefined> {
  const { components, signatureParams } = examination;
  examination.base = signatureBase(components.components, examination, signatureParams);
  return andThen(means.findVerifyingKey(client, examination), (keyIndex) =>
    proved(client, keyIndex, examination),
  );
}

function proved<Client>(
  client: Client | undefined,
  keyIndex: number,
  examination: Examination<Client>,
): Refusal | undefined {
  if (client === undefined) return refuse('signature_invalid', 'no client has this keyid');
  if (keyIndex < 0)
    return refuse('signature_invalid', 'the signature does not match any working key of this client');
  examination.client = client;
  examination.keyIndex = keyIndex;
  return undefined;
}

/** Check 8b: the client's profile permits the covered components. */
function checkClientProfile<Client>(
  { components, client }: Examination<Client>,
  means: Means<Client>,
): Refusal | undefined {
  const { lists, listFor } = profiles[means.profileOf(client!)];
  if (lists.has(components.text)) return undefined;
  const complete = listFor(components.coversContentDigest);
  const missing = complete.identifiers.filter((identifier) => !components.identifiers.includes(identifier));
  return refuse(
    'components_invalid',
    `"${missing.join('", "')}" is not covered, and this client is not registered to leave it out`,
    { expected: complete.text, received: components.text },
  );
}

/** Check 12: the body's bytes are the signed ones. */
function checkBody<Client>(
  examination: Examination<Client>,
  means: Means<Client>,
): Awaitable<Refusal | undefined> {
  const { body, contentDigest } = examination;
  if (contentDigest === undefined) {
    return body.length === 0
      ? undefined
      : refuse('digest_missing', 'there is a body, but Content-Digest is not covered', {
          field: 'content-digest',
        });
  }
  if (body.length === 0)
    return refuse('components_invalid', '"content-digest" is covered, but the body is empty');
  const actual = 'contentDigest' in body ? body.contentDigest : means.contentDigest(body);
  return andThen(actual, (digest) => compareDigest(digest, examination));
}

function compareDigest(actual: string, { body, contentDigest }: Examination): Refusal | undefined {
  if (actual === contentDigest) return undefined;
  return refuse(
    'digest_mismatch',
    `Content-Digest is not the digest of the ${body.length} bytes that were received`,
    { received: contentDigest! },
  );
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
