import {
  type DefinedProfile,
  type ExaminedHead,
  type MessageRefusal,
  messageAlgorithms,
} from '@countersign/signature/messages/request';
import type { Refusal } from '@countersign/signature';
import type { Investigation } from '../diagnosis/investigation.ts';
import { timeFindings } from '../diagnosis/time-findings.ts';
import { malformedFinding } from '../diagnosis/visible-findings.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { readUsable } from '../keys/candidates.ts';
import { algorithmsOf } from '../keys/signing-key.ts';
import { missingField, receiveFields } from '../reading/received-fields.ts';
import { dialectOf } from './dialects.ts';
import { examineRequest } from './examine-request.ts';
import { beyondProfile } from './beyond-profile.ts';

/** Finds everything that a profile shows to be wrong without a key or a search. */
export function profileFindings(
  defined: DefinedProfile,
  investigation: Investigation,
  refusal: Refusal,
): readonly Finding[] {
  const { request, meant, options } = investigation;
  const head = examineRequest(defined, request, options);
  const isOfForm = head.failures.some(
    (failure) => ofProfile.has(failure.check) && failure.refusal.code !== 'signature_malformed',
  );
  const dialect = isOfForm ? dialectOf(defined, request, meant.input, options) : undefined;
  const found = head.failures.flatMap(({ check, refusal: failed }): readonly Finding[] => {
    switch (check) {
      case 'message':
        return [malformedFinding(request.targetUri, failed.reason)];
      case 'presence':
        return presenceFindings(investigation);
      case 'selection':
        return selectionFindings(defined, head, failed, investigation);
      case 'parameters':
        return parameterFindings(defined, head, failed);
      case 'algorithm':
        return [algorithmFinding(defined, failed)];
      case 'components':
        return [componentFinding(defined, failed, investigation)];
      case 'time':
        return expiryFindings(failed);
    }
  });
  const digests = head.signature?.digests;
  return [
    ...(dialect === undefined ? [] : [dialectFinding(defined, dialect)]),
    ...found,
    ...clockFindings(defined, head, investigation),
    ...serviceFindings(head, investigation),
    ...(digests && 'ok' in digests ? [digestFinding(digests)] : []),
    ...keyFindings(defined, investigation),
    ...beyondFindings(head, investigation, refusal),
  ];
}

/** The checks whose failure may mean that another profile was followed. */
const ofProfile: ReadonlySet<string> = new Set(['selection', 'parameters', 'algorithm', 'components']);

function dialectFinding({ profile }: DefinedProfile, dialect: string): Finding {
  return finding('profile_other', 'observed', {
    what: `This is ${dialect}, but the client is registered for ${profile.id}: ${profile.title}.`,
    mend: `Sign by ${profile.id}, or have the client registered for the profile that it signs by.`,
  });
}

/** What the service alone decides, if nothing else is wrong. */
function beyondFindings(
  { signature }: ExaminedHead,
  { request, options }: Investigation,
  refusal: Refusal,
): readonly Finding[] {
  const beyond = signature && beyondProfile(signature, request, options);
  // The checks say the same only if they find nothing before.
  return beyond?.reason === refusal.reason
    ? [finding(beyond.code, 'likely', { detail: refusal.reason })]
    : [];
}

function presenceFindings({ request }: Investigation): readonly Finding[] {
  const hasBody = request.body && request.body.length > 0;
  const { findings, missing } = receiveFields(request.headers, { hasBody });
  const isOfSignature = (name: string): boolean => name === 'signature' || name === 'signature-input';
  const ofHeaders = findings.filter(({ facts }) => facts?.fields?.some(isOfSignature) ?? true);
  return [...missing.filter(isOfSignature).map((name) => missingField(name, false)), ...ofHeaders];
}

function selectionFindings(
  { profile }: DefinedProfile,
  { labels, signature }: ExaminedHead,
  { code: refusalCode, reason }: MessageRefusal,
  { meant }: Investigation,
): readonly Finding[] {
  if (refusalCode === 'signature_malformed' && labels.length === 0) {
    if (reason.startsWith('Signature-Input'))
      return [finding('signature_input_format', 'observed', { detail: reason })];
    // The signature's own form is told where it is read.
    return [];
  }
  const looked = labels
    .slice(0, shownMax)
    .map((label) => `"${label}"${tagOf(label, labels, signature?.label, meant.input)}`);
  const more = labels.length > shownMax ? ` and ${labels.length - shownMax} more` : '';
  const seen = labels.length === 0 ? 'none' : looked.join(', ') + more;
  return [
    finding('profile_selection', 'observed', {
      what: `${sentence(reason)}. Signature-Input has ${seen}.`,
      mend: selectionAdvice(profile, refusalCode),
    }),
  ];
}

const shownMax = 8;

/** The tag of the only signature. */
function tagOf(
  label: string,
  labels: readonly string[],
  read: string | undefined,
  input: Investigation['meant']['input'],
): string {
  if (labels.length > 1 || label !== read) return '';
  const tag = input?.parameters.find(({ name }) => name === 'tag')?.raw;
  return tag === undefined ? ' without a tag' : ` with the tag ${tag}`;
}

function selectionAdvice(
  { select = {}, id }: DefinedProfile['profile'],
  refusedWith: MessageRefusal['code'],
): string {
  if (refusedWith === 'signature_missing') return 'Use the same label in Signature-Input and Signature.';
  const wanted = [
    ...(select.label === undefined ? [] : [`the label ${code(select.label)}`]),
    ...(select.tag === undefined ? [] : [code(`;tag="${[select.tag].flat()[0]!}"`)]),
  ];
  const one = wanted.length === 0 ? 'Send one signature' : `Send one signature with ${wanted.join(' and ')}`;
  return `${one}, as ${id} says.`;
}

function parameterFindings(
  { profile }: DefinedProfile,
  { signature }: ExaminedHead,
  { reason }: MessageRefusal,
): readonly Finding[] {
  if (signature === undefined)
    return [finding('parameter_form', 'observed', { what: `${sentence(reason)}.` })];
  const sent = [...signature.input.parameters.keys()];
  const rules: Readonly<Record<string, 'required' | 'allowed' | undefined>> = profile.parameters;
  const isKnown = (name: string): boolean => Object.hasOwn(rules, name) && rules[name] !== undefined;
  const unknown = sent.filter((name) => !isKnown(name)).slice(0, shownMax);
  const missing = Object.keys(rules).filter((name) => rules[name] === 'required' && !sent.includes(name));
  const findings: Finding[] = [];
  if (missing.length > 0)
    findings.push(
      finding('parameter_missing', 'observed', {
        detail: missing.join(', '),
        mend: `Add ${missing.map((name) => code(`;${name}=…`)).join(' and ')} to Signature-Input, which ${profile.id} requires, and sign that text.`,
      }),
    );
  if (unknown.length > 0)
    findings.push(
      finding('parameter_unknown', 'observed', {
        what: `Signature-Input has ${unknown.join(', ')}, which ${profile.id} does not have.`,
        mend: `Leave ${unknown.join(' and ')} out of Signature-Input, and of the line that you sign.`,
      }),
    );
  const isTold = findings.length > 0;
  return isTold
    ? findings
    : [
        finding('parameter_form', 'observed', {
          what: `${sentence(reason)}.`,
          mend: `Send each parameter as ${profile.id} says.`,
        }),
      ];
}

function algorithmFinding({ profile }: DefinedProfile, { reason }: MessageRefusal): Finding {
  return finding('algorithm_other', 'observed', {
    what: `The algorithm that alg announces is not one of ${profile.id}: ${reason}.`,
    mend: `Sign with ${announced(profile)}, or leave alg out if the profile lets you.`,
  });
}

function announced({ algorithms }: DefinedProfile['profile']): string {
  return algorithms.filter((name) => messageAlgorithms[name].isRegistered).join(' or ');
}

function componentFinding(
  { profile }: DefinedProfile,
  { reason }: MessageRefusal,
  { request }: Investigation,
): Finding {
  const missing = /^not covered: (.*)$/s.exec(reason)?.[1];
  if (missing !== undefined) {
    const isOfBody = missing.includes('"content-digest"');
    return finding(isOfBody ? 'digest_not_covered' : 'base_missing_component', 'observed', {
      ...(isOfBody && missing !== '"content-digest"' && { alsoCodes: ['base_missing_component'] }),
      what: `The signature leaves ${missing} open, which ${profile.id} requires${isOfBody && request.body ? ' of a request with a body' : ''}.`,
      mend: `Cover ${missing}: list it in Signature-Input, and add its line to the signature base.`,
    });
  }
  if (reason.endsWith('must not be covered'))
    return finding('base_extra_component', 'observed', {
      what: `${sentence(reason)} by ${profile.id}.`,
      mend: 'Remove it from Signature-Input and from the signature base.',
    });
  if (reason.startsWith('the order must be'))
    return finding('base_component_order', 'observed', { what: `${sentence(reason)}.` });
  return finding('base_component_absent', 'observed', { detail: reason });
}

/** What a profile says about `expires`; `created` is compared with the clock. */
function expiryFindings({ code: refusalCode, reason }: MessageRefusal): readonly Finding[] {
  if (refusalCode === 'signature_expired') return [finding('clock_expires', 'observed', { detail: reason })];
  if (refusalCode !== 'parameters_invalid') return [];
  return [
    finding('parameter_form', 'observed', {
      what: `${sentence(reason)}.`,
      mend: 'Set expires after created, within the time that the profile allows.',
    }),
  ];
}

/** The profile's limits on `created`, and the service's own. */
function clockFindings(
  { profile: { time } }: DefinedProfile,
  { signature }: ExaminedHead,
  { options: { window, nowSeconds } }: Investigation,
): readonly Finding[] {
  const created = signature?.parameters.created;
  if (created === undefined) return [];
  const limits = {
    maxAgeSeconds: Math.min(time.maxAgeSeconds ?? Infinity, window?.maxAgeSeconds ?? Infinity),
    maxFutureSeconds: Math.min(time.maxFutureSeconds ?? Infinity, window?.maxFutureSeconds ?? Infinity),
    maxDateDifferenceSeconds: Infinity,
  };
  return timeFindings(created, undefined, limits, nowSeconds);
}

/** What a service needs of every signature. */
function serviceFindings(
  { signature, failures }: ExaminedHead,
  { options }: Investigation,
): readonly Finding[] {
  if (!signature || options.refusedWith === undefined) return [];
  if (failures.some(({ check }) => check === 'parameters')) return [];
  const missing = (['keyid', 'created'] as const).filter((name) => signature.parameters[name] === undefined);
  return missing.length === 0
    ? []
    : [
        finding('parameter_missing', 'observed', {
          detail: missing.join(', '),
          mend: `Add ${missing.join(' and ')}: this service needs it, though the profile does not.`,
        }),
      ];
}

function digestFinding({ code: refusalCode, reason }: MessageRefusal): Finding {
  if (refusalCode === 'digest_missing')
    return finding('digest_form', 'observed', {
      what: `${sentence(reason)}.`,
      mend: 'Send a digest of an algorithm of the profile, in the part of Content-Digest that is signed.',
    });
  return finding('digest_form', 'observed', { detail: reason });
}

/** The client has keys, but none that its profile signs with. */
function keyFindings({ profile }: DefinedProfile, { candidates, meant }: Investigation): readonly Finding[] {
  const own = readUsable(candidates, meant.keyid);
  const isOfProfile = (name: string): boolean => profile.algorithms.some((one) => one === name);
  const algorithms = [...new Set(own.flatMap(algorithmsOf))];
  if (algorithms.length === 0 || algorithms.some(isOfProfile)) return [];
  return [
    finding('key_of_other_algorithm', 'observed', {
      what: `The client's key is for ${algorithms.join(' or ')}, but ${profile.id} signs with ${profile.algorithms.join(' or ')}.`,
      mend: 'Register a key of such an algorithm, and sign with it.',
    }),
  ];
}

function code(text: string): string {
  return ['`', text, '`'].join('');
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
