import { strictText, type StructuredType } from '../../src/rfc9421/structured-types.ts';
import { readVectors, testSuite } from './suites.ts';

interface FieldVector {
  readonly field_type: StructuredType;
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

for (const [section, total] of Object.entries(sections)) {
  testSuite(`AlgoVoi's structured fields, ${section}`, {
    total,
    cases: () =>
      (readVectors('algovoi/sfv_v0.json') as Record<string, readonly FieldVector[]>)[section]!.map(
        ({ field_type: type, input, expect_parse_ok: isOk, canonical: expected, note }, index) => ({
          id: `${section}[${index}] ${note}`,
          expected: isOk ? `written ${expected!}` : 'rejected',
          outcome: () => {
            const text = strictText(input, type);
            return text === undefined ? 'rejected' : `written ${text}`;
          },
        }),
      ),
  });
}
