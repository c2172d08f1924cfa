import type { JsonSchema } from '@countersign/contract';

/** What of a value a JSON Schema does not allow, as far as the OpenAPI document uses JSON Schema; empty when all is well. */
export function violations(
  schema: JsonSchema,
  value: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
  place = '',
): string[] {
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
    return target ? violations(target, value, schemas, place) : [`${place}: ${schema.$ref} leads nowhere`];
  }
  const within = (part: JsonSchema, inner: unknown, name: string): string[] =>
    violations(part, inner, schemas, `${place}/${name}`);
  const fails = (isWrong: boolean, what: string): string[] => (isWrong ? [`${place}: ${what}`] : []);
  const matching = (forms: readonly JsonSchema[]): number =>
    forms.filter((form) => violations(form, value, schemas, place).length === 0).length;
  const { type, properties = {}, additionalProperties } = schema;
  const found = [
    ...fails(
      type !== undefined && ![type].flat().some((one) => isOfType(value, one)),
      `is no ${String(type)}`,
    ),
    ...fails(schema.enum !== undefined && !schema.enum.includes(value), 'is none of the values'),
    ...fails(schema.const !== undefined && schema.const !== value, 'is another value'),
    ...(schema.allOf ?? []).flatMap((part) => violations(part, value, schemas, place)),
    ...fails(schema.anyOf !== undefined && matching(schema.anyOf) === 0, 'has none of the forms'),
    ...fails(schema.oneOf !== undefined && matching(schema.oneOf) !== 1, 'has not exactly one of the forms'),
  ];
  if (typeof value === 'string') {
    const { pattern, minLength = 0, maxLength = Infinity, format } = schema;
    found.push(
      ...fails(pattern !== undefined && !new RegExp(pattern, 'u').test(value), `does not match ${pattern}`),
      ...fails(value.length < minLength || value.length > maxLength, 'has another length'),
      ...fails(
        format === 'date-time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value),
        'is no time',
      ),
      ...fails(format === 'uri' && !URL.canParse(value), 'is no URI'),
    );
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    found.push(...fails(value < minimum || value > maximum, 'is out of range'));
  }
  if (Array.isArray(value) && schema.items)
    for (const [index, element] of value.entries())
      found.push(...within(schema.items, element, String(index)));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const name of schema.required ?? []) found.push(...fails(!(name in value), `has no ${name}`));
    for (const [name, member] of Object.entries(value)) {
      const part = properties[name] ?? additionalProperties;
      if (typeof part === 'object') found.push(...within(part, member, name));
      found.push(...fails(part === false, `must not have ${name}`));
    }
  }
  return found;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
