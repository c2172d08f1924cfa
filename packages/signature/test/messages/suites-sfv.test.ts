import {
  type Item,
  type Member,
  parseDictionary,
  parseItem,
  parseList,
  serializeDictionary,
  serializeList,
  serializeMember,
} from '../../src/rfc9421/structured-fields.ts';
import { readVectors, testSuite } from './suites.ts';

type FieldType = 'item' | 'list' | 'dictionary';

interface FieldVector {
  readonly field_type: FieldType;
  readonly input: string;
  readonly expect_parse_ok: boolean;
  readonly canonical?: string;
  readonly note: string;
}

const sections = {
  sfv_item: 15,
  sfv_list: 10,
  sfv_dictionary: 6,
  sfv_parameters: 6,
  sfv_canonical: 14,
  sfv_reject: 20,
};

/** Returns a field's canonical text. */
function canonical(type: FieldType, text: string): string {
  const fields: Readonly<Record<FieldType, () => string | undefined>> = {
    item: () => written(parseItem(text), (item: Item) => serializeMember(item)),
    list: () => written(parseList(text), (members: readonly Member[]) => serializeList(members)),
    dictionary: () => written(parseDictionary(text), serializeDictionary),
  };
  return fields[type]() ?? 'rejected';
}

function written<Value>(value: Value | undefined, write: (value: Value) => string): string | undefined {
  return value === undefined ? undefined : `written ${write(value)}`;
}

for (const [section, total] of Object.entries(sections)) {
  testSuite(`AlgoVoi's structured fields, ${section}`, {
    total,
    cases: () =>
      (readVectors('algovoi/sfv_v0.json') as Record<string, readonly FieldVector[]>)[section]!.map(
        ({ field_type: type, input, expect_parse_ok: isOk, canonical: expected, note }, index) => ({
          id: `${section}[${index}] ${note}`,
          expected: isOk ? `written ${expected!}` : 'rejected',
          outcome: () => canonical(type, input),
        }),
      ),
  });
}
