import { openApiDocument } from '../../packages/contract/src/openapi.ts';
import type { JsonSchema, OpenApiOperation } from '../../packages/contract/src/openapi/document.ts';

const { paths, components } = openApiDocument({ serverUrls: [] });

/** Renders `docs/management-requests.md` from the OpenAPI document that the service serves. */
export function managementRequestsDocument(): string {
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      section(method.toUpperCase(), path, operation),
    ),
  );
  return `${[
    '# Requests, member by member',
    'Every member of every request of [the management API](management.md), and every query parameter. A body is JSON; a member that is ' +
      'not listed is an error. The service serves the same, with the answers, as an OpenAPI document at `/openapi.json` ' +
      'and as a page at `/docs`.',
    'Made by `npm run docs:management`; change the schemas that it is made of.',
    ...sections,
  ].join('\n\n')}\n`;
}

function section(method: string, path: string, operation: OpenApiOperation): readonly string[] {
  const query = queryRows(operation);
  const [media] = Object.values(operation.requestBody?.content ?? {});
  if (query.length === 0 && media === undefined) return [];
  const members = media === undefined ? [] : memberRows(media.schema);
  return [
    `## \`${method} ${path}\``,
    `${operation.summary}.${operation.requestBody?.required === false ? ' The body is optional.' : ''}`,
    ...(query.length > 0 ? [table('Query', query)] : []),
    ...(members.length > 0 ? [table('Member', members)] : []),
    ...(media?.example === undefined
      ? []
      : [`\`\`\`json\n${JSON.stringify(media.example, null, 2)}\n\`\`\``]),
  ];
}

/** A parameter or member. */
interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly meaning: string;
}

function table(title: string, rows: readonly Row[]): string {
  return [
    `| ${title} | Type | Meaning |`,
    '|---|---|---|',
    ...rows.map(({ name, schema, isRequired, meaning }) => {
      const type = typeOf(schema);
      return `| \`${name}\` | ${cell(isRequired ? `${type}, required` : type)} | ${cell(meaning)} |`;
    }),
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function queryRows({ parameters = [] }: OpenApiOperation): readonly Row[] {
  return parameters.flatMap((parameter) => {
    const one = '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter;
    if (one.in !== 'query') return [];
    const { name, schema, required: isRequired = false, description: meaning } = one;
    return [{ name, schema, isRequired, meaning }];
  });
}

/** Lists the members of an object, and behind each the members of the objects in it: `entries[].label`. */
function memberRows(schema: JsonSchema, prefix = ''): readonly Row[] {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).flatMap(([member, given]) => {
    const one = resolved(given);
    const name = prefix + member;
    const meaning = given.description ?? one.description ?? '';
    const row = { name, schema: one, isRequired: required.includes(member), meaning };
    const [inner = one] = (one.anyOf ?? []).filter(({ type }) => type !== 'null');
    const items = inner.items === undefined ? undefined : resolved(inner.items);
    if (items !== undefined) return [row, ...memberRows(items, `${name}[].`)];
    return [row, ...memberRows(inner, `${name}.`)];
  });
}

function resolved(schema: JsonSchema): JsonSchema {
  const { $ref: reference } = schema as { $ref?: string };
  return reference === undefined ? schema : components.schemas[reference.split('/').at(-1)!]!;
}

/** Longer lists of values are left to the meaning of the member, such as the codes of currencies. */
const listedMax = 20;

/** Describes a type in words: `integer, 1 to 3650, or null`. */
function typeOf(given: JsonSchema): string {
  const schema = resolved(given);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(', or ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.enum !== undefined && schema.enum.length <= listedMax)
    return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  const kind = schema.format === 'date-time' ? 'time (RFC 3339)' : String(schema.type ?? 'any');
  return [kind, ...bounds(schema)].join(', ');
}

function bounds({ minimum, maximum, minLength, maxLength }: JsonSchema): string[] {
  if (minimum !== undefined || maximum !== undefined) return [range(minimum, maximum, '')];
  if (minLength !== undefined || maxLength !== undefined) return [range(minLength, maxLength, ' characters')];
  return [];
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined) return `at most ${most}${unit}`;
  return most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`;
}
