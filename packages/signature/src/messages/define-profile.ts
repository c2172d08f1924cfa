import { wrongType } from '../arguments/check-argument.ts';
import {
  ComponentError,
  type ComponentIdentifier,
  isBodyDigest,
  readComponentIdentifier,
} from '../rfc9421/component-identifier.ts';
import { isRequestComponent } from '../rfc9421/component-value.ts';
import { coveredComponentsMax } from '../rfc9421/message-base.ts';
import { encodedParameter } from '../rfc9421/query-parameters.ts';
import { isLabel, parameterTypes } from '../rfc9421/signature-members.ts';
import { structuredTypes } from '../rfc9421/structured-types.ts';
import { lowerCaseFieldName } from '../rfc9421/tokens.ts';
import { isMessageAlgorithm, messageAlgorithms } from './algorithms.ts';
import type {
  BoundPart,
  ComponentCondition,
  MessageComponentRule,
  MessageProfile,
} from './message-profile.ts';

/** A checked profile, ready for use. */
export interface DefinedProfile {
  readonly profile: MessageProfile;
  readonly rules: readonly DefinedRule[];
  /** The tags that select a signature; undefined if any will do. */
  readonly tags: readonly string[] | undefined;
  /** What every signature binds, in every message that has it. */
  readonly binds: readonly BoundPart[];
  /** What none has to bind: someone on the way could change it. */
  readonly leavesOpen: readonly BoundPart[];
}

/** A rule with its identifiers read. */
export interface DefinedRule {
  readonly identifiers: readonly ComponentIdentifier[];
  readonly anyKey: boolean;
  readonly when: ComponentCondition;
}

/**
 * Checks a profile as a whole.
 *
 * @throws TypeError that lists everything that is wrong with it
 */
export function defineProfile(profile: MessageProfile): DefinedProfile {
  const problems: string[] = [];
  const copy = copied(profile);
  const rules = readShape(copy, problems)
    ? copy.components.required.map((rule) => readRule(rule, copy, problems))
    : [];
  throwIfAny(problems);
  const bound = boundParts(copy.message, rules);
  checkWhole(copy, rules, bound, problems);
  throwIfAny(problems);
  const { tag } = copy.select ?? {};
  const parts: readonly BoundPart[] =
    copy.message === 'request'
      ? ['method', 'authority', 'path', 'query', 'body']
      : ['status', 'body', 'request'];
  const defined: DefinedProfile = Object.freeze({
    profile: copy,
    rules,
    tags: tag === undefined || Array.isArray(tag) ? (tag as string[] | undefined) : [tag as string],
    binds: parts.filter((part) => bound.has(part)),
    leavesOpen: parts.filter((part) => !bound.has(part)),
  });
  checked.add(defined);
  return defined;
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new TypeError(
      `The profile cannot be used:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
    );
}

const checked = new WeakSet<object>();

/** @throws TypeError for anything that `defineProfile` has not returned */
export function checkDefined(profile: unknown): void {
  if (typeof profile !== 'object' || profile === null || !checked.has(profile))
    throw wrongType('profile', profile, 'a profile: defineProfile makes one');
}

/** Later changes by the caller have no effect. */
function copied(profile: MessageProfile): MessageProfile {
  try {
    return frozen(structuredClone(profile));
  } catch {
    throw new TypeError('The profile must be data only, as JSON can hold it.');
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}

const limits = ['maxAgeSeconds', 'maxFutureSeconds', 'maxLifeSeconds', 'expiresGraceSeconds'] as const;

const members: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{0,63}$/.test(value),
  title: isText,
  source: (value) => value === undefined || isText(value),
  message: oneOf('request', 'response'),
  notes: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  select: (value) =>
    value === undefined ||
    (hasOnly(value, ['label', 'tag', 'untagged', 'complete']) &&
      (value.label === undefined || (isText(value.label) && isLabel(value.label as string))) &&
      isSwitch(value.untagged) &&
      isSwitch(value.complete)),
  components: (value) =>
    hasOnly(value, ['required', 'others', 'order']) &&
    Array.isArray(value.required) &&
    oneOf('none', 'any')(value.others) &&
    oneOf('fixed', 'free', undefined)(value.order),
  parameters: (value) =>
    hasOnly(value, Object.keys(parameterTypes)) &&
    Object.values(value).every(oneOf('required', 'allowed', undefined)),
  algorithms: (value) => Array.isArray(value) && value.length > 0 && value.every(isMessageAlgorithm),
  time: (value) =>
    hasOnly(value, [...limits, 'neverExpires']) &&
    limits.every((name) => value[name] === undefined || isCount(value[name])) &&
    isSwitch(value.neverExpires),
  replay: oneOf('nonce', 'base', 'nonce or base', 'nonce if sent', 'off'),
  nonceLength: (value) =>
    value === undefined ||
    (hasOnly(value, ['min', 'max']) &&
      isCount(value.min) &&
      isCount(value.max) &&
      1 <= value.min &&
      value.min <= value.max &&
      value.max <= 4096),
  digests: (value) =>
    value === undefined || (Array.isArray(value) && value.every(oneOf('sha-256', 'sha-512'))),
  fieldTypes: (value) =>
    value === undefined ||
    (isRecord(value) &&
      Object.keys(value).every((name) => lowerCaseFieldName.test(name)) &&
      Object.entries(value).every(
        ([name, type]) =>
          oneOf('dictionary', 'list', 'item')(type) &&
          (!Object.hasOwn(structuredTypes, name) || structuredTypes[name] === type),
      )),
};

/** Returns true if every member has its type, so that the rest can be read. */
function readShape(profile: MessageProfile, problems: string[]): boolean {
  if (!isRecord(profile)) {
    problems.push('it is not an object');
    return false;
  }
  for (const name of Object.keys(profile))
    if (!Object.hasOwn(members, name)) problems.push(`it has a member "${name}", which means nothing`);
  for (const [name, isValid] of Object.entries(members))
    if (!isValid(profile[name as keyof MessageProfile]))
      problems.push(`"${name}" is missing or has a wrong value`);
  return problems.length === 0;
}

function readRule(rule: MessageComponentRule, profile: MessageProfile, problems: string[]): DefinedRule {
  const {
    identifier,
    anyKey = false,
    when = 'always',
  } = isRecord(rule) ? rule : ({} as MessageComponentRule);
  const isCondition =
    oneOf('always', 'body', 'query', 'present')(when) ||
    (hasOnly(when, ['methods']) &&
      Array.isArray(when.methods) &&
      when.methods.length > 0 &&
      when.methods.every((method) => isText(method) && /^[A-Z!#$%&'*+.^_`|~0-9-]+$/.test(method as string)));
  if (!isCondition || !hasOnly(rule, ['identifier', 'anyKey', 'when']) || typeof anyKey !== 'boolean')
    problems.push(`the rule ${JSON.stringify(rule)} is not {identifier, anyKey, when}`);
  const texts = [identifier].flat();
  if (!texts.every(isText)) {
    problems.push(`the rule ${JSON.stringify(rule)} has no identifier`);
    return { identifiers: [], anyKey, when };
  }
  const identifiers = texts.flatMap((text) => {
    try {
      const read = readComponentIdentifier(text);
      const problem = problemOf(read, profile, anyKey) ?? problemOfPresent(read, when);
      if (problem === undefined) return [read];
      problems.push(problem);
    } catch (error) {
      if (!(error instanceof ComponentError)) throw error;
      problems.push(error.message);
    }
    return [];
  });
  if (texts.length === 0) problems.push('a rule has no identifier');
  return { identifiers, anyKey, when };
}

/** Returns why a component can never be covered in such a message, or would not mean what it says. */
function problemOf(
  identifier: ComponentIdentifier,
  { message, digests = [], fieldTypes = {}, select }: MessageProfile,
  anyKey: boolean,
): string | undefined {
  const { name, text, req, key, sf, bs, parameter } = identifier;
  if (name === '@signature-params') return `${text} is always signed, and never listed`;
  const isOwn = key === undefined || key === select?.label;
  if ((name === 'signature' || name === 'signature-input') && !req && isOwn)
    return `${text} would sign itself`;
  if (name === 'set-cookie' && !bs) return `${text} needs the parameter bs`;
  if (req && message === 'request') return `${text} needs a response`;
  if (anyKey && (key !== undefined || bs || name.startsWith('@') || name === 'content-digest'))
    return `${text} cannot have any key`;
  if (isBodyDigest(identifier) && key !== undefined && !digests.some((algorithm) => algorithm === key))
    return `${text} names an algorithm that "digests" does not`;
  if (sf && key === undefined && !Object.hasOwn(structuredTypes, name) && !Object.hasOwn(fieldTypes, name))
    return `${text} is a structured field of an unknown type: name it in "fieldTypes"`;
  if (!name.startsWith('@')) return undefined;
  if (name === '@query-param' && (parameter === undefined || encodedParameter(parameter) !== parameter))
    return `${text} lacks the parameter "name", or has one that is not encoded`;
  if (name === '@status') return message === 'response' && !req ? undefined : `${text} needs a response`;
  if (!isRequestComponent(name)) return `${text} is not a derived component`;
  return message === 'request' || req ? undefined : `${text} is part of a request; add ;req`;
}

/** Derived components are always there, except for a query parameter. */
function problemOfPresent({ name, text }: ComponentIdentifier, when: ComponentCondition): string | undefined {
  return when === 'present' && name.startsWith('@') && name !== '@query-param'
    ? `${text} is in every message: leave out "when"`
    : undefined;
}

/** Checks what members say together. */
function checkWhole(
  profile: MessageProfile,
  rules: readonly DefinedRule[],
  bound: ReadonlySet<BoundPart>,
  problems: string[],
): void {
  const { components, parameters, digests = [], algorithms, message, nonceLength } = profile;
  const identities = rules.flatMap(({ identifiers }) => identifiers.map(({ identity }) => identity));
  if (new Set(identities).size < identities.length) problems.push('a component is required twice');
  if (rules.length > coveredComponentsMax)
    problems.push(`more than ${coveredComponentsMax} components are required`);
  if (components.order === 'fixed') {
    if (components.others !== 'none') problems.push('a fixed order leaves no place for others');
    if (rules.some(({ identifiers, anyKey }) => identifiers.length > 1 || anyKey))
      problems.push('a fixed order leaves no choice between components');
  }
  if (message === 'response' && rules.some(({ when }) => when === 'query' || typeof when === 'object'))
    problems.push('a response has neither a query nor a method');
  checkSelect(profile, problems);
  checkTimes(profile, problems);
  checkReplay(profile, bound, problems);
  if (nonceLength !== undefined && parameters.nonce === undefined)
    problems.push('"nonceLength" needs the parameter "nonce"');
  if (parameters.alg === 'required' && !algorithms.every((name) => messageAlgorithms[name].isRegistered))
    problems.push('"alg" cannot be required: one of the algorithms has no registered name');
  if (rules.some(({ identifiers }) => identifiers.some(isBodyDigest)) && digests.length === 0)
    problems.push('"content-digest" is required, but "digests" names no algorithm');
}

function checkSelect({ select = {}, parameters }: MessageProfile, problems: string[]): void {
  const { tag, untagged = false } = select;
  const tags = tag === undefined ? [] : [tag].flat();
  if (tag !== undefined && (tags.length === 0 || !tags.every((one) => isText(one) && /^[ -~]+$/.test(one))))
    problems.push('"select.tag" is not a tag, or a list of them');
  if (tag !== undefined && parameters.tag !== (untagged ? 'allowed' : 'required'))
    problems.push('"select.tag" needs the parameter "tag" to be required, or with "untagged" to be allowed');
  if (untagged && tag === undefined) problems.push('"select.untagged" needs a "tag" beside it');
}

const daySeconds = 86_400;

function checkTimes({ parameters, time, replay }: MessageProfile, problems: string[]): void {
  const { maxAgeSeconds, maxFutureSeconds, maxLifeSeconds, expiresGraceSeconds, neverExpires = false } = time;
  if (maxAgeSeconds !== undefined && parameters.created !== 'required')
    problems.push('"maxAgeSeconds" needs the parameter "created" to be required');
  if (parameters.created !== undefined && maxFutureSeconds === undefined)
    problems.push('"created" needs "maxFutureSeconds"');
  if (maxLifeSeconds !== undefined && (parameters.created !== 'required' || parameters.expires === undefined))
    problems.push('"maxLifeSeconds" needs "created" to be required, and "expires"');
  const greatest = replay === 'off' ? 366 * daySeconds : 7 * daySeconds;
  if ((maxAgeSeconds ?? 0) > greatest || (maxLifeSeconds ?? 0) > greatest)
    problems.push(`a signature can live ${greatest / daySeconds} days at most`);
  if ((maxFutureSeconds ?? 0) > daySeconds || (expiresGraceSeconds ?? 0) > daySeconds)
    problems.push('"maxFutureSeconds" and "expiresGraceSeconds" can be a day at most');
  if (maxLifeSeconds === 0) problems.push('"maxLifeSeconds" must be 1 or more: "expires" is after "created"');
  if (parameters.expires === undefined && expiresGraceSeconds !== undefined)
    problems.push('"expiresGraceSeconds" needs the parameter "expires"');
  const expires = maxAgeSeconds !== undefined || parameters.expires === 'required';
  if (expires && neverExpires) problems.push('its signatures expire, whatever "neverExpires" says');
  if (!expires && !neverExpires)
    problems.push('a signature would never expire: require "expires", or set "maxAgeSeconds"');
}

function checkReplay(
  { parameters, time, replay, message }: MessageProfile,
  bound: ReadonlySet<BoundPart>,
  problems: string[],
): void {
  if (replay === 'off') return;
  if (replay === 'nonce' && parameters.nonce !== 'required')
    problems.push('"replay" by the nonce needs the parameter "nonce" to be required');
  if ((replay === 'nonce or base' || replay === 'nonce if sent') && parameters.nonce === undefined)
    problems.push('"replay" names the nonce, which must not be there');
  const isBounded =
    time.maxAgeSeconds !== undefined ||
    (parameters.expires === 'required' && time.maxLifeSeconds !== undefined);
  if (!isBounded || parameters.created !== 'required')
    problems.push(
      'a replay guard would have to remember signatures forever: require "created", and set "maxAgeSeconds", or require "expires" and set "maxLifeSeconds"',
    );
  const isWhole = (['method', 'path', 'query'] as const).every((part) => bound.has(part));
  if ((replay === 'base' || replay === 'nonce or base') && message === 'request' && !isWhole)
    problems.push(
      '"replay" by the base would reject different requests of one second: method, path and query must be covered, or "replay" be by the nonce',
    );
}

/** Returns the parts that every signature binds, in each message that has them. */
function boundParts(message: 'request' | 'response', rules: readonly DefinedRule[]): ReadonlySet<BoundPart> {
  const bound = new Set<BoundPart>();
  const ofRequest = new Set<BoundPart>();
  for (const { identifiers, when } of rules) {
    const [first = [], ...others] = identifiers.map((identifier) => partsOf(identifier, message));
    const parts = identifiers[0]?.req === true ? ofRequest : bound;
    for (const part of first) {
      const isInEach = others.every((each) => each.includes(part));
      if (isInEach && (when === 'always' || when === part)) parts.add(part);
    }
  }
  const isOfOneRequest = (['method', 'authority', 'path', 'query'] as const).every((part) =>
    ofRequest.has(part),
  );
  if (isOfOneRequest) bound.add('request');
  return bound;
}

function partsOf(identifier: ComponentIdentifier, message: 'request' | 'response'): readonly BoundPart[] {
  const { name, req } = identifier;
  if (isBodyDigest(identifier)) return ['body'];
  if (message === 'response' && !req) return name === '@status' ? ['status'] : [];
  return Object.hasOwn(partsOfRequest, name) ? partsOfRequest[name]! : [];
}

const partsOfRequest: Readonly<Record<string, readonly BoundPart[]>> = {
  '@method': ['method'],
  '@target-uri': ['authority', 'path', 'query'],
  '@authority': ['authority'],
  '@path': ['path'],
  '@query': ['query'],
};

function oneOf(...values: readonly (string | undefined)[]): (value: unknown) => boolean {
  return (value) => values.includes(value as string | undefined);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasOnly<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, unknown> {
  return isRecord(value) && Object.keys(value).every((name) => names.includes(name as Name));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isSwitch(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
