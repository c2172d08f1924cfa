import { type AlgorithmName, algorithms, type SignatureAlgorithm } from '../rfc9421/algorithms.ts';
import { type Component, component } from '../rfc9421/signature-base.ts';
import type { ParameterName, Profile } from './profile.ts';

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

/** A profile, ready for use: everything that follows from its data, computed once. */
export interface CompiledProfile {
  readonly profile: Profile;
  /** The algorithm that `Accept-Signature` asks for. */
  readonly algorithm: SignatureAlgorithm;
  /** The names of the algorithms, for messages: `a or b`. */
  readonly algorithmNames: string;
  /** Returns true for the name of one of the algorithms. */
  readonly hasAlgorithm: (alg: string) => alg is AlgorithmName;
  /** The permitted lists of covered components, by their text. */
  readonly lists: ReadonlyMap<string, ComponentList>;
  /** A complete Signature-Input with placeholders, for rejections. */
  readonly expectedInput: string;
  /** Returns the list that covers everything, for a request with or without a body. */
  readonly listFor: (hasBody: boolean) => ComponentList;
  /** Returns the Accept-Signature field that asks for such a signature (RFC 9421 section 5.1). */
  readonly acceptSignature: (hasBody: boolean) => string;
}

/** @throws TypeError for an algorithm whose signatures the replay guard cannot recognise requests by */
export function compile(profile: Profile): CompiledProfile {
  const names: ReadonlySet<string> = new Set(profile.algorithms);
  const unsafe = profile.algorithms.find((name) => !algorithms[name].isStronglyUnforgeable);
  if (unsafe !== undefined)
    throw new TypeError(
      `Signatures of ${unsafe} can be changed, and would then pass the replay guard again.`,
    );
  const algorithm = algorithms[profile.algorithms[0]];
  const { required } = profile.components;
  const withBody = componentList(required.map(({ identifier }) => identifier));
  const withoutBody = componentList(
    required.filter(({ when }) => when === 'always').map(({ identifier }) => identifier),
  );
  const complete = [withBody, withoutBody];
  const permitted = profile.date === 'optional' ? [...complete, ...complete.map(withoutDate)] : complete;
  const listFor = (hasBody: boolean): ComponentList => (hasBody ? withBody : withoutBody);
  const input = (list: ComponentList, texts: ParameterTexts): string =>
    `${profile.select.label}=${list.text}${requiredParameters(profile, texts)}`;
  const alg = `;alg="${algorithm.name}"`;
  return {
    profile,
    algorithm,
    algorithmNames: profile.algorithms.join(' or '),
    hasAlgorithm: (name): name is AlgorithmName => names.has(name),
    lists: new Map(permitted.map((list) => [list.text, list])),
    expectedInput: input(withBody, { created: ';created=<unix seconds>', keyid: ';keyid="<clientId>"', alg }),
    listFor,
    acceptSignature: (hasBody) => input(listFor(hasBody), { created: ';created', keyid: '', alg }),
  };
}

function componentList(identifiers: readonly string[]): ComponentList {
  return {
    identifiers,
    components: identifiers.map(component),
    text: `(${identifiers.map((identifier) => `"${identifier}"`).join(' ')})`,
    coversContentDigest: identifiers.includes('content-digest'),
    coversDate: identifiers.includes('date'),
  };
}

function withoutDate({ identifiers }: ComponentList): ComponentList {
  return componentList(identifiers.filter((identifier) => identifier !== 'date'));
}

type ParameterTexts = Readonly<Record<Exclude<ParameterName, 'nonce'>, string>>;

/** Joins the texts of the required parameters, in the profile's order. A nonce is never required by a profile itself. */
function requiredParameters({ parameters }: Profile, texts: ParameterTexts): string {
  return Object.entries(parameters)
    .filter(([, rule]) => rule === 'required')
    .map(([name]) => texts[name as keyof ParameterTexts])
    .join('');
}
