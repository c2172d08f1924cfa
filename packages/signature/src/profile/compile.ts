import {
  type AlgorithmName,
  algorithms,
  alternatives,
  type SignatureAlgorithm,
} from '../rfc9421/algorithms.ts';
import { type Component, component, identifierText } from '../rfc9421/signature-base.ts';
import type { Profile, SignatureFormat } from './profile.ts';

/** A permitted list of covered components, with its text in Signature-Input. */
export interface ComponentList {
  /** The component identifiers, in order (RFC 9421 section 2). */
  readonly identifiers: readonly string[];
  readonly components: readonly Component[];
  /** The canonical inner list: `("@method" "@target-uri" …)`. */
  readonly text: string;
  readonly coversContentDigest: boolean;
  readonly coversDate: boolean;
}

/** The texts that follow from the format of a signature. */
export interface CompiledFormat {
  /** The complete lists of covered components, by their text. */
  readonly lists: ReadonlyMap<string, ComponentList>;
  /**
   * Returns the list that covers everything, for a message with or without a body.
   *
   * @param hasRequestDigest true for a response to a request with a `Content-Digest`
   */
  readonly listFor: (hasBody: boolean, hasRequestDigest?: boolean) => ComponentList;
  /** Returns the value of `@signature-params` (RFC 9421 section 2.3): a list, and the required parameters in order. */
  readonly signatureParams: (list: ComponentList, values: ParameterValues) => string;
}

/**
 * The serialized values of the parameters that differ from signature to signature. One without a value has its name
 * alone, one that is not there is left out.
 */
export type ParameterValues = Partial<Readonly<Record<'created' | 'expires' | 'keyid' | 'alg', string>>>;

/** A profile, ready for use: everything that follows from its data, computed once. */
export interface CompiledProfile {
  readonly profile: Profile;
  /** The algorithm that `Accept-Signature` asks for if the request names none. */
  readonly algorithm: SignatureAlgorithm;
  /** The names of the algorithms, for messages: `a, b or c`. */
  readonly algorithmNames: string;
  /** Returns true for the name of one of the algorithms. */
  readonly hasAlgorithm: (alg: string) => alg is AlgorithmName;
  /** The permitted lists of covered components, by their text. */
  readonly lists: ReadonlyMap<string, ComponentList>;
  /** A complete Signature-Input with placeholders, for rejections. */
  readonly expectedInput: string;
  /** Returns the list that covers everything, for a request with or without a body. */
  readonly listFor: (hasBody: boolean) => ComponentList;
  /**
   * Returns the Accept-Signature field that asks for such a signature (RFC 9421 section 5.1).
   *
   * @param alg the algorithm that the request named, which is asked for if the profile has it
   */
  readonly acceptSignature: (hasBody: boolean, alg?: string) => string;
}

/** Computes everything that follows from a profile's data. */
export function compile(profile: Profile): CompiledProfile {
  const names: ReadonlySet<string> = new Set(profile.algorithms);
  const format = compileFormat(profile);
  const { listFor, signatureParams } = format;
  const complete = [...format.lists.values()];
  const permitted = profile.date === 'optional' ? [...complete, ...complete.map(withoutDate)] : complete;
  const hasAlgorithm = (name: string | undefined): name is AlgorithmName =>
    name !== undefined && names.has(name);
  const input = (hasBody: boolean, values: ParameterValues): string =>
    `${profile.select.label}=${signatureParams(listFor(hasBody), values)}`;
  return {
    profile,
    algorithm: algorithms[profile.algorithms[0]],
    algorithmNames: alternatives(profile.algorithms),
    hasAlgorithm,
    lists: new Map(permitted.map((list) => [list.text, list])),
    expectedInput: input(true, { created: '<unix seconds>', keyid: '"<clientId>"' }),
    listFor,
    acceptSignature: (hasBody, alg) =>
      input(hasBody, { created: '', ...(hasAlgorithm(alg) && { alg: `"${alg}"` }) }),
  };
}

/** Computes the texts that follow from the format of a signature. */
export function compileFormat({
  components: { required },
  parameters,
  algorithms: [algorithm],
  select: { tag },
}: SignatureFormat): CompiledFormat {
  const listOf = (hasBody: boolean, hasRequestDigest: boolean): ComponentList => {
    const isCovered = { always: true, body: hasBody, 'request digest': hasRequestDigest };
    return componentList(required.filter(({ when }) => isCovered[when]).map(({ identifier }) => identifier));
  };
  const withBody = listOf(true, false);
  const withoutBody = listOf(false, false);
  const answering = { withBody: listOf(true, true), withoutBody: listOf(false, true) };
  const names = Object.entries(parameters).flatMap(([name, rule]) => (rule === 'required' ? [name] : []));
  const fixed: Readonly<Record<string, string | undefined>> = {
    alg: `"${algorithm}"`,
    tag: tag && `"${tag}"`,
  };
  return {
    // Of equal ones, the last stays.
    lists: new Map(
      [answering.withBody, answering.withoutBody, withBody, withoutBody].map((list) => [list.text, list]),
    ),
    listFor: (hasBody, hasRequestDigest = false) => {
      if (hasRequestDigest) return hasBody ? answering.withBody : answering.withoutBody;
      return hasBody ? withBody : withoutBody;
    },
    signatureParams: ({ text }, values) => {
      let params = text;
      for (const name of names) {
        const value = values[name as keyof ParameterValues] ?? fixed[name];
        if (value !== undefined) params += value === '' ? `;${name}` : `;${name}=${value}`;
      }
      return params;
    },
  };
}

function componentList(identifiers: readonly string[]): ComponentList {
  return {
    identifiers,
    components: identifiers.map(component),
    text: `(${identifiers.map(identifierText).join(' ')})`,
    coversContentDigest: identifiers.includes('content-digest'),
    coversDate: identifiers.includes('date'),
  };
}

function withoutDate({ identifiers }: ComponentList): ComponentList {
  return componentList(identifiers.filter((identifier) => identifier !== 'date'));
}
