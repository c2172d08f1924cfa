import { componentLists } from '@countersign/signature';
import type { CandidateKey, ExplainOptions } from '../explanation.ts';
import { readMeantSignatureInput } from '../reading/lenient-signature-input.ts';
import { readCandidates } from '../keys/candidates.ts';
import { bodyChange } from './body-changes.ts';
import { headerChanges } from './header-changes.ts';
import type { ChangedPart, HopChange } from './hop-change.ts';
import { openPartsOf } from './open-parts.ts';
import { readViews, type ReadView, type RequestView } from './request-view.ts';
import { targetChanges } from './target-changes.ts';
import { checkViewBy } from './judged-view.ts';
import { type CheckedView, checkView, checkViewAt } from './view-state.ts';

/** The changes between two consecutive views. */
export interface Hop {
  /** Names of the views. */
  readonly from: string;
  readonly to: string;
  /** Changes to parts that the signature covers come first. */
  readonly changes: readonly HopChange[];
  /** The number of changed unsigned headers that are not listed. */
  readonly moreHeaders: number;
  /** True if the request was signed before this hop. */
  readonly isAfterSigning: boolean;
}

export interface HopsExplanation {
  readonly verdict:
    /** No view has a signature. */
    | 'unsigned'
    /** The first signed view does not match its signature: the program itself signed something else. */
    | 'never-valid'
    /** A hop changed a part that the signature covers. */
    | 'broken'
    /** No part that the signature covers changed. */
    | 'intact';
  /** True if a key proves the verdict. Without one, it follows from what the signature covers. */
  readonly isProven: boolean;
  /** For `broken`: the index of the hop after which the signature is no longer valid. */
  readonly firstWrongHop: number | undefined;
  /** The index of the first view with a signature. */
  readonly signedView: number | undefined;
  readonly views: readonly (CheckedView & { readonly name: string })[];
  /** One less than the views. */
  readonly hops: readonly Hop[];
}

/**
 * Compares the views of one request in the order in which it was passed on, from the caller to the service. Returns what
 * each hop changed, and after which one the signature is no longer valid. A key proves that; without one, it follows from
 * the components that the signature covers.
 *
 * Compares raw bytes: nothing is normalised except white space around header values and the case of their
 * names. The time of the request does not matter. Throws a RequestTextError for a view without a host, and a
 * RangeError for fewer than two views; never because of their content.
 *
 * @param views at least two
 * @example
 * const { verdict, firstWrongHop, hops } = explainHops([sent, received], keys, { nowSeconds, sha256 });
 * if (verdict === 'broken') for (const { kinds } of hops[firstWrongHop].changes) console.log(kinds[0].title);
 */
export function explainHops(
  views: readonly RequestView[],
  candidates: readonly CandidateKey[],
  options: ExplainOptions,
): HopsExplanation {
  if (views.length < 2) throw new RangeError('at least two views are compared');
  const baseUrls = options.baseUrls ?? [];
  const keys = readCandidates(candidates, undefined);
  const read = readViews(views, baseUrls);
  const { judge } = options;
  const checked = read.map((view) =>
    checkView(view, (targetUri) =>
      judge
        ? checkViewBy(judge, view, targetUri, candidates, options)
        : checkViewAt(view, targetUri, keys, options),
    ),
  );
  const last = checked.at(-1)!.targetUri;
  const compared = read.map((view, index): ReadView => {
    const { state, targetUri } = checked[index]!;
    // Compare with the URL that was verified. If none was, the program may have signed the one that the
    // service builds.
    const isOpen = state !== 'valid' && view.targetUris.includes(last);
    return { ...view, targetUris: [isOpen ? last : targetUri] };
  });
  const signed = checked.findIndex(({ state }) => state !== 'unsigned');
  const declared = compared[signed] && declaredComponents(compared[signed], options);
  const covered = coveredNames(declared);
  // The closed profile leaves nothing open.
  const open = judge && declared ? openPartsOf(declared) : noParts;
  const hops = compared.slice(1).map((to, index) =>
    hopTo(index + 1, to, compared, {
      covered,
      open,
      options,
      isAfterSigning: signed >= 0 && index >= signed,
    }),
  );
  return {
    ...conclude(checked, hops, signed),
    signedView: signed < 0 ? undefined : signed,
    views: checked.map((one, index) => ({ ...one, name: views[index]!.name })),
    hops,
  };
}

interface HopContext {
  readonly covered: ReadonlySet<string>;
  /** The parts that the signature leaves open. */
  readonly open: ReadonlySet<ChangedPart>;
  readonly options: ExplainOptions;
  readonly isAfterSigning: boolean;
}

function hopTo(index: number, to: ReadView, views: readonly ReadView[], context: HopContext): Hop {
  const { covered, open, options, isAfterSigning } = context;
  const from = views[index - 1]!;
  const { changes: headers, more } = headerChanges(from, to, covered);
  const changes = [
    ...targetChanges(from, to, options.baseUrls ?? []),
    ...headers.filter(({ isSigned }) => isSigned),
    ...bodyChanges(index, views, options),
    ...headers.filter(({ isSigned }) => !isSigned),
  ].map((change) => (isAfterSigning && !open.has(change.part) ? change : { ...change, isSigned: false }));
  return {
    from: from.view.name,
    to: to.view.name,
    changes: [...changes.filter(({ isSigned }) => isSigned), ...changes.filter(({ isSigned }) => !isSigned)],
    moreHeaders: more,
    isAfterSigning,
  };
}

/** Compares a body with that of the nearest earlier view that has it. */
function bodyChanges(
  index: number,
  views: readonly ReadView[],
  { inflate }: ExplainOptions,
): readonly HopChange[] {
  const { body } = views[index]!.view;
  const earlier = views.slice(0, index).findLastIndex(({ view }) => view.body !== undefined);
  const before = views[earlier]?.view.body;
  if (body === undefined || before === undefined) return [];
  const change = bodyChange(before, body, inflate);
  if (!change) return [];
  return [earlier === index - 1 ? change : { ...change, comparedWith: earlier }];
}

/** The headers that the signature covers, implicitly or by name, as declared up to the first signed view. */
function coveredNames(declared: readonly string[] | undefined): ReadonlySet<string> {
  const components = declared ?? componentLists.flatMap(({ identifiers }) => identifiers);
  const names = components.map((name) => name.toLowerCase()).filter((name) => !name.startsWith('@'));
  return new Set(['signature', 'signature-input', ...names]);
}

function declaredComponents(
  { view: { method, headers: lines, body }, headers, targetUris: [targetUri] }: ReadView,
  { judge, ...options }: ExplainOptions,
): readonly string[] | undefined {
  // Of several signatures, the profile says which one counts.
  if (judge) return judge.read({ method, targetUri, headers: lines, body }, [], options).input?.components;
  const [text] = headers.get('signature-input') ?? [];
  return text === undefined ? undefined : readMeantSignatureInput(text)?.components;
}

const noParts: ReadonlySet<ChangedPart> = new Set();

type Verdict = Pick<HopsExplanation, 'verdict' | 'isProven' | 'firstWrongHop'>;

function conclude(views: readonly CheckedView[], hops: readonly Hop[], signed: number): Verdict {
  if (signed < 0) return { verdict: 'unsigned', isProven: true, firstWrongHop: undefined };
  const later = views.slice(signed);
  if (later[0]!.state === 'valid') {
    // A later hop may undo what one hop changes.
    if (later.at(-1)!.state === 'valid')
      return { verdict: 'intact', isProven: true, firstWrongHop: undefined };
    const lastValid = views.findLastIndex(({ state }) => state === 'valid');
    return { verdict: 'broken', isProven: true, firstWrongHop: lastValid };
  }
  if (later[0]!.state === 'invalid')
    return { verdict: 'never-valid', isProven: true, firstWrongHop: undefined };
  const changed = hops.findIndex(({ changes }) => changes.some(({ isSigned }) => isSigned));
  return changed < 0
    ? { verdict: 'intact', isProven: false, firstWrongHop: undefined }
    : { verdict: 'broken', isProven: false, firstWrongHop: changed };
}

/**
 * Returns true if the program is proven to have signed what it sent, and the later change is known. Then the
 * mistakes visible in the received request are not the program's.
 */
export function isChangedOnTheWay({ verdict, isProven, hops, firstWrongHop }: HopsExplanation): boolean {
  const wrong = hops[firstWrongHop ?? -1];
  return verdict === 'broken' && isProven && wrong?.changes.some(({ isSigned }) => isSigned) === true;
}
