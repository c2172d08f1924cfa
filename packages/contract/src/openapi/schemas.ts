import { z } from 'zod';
import { operations } from '../operations.ts';
import { type SchemaName, schemas } from '../schemas.ts';
import type { Permission } from '../permissions.ts';
import { knownPermissionMark } from '../schemas/roles.ts';
import type { JsonSchema, OpenApiContent } from './document.ts';
import { problemSchemas } from './problem-schema.ts';

export function schemaReference(name: string): JsonSchema {
  return { $ref: `${schemaPlace}${name}` };
}

/** The schema of a body, with its example. */
export function bodyMedia(name: SchemaName): OpenApiContent[string] {
  const { examples } = schemas[name].meta() ?? {};
  return { schema: schemaReference(name), example: Array.isArray(examples) ? examples[0] : undefined };
}

/**
 * Every schema of the document by its name.
 *
 * @param permissions the permissions that client roles can have in the deployment
 */
export function componentSchemas(permissions: readonly Permission[]): Record<string, JsonSchema> {
  const answers = new Set(Object.values(operations).map(({ answer }) => answer));
  const bodies = new Set(Object.values(operations).flatMap(({ body }) => body ?? []));
  const all = {
    ...convert(answers, 'output', permissions),
    ...convert(bodies, 'input', permissions),
    ...problemSchemas,
  };
  return Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The JSON Schema of a parameter's text. */
export function parameterSchema(schema: z.ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input', override: simplify }) as ConvertedSchema);
}

/** The JSON Schema of what a reader gets, who ignores members that it does not know. */
export function openSchema(schema: z.ZodType): Record<string, unknown> {
  const override = ({ jsonSchema }: Conversion): void => {
    simplify({ jsonSchema });
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
  return { ...z.toJSONSchema(schema, { io: 'output', override }) };
}

const schemaPlace = '#/components/schemas/';

type ConvertedSchema = JsonSchema & {
  readonly $schema?: string;
  readonly $id?: string;
  readonly examples?: unknown;
};

function convert(
  names: ReadonlySet<SchemaName>,
  io: 'input' | 'output',
  permissions: readonly Permission[],
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const name of names) registry.add(schemas[name], { id: name });
  const converted = z.toJSONSchema(registry, {
    io,
    uri: (id) => `${schemaPlace}${id}`,
    override: ({ jsonSchema }) => {
      simplify({ jsonSchema });
      if (jsonSchema[knownPermissionMark]) jsonSchema.enum = [...permissions];
      delete jsonSchema[knownPermissionMark];
      // Within `/v1` a response may gain members, so readers must not reject unknown ones.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, schema]) => [name, plain(schema as ConvertedSchema)]),
  );
}

interface Conversion {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

function simplify({ jsonSchema }: Conversion): void {
  // The format says the same and is easier to read.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // Every integer of JavaScript is within these limits.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (refusesEmpty(jsonSchema)) jsonSchema.minLength ??= 1;
}

/** Lets readers that ignore patterns and formats still reject an empty text. */
function refusesEmpty({ type, pattern, format }: Conversion['jsonSchema']): boolean {
  if (type !== 'string') return false;
  return format !== undefined || (pattern !== undefined && !new RegExp(pattern).test(''));
}

/** Removes members that only a separate schema has, and examples, which are placed next to a body's schema. */
function plain({ $schema: _dialect, $id: _id, examples: _examples, ...schema }: ConvertedSchema): JsonSchema {
  return schema;
}
