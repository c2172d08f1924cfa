import { type Alternative, alternatives } from '../drafts/alternatives.ts';
import { type JsonNode, nodesOf } from './json-text.ts';
import { everywhere, stringNode, type TreeChange } from './json-trees.ts';

/** Lists how serializers write the times of a document. */
export function timeChanges(json: JsonNode): readonly Alternative<TreeChange>[] {
  const times = nodesOf(json).flatMap((node) =>
    node.kind === 'string' && time.test(node.value) ? [node.value] : [],
  );
  if (times.length === 0) return [];
  return times.some((one) => one[10] === ' ') ? [...changes, ...changesWithT] : changes;
}

/** An instant in RFC 3339, with or without its zone. */
const time = /^(\d{4}-\d\d-\d\d[T ])(\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;

/** The day is followed by the separator between it and the clock. */
type Parts = readonly [day: string, clock: string, fraction: string, zone: string];

const timesAs = (write: (...parts: Parts) => string): TreeChange =>
  everywhere((node) => {
    const match = node.kind === 'string' ? time.exec(node.value) : null;
    if (!match) return node;
    const [, day = '', clock = '', fraction = '', zone = ''] = match;
    return stringNode(write(day, clock, fraction, zone));
  });

const digits = (fraction: string, count: number): string =>
  `.${fraction.slice(1).padEnd(count, '0').slice(0, count)}`;
const withoutZeros = (fraction: string): string => fraction.replace(/\.?0+$/, '');
const isUtc = (zone: string): boolean => /^(?:Z|[+-]00:?00)$/.test(zone);
const utc = (zone: string, written: string): string => (isUtc(zone) ? written : zone);

const changes: readonly Alternative<TreeChange>[] = alternatives<TreeChange>('body_json_members', [
  ...[3, 6, 7, 9].map((count): readonly [string, number, TreeChange] => [
    `with ${count} digits in the fractions of its times`,
    3,
    timesAs((day, clock, fraction, zone) => `${day}${clock}${digits(fraction, count)}${zone}`),
  ]),
  ['with its times without fractions', 3, timesAs((day, clock, _, zone) => `${day}${clock}${zone}`)],
  [
    'without the zeros at the end of the fractions of its times',
    3,
    timesAs((day, clock, fraction, zone) => `${day}${clock}${withoutZeros(fraction)}${zone}`),
  ],
  ...['Z', '+00:00', '+0000', ''].flatMap((zone): (readonly [string, number, TreeChange])[] => [
    [
      `with its times in UTC ending in ${zone || 'no zone'}`,
      3,
      timesAs((day, clock, fraction, own) => `${day}${clock}${fraction}${utc(own, zone)}`),
    ],
    [
      `with its times in UTC with milliseconds, ending in ${zone || 'no zone'}`,
      3,
      timesAs((day, clock, fraction, own) => `${day}${clock}${digits(fraction, 3)}${utc(own, zone)}`),
    ],
    [
      `with its times in UTC without fractions, ending in ${zone || 'no zone'}`,
      3,
      timesAs((day, clock, _, own) => `${day}${clock}${utc(own, zone)}`),
    ],
  ]),
  [
    'with a space in its times',
    3,
    timesAs((day, clock, fraction, zone) => `${day.slice(0, -1)} ${clock}${fraction}${zone}`),
  ],
  [
    'with a space in its times and no zone',
    3,
    timesAs((day, clock, fraction) => `${day.slice(0, -1)} ${clock}${fraction}`),
  ],
]);

/** Does the same for a document with a space in its times. */
const changesWithT: readonly Alternative<TreeChange>[] = [
  ...alternatives<TreeChange>('body_json_members', [['with T in place of the space in its times', 3, withT]]),
  ...changes.slice(0, -2).map((one) => {
    const notes = one.notes.map((note) => ({
      ...note,
      detail: `${note.detail}, and T in place of the space`,
    }));
    const value: TreeChange = (node) => withT(one.value(node));
    return { ...one, notes, value };
  }),
];

function withT(node: JsonNode): JsonNode {
  return timesAs((day, clock, fraction, zone) => `${day.slice(0, -1)}T${clock}${fraction}${zone}`)(node);
}
