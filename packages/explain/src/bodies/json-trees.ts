import { type Alternative, alternative, alternatives, exact } from '../drafts/alternatives.ts';
import { type JsonMember, type JsonNode, nodesOf } from './json-text.ts';

/** Another value that may have been serialised: with other members, or with other values. */
export type TreeChange = (node: JsonNode) => JsonNode;

/** Lists what serialisers and frameworks do to the value itself. */
export function treeAlternatives(node: JsonNode): readonly Alternative<TreeChange>[] {
  return [
    ...withoutDuplicates(node),
    ...fewerMembers(node),
    ...allowedOnly(node),
    ...usualChanges,
    ...unwrapped(node),
  ];
}

/**
 * A parser keeps one of several members with the same name: mostly the last value, at the position of the
 * first or the last.
 */
function withoutDuplicates(node: JsonNode): readonly Alternative<TreeChange>[] {
  const isRepeated = nodesOf(node).some(
    (one) =>
      one.kind === 'object' && new Set(one.members.map(({ name }) => name.value)).size < one.members.length,
  );
  if (!isRepeated) return [];
  const kept = (choose: (members: readonly JsonMember[]) => readonly JsonMember[]): TreeChange =>
    everywhere((one) => (one.kind === 'object' ? { kind: 'object', members: choose(one.members) } : one));
  const isFirst = ({ name }: JsonMember, index: number, all: readonly JsonMember[]): boolean =>
    all.findIndex((other) => other.name.value === name.value) === index;
  const lastOf = (all: readonly JsonMember[], { name }: JsonMember): JsonMember =>
    all.findLast((other) => other.name.value === name.value)!;
  const lastValue = 'with only the last value of each repeated key, as most parsers keep it';
  return alternatives<TreeChange>('body_json_members', [
    [lastValue, 1, kept((members) => members.filter(isFirst).map((one) => lastOf(members, one)))],
    [lastValue, 1, kept((members) => members.filter((one) => lastOf(members, one) === one))],
    // As likely as a missing member, which may produce the same text.
    ['with only the first value of each repeated key', 1, kept((members) => members.filter(isFirst))],
  ]);
}

function mapped(node: JsonNode, change: TreeChange): JsonNode {
  if (node.kind === 'array')
    return change({ kind: 'array', items: node.items.map((one) => mapped(one, change)) });
  if (node.kind !== 'object') return change(node);
  const members = node.members.map(({ name, value }) => ({ name, value: mapped(value, change) }));
  return change({ kind: 'object', members });
}

export function stringNode(value: string): JsonMember['name'] {
  return { kind: 'string', raw: JSON.stringify(value), value };
}

export const everywhere =
  (change: TreeChange): TreeChange =>
  (node) =>
    mapped(node, change);
const membersIf = (isKept: (value: JsonNode) => boolean): TreeChange =>
  everywhere((one) =>
    one.kind === 'object'
      ? { kind: 'object', members: one.members.filter(({ value }) => isKept(value)) }
      : one,
  );
const namesAs = (rename: (name: string) => string): TreeChange =>
  everywhere((one) =>
    one.kind === 'object'
      ? {
          kind: 'object',
          members: one.members.map(({ name, value }) => ({ name: stringNode(rename(name.value)), value })),
        }
      : one,
  );
const wrappedIn =
  (name: string): TreeChange =>
  (node) => ({ kind: 'object', members: [{ name: stringNode(name), value: node }] });

function isNull(node: JsonNode): boolean {
  return node.kind === 'literal' && node.raw === 'null';
}

function isEmpty(node: JsonNode): boolean {
  if (node.kind === 'object') return node.members.length === 0;
  if (node.kind === 'array') return node.items.length === 0;
  return isNull(node) || (node.kind === 'string' && node.value === '');
}

const usualChanges: readonly Alternative<TreeChange>[] = [
  ...alternatives<TreeChange>('body_json_members', [
    ['without its null members', 1, membersIf((value) => !isNull(value))],
    ['without its empty members', 2, membersIf((value) => !isEmpty(value))],
    [
      'without its members that are null, false, 0 or empty',
      3,
      membersIf(
        (value) => !isEmpty(value) && !('raw' in value && (value.raw === 'false' || value.raw === '0')),
      ),
    ],
    ['wrapped in a list', 2, (node) => ({ kind: 'array', items: [node] })],
    ...['data', 'payload', 'body', 'request', 'json', 'params'].map(
      (name, index): readonly [string, number, TreeChange] => [
        `wrapped in an object as "${name}"`,
        index === 0 ? 2 : 3,
        wrappedIn(name),
      ],
    ),
    [
      'with its keys in camelCase',
      3,
      namesAs((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())),
    ],
    [
      'with its keys in snake_case',
      3,
      namesAs((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    ],
    [
      'with its keys starting with a capital',
      3,
      namesAs((name) => name.charAt(0).toUpperCase() + name.slice(1)),
    ],
    [
      'with [] in place of {}, as PHP writes empty arrays',
      2,
      everywhere((one) =>
        one.kind === 'object' && one.members.length === 0 ? { kind: 'array', items: [] } : one,
      ),
    ],
    [
      'with its lists as objects, as PHP writes them with JSON_FORCE_OBJECT',
      2,
      everywhere((one) =>
        one.kind === 'array'
          ? {
              kind: 'object',
              members: one.items.map((value, index) => ({ name: stringNode(String(index)), value })),
            }
          : one,
      ),
    ],
    [
      'with lists in place of its objects whose keys are 0, 1, 2 …',
      2,
      everywhere((one) =>
        one.kind === 'object' && one.members.every(({ name }, index) => name.value === String(index))
          ? { kind: 'array', items: one.members.map(({ value }) => value) }
          : one,
      ),
    ],
    [
      'with {} in place of []',
      3,
      everywhere((one) =>
        one.kind === 'array' && one.items.length === 0 ? { kind: 'object', members: [] } : one,
      ),
    ],
    [
      'with null in place of empty values',
      3,
      everywhere((one) => (isEmpty(one) ? { kind: 'literal', raw: 'null' } : one)),
    ],
    ['with an empty string in place of null', 3, everywhere((one) => (isNull(one) ? stringNode('') : one))],
  ]),
  ...alternatives<TreeChange>('body_json_members', [
    ["with its numbers as MongoDB's canonical Extended JSON writes them", 2, everywhere(extended)],
    ["with its numbers as MongoDB's relaxed Extended JSON writes them", 2, everywhere(unextended)],
  ]),
  ...alternatives<TreeChange>('body_json_numbers', [
    [
      exact('with 1 and 0 in place of true and false'),
      3,
      everywhere((one) =>
        one.kind === 'literal' && !isNull(one)
          ? { kind: 'number', raw: one.raw === 'true' ? '1' : '0' }
          : one,
      ),
    ],
    [
      exact('with all its values as strings'),
      2,
      everywhere((one) => (one.kind === 'number' || one.kind === 'literal' ? stringNode(one.raw) : one)),
    ],
    [
      exact('with all its values but null as strings'),
      3,
      everywhere((one) =>
        one.kind === 'number' || (one.kind === 'literal' && !isNull(one)) ? stringNode(one.raw) : one,
      ),
    ],
    [
      exact('with numbers in place of its strings of digits'),
      2,
      everywhere((one) =>
        one.kind === 'string' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(one.value)
          ? { kind: 'number', raw: one.value }
          : one,
      ),
    ],
  ]),
];

/** MongoDB's types, as names of an object's only member. */
function extended(node: JsonNode): JsonNode {
  if (node.kind !== 'number') return node;
  const value = Number(node.raw);
  const isExact = /^-?\d+$/.test(node.raw) && !Object.is(value, -0);
  const type = !isExact ? '$numberDouble' : Math.abs(value) < 2 ** 31 ? '$numberInt' : '$numberLong';
  const isWhole = type === '$numberDouble' && Number.isInteger(value);
  const text = Object.is(value, -0) ? '-0.0' : isWhole && !/e/i.test(node.raw) ? node.raw : String(value);
  return {
    kind: 'object',
    members: [{ name: stringNode(type), value: stringNode(isExact ? node.raw : text) }],
  };
}

function unextended(node: JsonNode): JsonNode {
  const [only, ...others] = node.kind === 'object' ? node.members : [];
  if (!only || others.length > 0 || only.value.kind !== 'string') return node;
  return /^\$number(?:Int|Long|Double)$/.test(only.name.value) &&
    only.value.value.trim() !== '' &&
    Number.isFinite(Number(only.value.value))
    ? { kind: 'number', raw: only.value.value }
    : node;
}

/** Leaves out one member that may have been added after hashing. */
function fewerMembers(node: JsonNode): readonly Alternative<TreeChange>[] {
  if (node.kind !== 'object') return [];
  const { length } = node.members;
  return node.members
    .slice(0, membersMax)
    .map(({ name }, index) =>
      alternative<TreeChange>(
        'body_json_members',
        `without ${name.raw}`,
        index === length - 1 ? 1 : 2,
        (one) => (one.kind === 'object' ? { kind: 'object', members: one.members.toSpliced(index, 1) } : one),
      ),
    );
}

const membersMax = 16;

/** JSON.stringify takes a list of names as its second argument, and omits all others at every depth. */
function allowedOnly(node: JsonNode): readonly Alternative<TreeChange>[] {
  const names = node.kind === 'object' ? node.members.map(({ name }) => name.value) : [];
  const hasOther = nodesOf(node).some(
    (one) => one.kind === 'object' && one.members.some(({ name }) => !names.includes(name.value)),
  );
  if (!hasOther) return [];
  const written = (sorted: readonly string[]): TreeChange =>
    everywhere((one) =>
      one.kind === 'object'
        ? {
            kind: 'object',
            members: sorted.flatMap((name) => one.members.find((member) => member.name.value === name) ?? []),
          }
        : one,
    );
  const what =
    'The digest matches the same JSON without the inner keys: the second argument of JSON.stringify lists the keys to write, at every depth.';
  const mend =
    'Leave out the second argument of JSON.stringify, or list the keys of the inner objects too, then hash the text that is sent.';
  return [names, names.toSorted()].map((list) =>
    alternative<TreeChange>('body_json_members', { what, mend }, 2, written(list)),
  );
}

/** The body may be a wrapper around the hashed value. */
function unwrapped(node: JsonNode): readonly Alternative<TreeChange>[] {
  const inner =
    node.kind === 'object' && node.members.length === 1
      ? node.members[0]!.value
      : node.kind === 'array' && node.items.length === 1
        ? node.items[0]
        : undefined;
  if (inner === undefined) return [];
  return [alternative('body_json_members', { subject: 'only the value inside the JSON' }, 2, () => inner)];
}
