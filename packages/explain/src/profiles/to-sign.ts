import { encodeBase64 } from '@countersign/signature';
import {
  acceptMessageSignature,
  type DefinedProfile,
  type ExaminedSignature,
  messageAlgorithms,
  wantedSignature,
} from '@countersign/signature/messages/request';
import { isEqual } from '../byte-text.ts';
import type { Investigation } from '../diagnosis/investigation.ts';
import { clientIdToUse } from '../diagnosis/signer-findings.ts';
import type { RequestToExplain } from '../explanation.ts';
import { codesOf, type Finding } from '../findings/finding.ts';
import type { ToSign } from '../judge.ts';
import type { FoundSigner } from '../search/signer-search.ts';
import { digestOf } from './digest-of.ts';
import { examineRequest } from './examine-request.ts';

/** Returns the signature that the request should have, as close to its own as possible, and how a service asks for it. */
export function toSignBy(
  defined: DefinedProfile,
  investigation: Investigation,
  findings: readonly Finding[],
  signer: FoundSigner | undefined,
): ToSign {
  const { profile } = defined;
  const request = withDigest(defined, investigation);
  const { message, signature } = examineRequest(defined, request, investigation.options);
  if (message === undefined)
    return {
      base: undefined,
      wanted: { profile: profile.id, signatureInput: undefined, acceptSignature: undefined },
    };
  const acceptSignature = acceptedBy(defined, request);
  const codes = new Set(findings.flatMap(codesOf));
  const values = valuesFor(defined, investigation, signature, signer);
  if (values === undefined)
    return { base: undefined, wanted: { profile: profile.id, signatureInput: undefined, acceptSignature } };
  const { signatureInput, base } = wantedSignature(message, defined, signature, values);
  const wanted = { profile: profile.id, signatureInput, acceptSignature };
  const isBodyMissing = codes.has('body_missing') && !codes.has('body_empty');
  return {
    base:
      base !== undefined &&
      !isBodyMissing &&
      isAccepted(defined, request, signatureInput, base, investigation)
        ? base
        : undefined,
    wanted,
  };
}

function acceptedBy(defined: DefinedProfile, { method, targetUri, headers, body }: RequestToExplain): string {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  // Of an unknown body, the part about bodies is shown.
  return acceptMessageSignature(defined, {
    method,
    targetUri,
    headers: lines,
    body: body ? Uint8Array.from(body) : new Uint8Array(1),
  });
}

/** Returns the request with the digest of its body, in place of one that is missing or wrong. */
function withDigest(
  { profile }: DefinedProfile,
  { request, options, meant }: Investigation,
): RequestToExplain {
  const { body, headers } = request;
  const [algorithm] = profile.digests ?? [];
  if (body === undefined || algorithm === undefined) return request;
  const sent = headers.some(([name]) => name.toLowerCase() === 'content-digest');
  const own = meant.digest && digestOf(meant.digest.hash === 'sha512' ? 'sha-512' : 'sha-256', body, options);
  const isRight = meant.digest !== undefined && own !== undefined && isEqual(meant.digest.bytes, own);
  if (sent ? isRight || meant.digest === undefined : body.length === 0) return request;
  const digest = digestOf(algorithm, body, options);
  if (digest === undefined) return request;
  return {
    ...request,
    headers: [
      ...headers.filter(([name]) => name.toLowerCase() !== 'content-digest'),
      ['Content-Digest', `${algorithm}=:${encodeBase64(digest)}:`],
    ],
  };
}

/** Returns the parameters; undefined if one of them is only for the signer to say. */
function valuesFor(
  { profile, tags }: DefinedProfile,
  { meant, candidates, options }: Investigation,
  signature: ExaminedSignature | undefined,
  signer: FoundSigner | undefined,
): ExaminedSignature['parameters'] | undefined {
  const { parameters: rules, time, nonceLength = { min: 1, max: 256 } } = profile;
  const sent = signature?.parameters ?? {};
  const isRequired = (name: keyof typeof rules): boolean => rules[name] === 'required';
  const { nowSeconds, window } = options;
  const maxAge = Math.min(time.maxAgeSeconds ?? Infinity, window?.maxAgeSeconds ?? Infinity);
  const maxFuture = Math.min(time.maxFutureSeconds ?? Infinity, window?.maxFutureSeconds ?? Infinity);
  const isTimely =
    sent.created !== undefined &&
    nowSeconds - sent.created <= maxAge &&
    sent.created - nowSeconds <= maxFuture;
  const isNeeded =
    rules.created !== undefined &&
    (isRequired('created') || sent.created !== undefined || options.refusedWith !== undefined);
  const created = !isNeeded ? undefined : isTimely ? sent.created : nowSeconds;
  const start = created ?? nowSeconds;
  const life = Math.min(time.maxLifeSeconds ?? lifeSeconds, lifeSeconds);
  const isLasting =
    sent.expires !== undefined &&
    sent.expires > start &&
    sent.expires >= nowSeconds &&
    sent.expires - start <= (time.maxLifeSeconds ?? Infinity);
  const hasExpires = sent.expires !== undefined || isRequired('expires');
  const isNonceRight =
    sent.nonce !== undefined && sent.nonce.length >= nonceLength.min && sent.nonce.length <= nonceLength.max;
  const client = clientIdToUse(meant.keyid, candidates, signer);
  // A thumbprint names its client too.
  const keyid = client === meant.keyid ? (sent.keyid ?? client) : client;
  if ((isRequired('nonce') && !isNonceRight) || (isRequired('keyid') && keyid === undefined))
    return undefined;
  const isTagRight = sent.tag !== undefined && (tags === undefined || tags.includes(sent.tag));
  const mayAnnounce = messageAlgorithms[meant.algorithm as keyof typeof messageAlgorithms]?.isRegistered;
  return {
    created,
    expires: !hasExpires ? undefined : isLasting ? sent.expires : start + life,
    keyid,
    alg: (sent.alg !== undefined || isRequired('alg')) && mayAnnounce ? meant.algorithm : undefined,
    nonce: isNonceRight ? sent.nonce : undefined,
    tag: isTagRight ? sent.tag : isRequired('tag') ? tags?.[0] : undefined,
  };
}

const lifeSeconds = 300;

/** Returns true if the profile's checks pass with this `Signature-Input`, and build the same base. */
function isAccepted(
  defined: DefinedProfile,
  request: RequestToExplain,
  signatureInput: string,
  base: string,
  { options }: Investigation,
): boolean {
  const label = signatureInput.slice(0, signatureInput.indexOf('='));
  const headers = request.headers.filter(([name]) => !/^signature(?:-input)?$/i.test(name));
  const { failures, signature } = examineRequest(
    defined,
    {
      ...request,
      headers: [...headers, ['Signature-Input', signatureInput], ['Signature', `${label}=:AAAA:`]],
    },
    options,
  );
  return failures.length === 0 && signature?.base === base;
}
