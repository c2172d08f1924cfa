import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type JsonSchema,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  openApiDocument,
  type OperationId,
  operations,
  operationSchemas,
  type ProblemCode,
  problemCodesMetBy,
  problems,
  type Reference,
} from '@countersign/contract';

const document = openApiDocument({ serverUrls: ['https://api.example.test'] });
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Returns the target of a reference; fails if there is none. */
function resolve<Part extends object>(part: Part | Reference): Part {
  if (!('$ref' in part)) return part;
  const { $ref } = part;
  assert.match($ref, /^#\/components\/[A-Za-z]+\/[A-Za-z0-9-]+$/);
  const [, , kind, name] = $ref.split('/');
  const found = (document.components as Record<string, Record<string, unknown>>)[kind!]?.[name!];
  assert.ok(found, `${$ref} leads nowhere`);
  return found as Part;
}

/** Every object in a value, with its place. */
function* objectsIn(value: unknown, place = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${place}/${name}`);
}

function* schemasIn(schema: JsonSchema, place: string): Generator<[string, JsonSchema]> {
  yield [place, schema];
  const lists = { allOf: schema.allOf, anyOf: schema.anyOf, oneOf: schema.oneOf };
  for (const [name, list] of Object.entries(lists))
    for (const [index, part] of (list ?? []).entries()) yield* schemasIn(part, `${place}/${name}/${index}`);
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(part, `${place}/properties/${name}`);
  if (schema.items) yield* schemasIn(schema.items, `${place}/items`);
  for (const part of [schema.additionalProperties, schema.propertyNames])
    if (typeof part === 'object') yield* schemasIn(part, `${place}/part`);
}

/** Every text in a body that can be chosen freely, with its place. */
function* textsIn(
  schema: JsonSchema,
  path: readonly string[] = [],
): Generator<[readonly string[], JsonSchema]> {
  const { type, enum: values, const: only, anyOf = [], allOf = [], oneOf = [] } = schema;
  if (schema.$ref !== undefined) yield* textsIn(resolve<JsonSchema>({ $ref: schema.$ref }), path);
  if (type === 'string' && values === undefined && only === undefined) yield [path, schema];
  for (const part of [...anyOf, ...allOf, ...oneOf]) yield* textsIn(part, path);
  for (const [name, part] of Object.entries(schema.properties ?? {})) yield* textsIn(part, [...path, name]);
  if (schema.items) yield* textsIn(schema.items, [...path, '0']);
  if (typeof schema.additionalProperties === 'object')
    yield* textsIn(schema.additionalProperties, [...path, 'member']);
}

/** Puts a text into a copy of a body; objects and lists on the way are added. */
function withText(body: unknown, path: readonly string[], text: string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return text;
  if (name === '0') return [withText(Array.isArray(body) ? body[0] : undefined, rest, text)];
  const members = (body ?? {}) as Readonly<Record<string, unknown>>;
  return { ...members, [name]: withText(members[name], rest, text) };
}

function isAbout(issue: { readonly path: readonly PropertyKey[] }, path: readonly string[]): boolean {
  return issue.path.map(String).join('/') === path.join('/') || issue.path.length < path.length;
}

/** Returns a reader's verdict on a text according to the document; formats other than patterns are ignored. */
function fits({ pattern, format, minLength = 0, maxLength = Infinity }: JsonSchema, text: string): boolean {
  const length = Array.from(text).length;
  if (length < minLength || length > maxLength) return false;
  return pattern === undefined || format !== undefined || new RegExp(pattern, 'u').test(text);
}

const allSchemas = [
  ...Object.entries(document.components.schemas),
  ...Object.values(document.components.parameters).map(({ name, schema }) => [name, schema] as const),
  ...Object.entries(document.components.headers).map(([name, { schema }]) => [name, schema] as const),
  ...described.flatMap(({ operation }) =>
    (operation.parameters ?? []).flatMap((part) =>
      'schema' in part ? [[part.name, part.schema] as const] : [],
    ),
  ),
  ...described.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap((response) =>
      Object.values(resolve<OpenApiResponse>(response).content).map(
        ({ schema }) => [operation.operationId, schema] as const,
      ),
    ),
  ),
].flatMap(([name, schema]) => [...schemasIn(schema, name)]);

describe('the OpenAPI document', () => {
  // The requirements of the JSON Schema of OpenAPI 3.1 (spec.openapis.org/oas/3.1/schema/2022-10-07), as far
  // as we use it.
  test('it has no member that OpenAPI 3.1 does not know, and none that it needs is missing', () => {
    const check = (
      value: object,
      needed: readonly string[],
      others: readonly string[],
      place: string,
    ): void => {
      for (const name of needed) assert.ok(name in value, `${place} has no ${name}`);
      for (const name of Object.keys(value))
        assert.ok([...needed, ...others].includes(name) || name.startsWith('x-'), `${place}: ${name}`);
    };
    const checkContent = (content: object, place: string): void => {
      assert.notDeepEqual(Object.keys(content), [], place);
      for (const [type, media] of Object.entries(content)) {
        assert.match(type, /^[a-z]+\/[a-z.+-]+$/);
        check(media as object, ['schema'], ['example'], `${place} ${type}`);
      }
    };
    assert.match(document.openapi, /^3\.1\.[0-9]+$/);
    check(
      document,
      ['openapi', 'info', 'paths'],
      ['jsonSchemaDialect', 'servers', 'security', 'tags', 'components'],
      '',
    );
    assert.ok(URL.canParse(document.jsonSchemaDialect));
    check(document.info, ['title', 'version'], ['description', 'contact', 'license'], 'info');
    for (const server of document.servers) check(server, ['url'], [], 'server');
    for (const tag of document.tags) check(tag, ['name'], ['description'], 'tag');
    assert.equal(new Set(document.tags.map(({ name }) => name)).size, document.tags.length);
    const { components } = document;
    check(components, [], ['schemas', 'parameters', 'responses', 'headers', 'securitySchemes'], 'components');
    for (const kind of Object.values(components))
      for (const name of Object.keys(kind)) assert.match(name, /^[a-zA-Z0-9._-]+$/);
    for (const [name, header] of Object.entries(components.headers))
      check(header, ['schema'], ['description'], name);
    for (const [name, scheme] of Object.entries(components.securitySchemes)) {
      check(scheme, ['type', 'name', 'in'], ['description'], name);
      assert.deepEqual([scheme.type, scheme.in], ['apiKey', name === 'session' ? 'cookie' : 'header']);
    }
    const forms = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    assert.equal(new Set(forms).size, forms.length, 'two paths differ only in the names of their parameters');
    for (const { path, method, operation } of described) {
      const place = `${method} ${path}`;
      assert.match(path, /^\/v1\//);
      assert.match(method, /^(?:get|put|post|patch|delete)$/);
      check(
        operation,
        ['responses'],
        ['operationId', 'summary', 'description', 'tags', 'parameters', 'requestBody', 'security'],
        place,
      );
      for (const part of operation.parameters ?? []) {
        const parameter = resolve<OpenApiParameter>(part);
        check(parameter, ['name', 'in', 'schema'], ['description', 'required', 'example'], place);
        assert.match(parameter.in, /^(?:path|query|header)$/);
      }
      if (operation.requestBody) {
        check(operation.requestBody, ['content'], ['required'], place);
        checkContent(operation.requestBody.content, place);
      }
      assert.ok(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        place,
      );
      for (const [status, part] of Object.entries(operation.responses)) {
        assert.match(status, /^[1-5][0-9][0-9]$/);
        const response = resolve<OpenApiResponse>(part);
        check(response, ['description'], ['headers', 'content'], `${place} ${status}`);
        assert.notEqual(response.description, '', `${place} ${status}`);
        for (const header of Object.values(response.headers ?? {})) assert.ok(resolve(header));
        checkContent(response.content, `${place} ${status}`);
      }
    }
  });

  test('examples are what the schemas accept', () => {
    for (const { path, operation } of described) {
      const { body } = operationSchemas[operation.operationId as OperationId];
      for (const { example } of Object.values(operation.requestBody?.content ?? {}))
        assert.deepEqual(body?.safeParse(example).error?.issues, undefined, operation.operationId);
      assert.equal(operation.requestBody !== undefined, body !== undefined);
      for (const part of operation.parameters ?? []) {
        const { name, in: place, example } = resolve<OpenApiParameter>(part);
        if (place === 'path')
          assert.match(example ?? '', /^(?:[a-z]+_[0-9a-z]{26}|[0-9.]+%2F[0-9]+)$/, `${path} ${name}`);
      }
    }
  });

  test('every reference leads somewhere, and every component is used', () => {
    const used = new Set<string>();
    for (const [, part] of objectsIn(document)) {
      if (typeof part['$ref'] !== 'string') continue;
      resolve(part as { $ref: string });
      used.add(part['$ref']);
    }
    for (const [kind, components] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(components))
        assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name} is not used`);
    }
  });

  test('every parameter of a path is declared there, and no parameter twice', () => {
    for (const { path, operation } of described) {
      const parameters = (operation.parameters ?? []).map((one) => resolve<OpenApiParameter>(one));
      const inPath = parameters.filter((one) => one.in === 'path');
      assert.deepEqual(
        inPath.map(({ name }) => `{${name}}`),
        path.match(/\{\w+\}/g) ?? [],
        path,
      );
      assert.ok(inPath.every(({ required }) => required === true));
      assert.equal(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size, parameters.length, path);
      // RFC 9110 section 5.1 aside, OpenAPI gives these names a meaning of its own.
      for (const { name } of parameters)
        assert.doesNotMatch(name, /^(?:Accept|Content-Type|Authorization)$/i);
    }
  });

  test('schemas have only keywords of JSON Schema, and patterns that compile', () => {
    const keywords = new Set(
      `$ref type description format pattern enum const default minimum maximum minLength maxLength minItems maxItems
      items properties required additionalProperties propertyNames allOf anyOf oneOf`.split(/\s+/),
    );
    const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
    for (const [place, schema] of allSchemas) {
      for (const keyword of Object.keys(schema)) assert.ok(keywords.has(keyword), `${place}: ${keyword}`);
      if (schema.type !== undefined)
        assert.ok(
          [schema.type].flat().every((type) => types.includes(type)),
          place,
        );
      if (schema.pattern !== undefined) assert.ok(new RegExp(schema.pattern, 'u'), place);
      for (const name of schema.required ?? []) assert.ok(schema.properties?.[name], `${place}: ${name}`);
      for (const list of [schema.enum, schema.required, [schema.type].flat()])
        assert.equal(new Set(list).size, list?.length ?? 0, `${place}: a value twice`);
      for (const list of [schema.enum, schema.allOf, schema.anyOf, schema.oneOf])
        assert.notEqual(list?.length, 0, `${place}: an empty list`);
    }
  });

  test('patterns are plain: without Unicode classes and look-around, which many tools cannot read', () => {
    for (const [place, { pattern }] of allSchemas) {
      if (pattern === undefined) continue;
      assert.doesNotMatch(pattern, /\\[pP]|\\u\{|\(\?(?!:)/, place);
      for (const flags of ['', 'u']) assert.ok(new RegExp(pattern, flags), place);
    }
  });

  test('a text with a pattern or a format that cannot be empty has a shortest length', () => {
    for (const [place, { type, pattern, format, minLength = 0 }] of allSchemas) {
      const refusesEmpty = format !== undefined || (pattern !== undefined && !new RegExp(pattern).test(''));
      if (type === 'string' && refusesEmpty) assert.ok(minLength > 0, place);
    }
    for (const part of described.flatMap(({ operation }) => operation.parameters ?? [])) {
      const { name, schema } = resolve<OpenApiParameter>(part);
      if (schema.type === 'string' && !schema.enum) assert.ok((schema.minLength ?? 0) > 0, name);
    }
  });

  test('a text that a body may have fits its schema, and an empty one is refused by both or by neither', () => {
    const samples = [
      '',
      'a',
      'Zoë',
      '東 京',
      '😀',
      ' a',
      'a\u00a0',
      '\u0007',
      'partner/eu',
      '10.0.0.1',
      'a'.repeat(300),
    ];
    for (const { operation } of described) {
      const { body } = operationSchemas[operation.operationId as OperationId];
      const { example, schema = {} } = operation.requestBody?.content['application/json'] ?? {};
      for (const [path, leaf] of textsIn(schema)) {
        for (const sample of samples) {
          const place = `${operation.operationId} ${path.join('/')} ${sample.slice(0, 10)}`;
          const issues = body?.safeParse(withText(example, path, sample)).error?.issues ?? [];
          const isAccepted = !issues.some((issue) => isAbout(issue, path));
          if (isAccepted) assert.ok(fits(leaf, sample), place);
          else if (sample === '') assert.ok(!fits(leaf, sample), place);
        }
      }
    }
  });

  test('the same options give the same text', () => {
    const again = openApiDocument({ serverUrls: ['https://api.example.test'] });
    assert.equal(JSON.stringify(again), JSON.stringify(document));
    assert.deepEqual(document.servers, [{ url: 'https://api.example.test' }]);
  });

  test('a signature of two fields or the session of a person is asked for, as the operation says', () => {
    const ofClients = { signature: [], signatureInput: [] };
    const ofPeople = { session: [] };
    assert.deepEqual(document.security, [ofClients, ofPeople]);
    for (const { operation } of described) {
      const { callers } = operations[operation.operationId as OperationId];
      const expected = { clients: [ofClients], people: [ofPeople], both: undefined }[callers ?? 'both'];
      assert.deepEqual(operation.security, expected, operation.operationId);
    }
    const { signature, signatureInput, session } = document.components.securitySchemes;
    assert.deepEqual([signature?.name, signatureInput?.name], ['Signature', 'Signature-Input']);
    assert.deepEqual(session?.name, '__Host-countersign-session');
  });
});

describe('what the OpenAPI document says of the operations', () => {
  const byId = new Map(described.map((one) => [one.operation.operationId, one]));
  const codesOf = ({ responses }: OpenApiOperation): string[] =>
    Object.values(responses)
      .map((response) => resolve<OpenApiResponse>(response))
      .flatMap(
        ({ content }) => content['application/problem+json']?.schema.allOf?.[1]?.properties?.['code']?.enum,
      )
      .filter((code) => code !== undefined)
      .map(String);

  test('exactly the operations of the table are there, each where the table says', () => {
    assert.equal(byId.size, described.length);
    assert.deepEqual([...byId.keys()].toSorted(), Object.keys(operations).toSorted());
    for (const { id, method, path, summary, permission } of Object.values(operations)) {
      const one = byId.get(id)!;
      assert.deepEqual([one.method, one.path], [method.toLowerCase(), path]);
      assert.equal(one.operation.summary, summary);
      assert.equal(one.operation['x-permission'], permission ?? null);
      assert.equal(one.operation.tags.length, 1);
      assert.ok(document.tags.some(({ name }) => name === one.operation.tags[0]));
    }
  });

  test('a body, a query, If-Match and Idempotency-Key are described exactly where they are taken', () => {
    for (const { id, ifMatch, takesIdempotencyKey, method, isBodyOptional } of Object.values(operations)) {
      const { operation } = byId.get(id)!;
      const { body, query } = operationSchemas[id];
      const parameters = (operation.parameters ?? []).map((one) => resolve<OpenApiParameter>(one));
      const names = (place: string): string[] =>
        parameters.filter((one) => one.in === place).map(({ name }) => name);
      assert.deepEqual(names('query'), Object.keys(query), id);
      assert.deepEqual(
        names('header'),
        [...(ifMatch ? ['If-Match'] : []), ...(takesIdempotencyKey ? ['Idempotency-Key'] : [])],
        id,
      );
      const required = parameters.find(({ name }) => name === 'If-Match')?.required === true;
      assert.equal(required, ifMatch === 'required', id);
      assert.equal(operation.requestBody !== undefined, body !== undefined, id);
      if (body === undefined) continue;
      assert.ok(operation.requestBody);
      assert.equal(operation.requestBody.required, isBodyOptional !== true, id);
      assert.equal('application/merge-patch+json' in operation.requestBody.content, method === 'PATCH', id);
    }
  });

  test('every refusal is a code of the table under its status, and every code is that of an operation', () => {
    const all = new Set<string>();
    for (const { operation } of described) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 300) continue;
        const { content, description } = resolve<OpenApiResponse>(response);
        const schema = content['application/problem+json']?.schema;
        assert.equal(schema?.allOf?.[0]?.$ref, '#/components/schemas/Problem');
        const codes = schema.allOf?.[1]?.properties?.['code']?.enum as ProblemCode[];
        assert.ok(codes.length > 0);
        for (const code of codes) {
          assert.equal(String(problems[code].status), status);
          assert.ok(description.includes(`\`${code}\``));
          all.add(code);
        }
      }
    }
    // A method without an operation, and requests that only the portal's sign-in and the gateway handle.
    assert.deepEqual(
      Object.keys(problems).filter((code) => !all.has(code)),
      ['method_not_allowed', ...problemCodesMetBy('sign-in'), ...problemCodesMetBy('protected API')],
    );
  });

  test('what only some operations can meet stands only there', () => {
    const codesBy = (id: OperationId): string[] => codesOf(byId.get(id)!.operation);
    assert.ok(!codesBy('getWhoami').includes('permission_denied'));
    assert.ok(!codesBy('getWhoami').includes('not_found'));
    assert.ok(!codesBy('getWhoami').includes('session_required'));
    assert.ok(codesBy('listClients').includes('session_required'));
    assert.ok(!codesBy('getWhoami').includes('step_up_required'));
    assert.ok(codesBy('addClient').includes('step_up_required'));
    assert.ok(codesBy('endActing').includes('permission_denied'));
    assert.ok(codesBy('getClient').includes('not_found'));
    assert.ok(codesBy('updateClient').includes('precondition_required'));
    assert.ok(!codesBy('disableClient').includes('precondition_required'));
    assert.ok(codesBy('disableClient').includes('precondition_failed'));
    assert.ok(codesBy('addKey').includes('private_key_refused'));
    assert.ok(!codesBy('inspectKey').includes('private_key_refused'));
    assert.ok(codesBy('removeRole').includes('role_in_use'));
    assert.ok(!codesBy('listClients').includes('idempotency_key_reused'));
  });
});

describe('the schemas of the OpenAPI document', () => {
  const { schemas } = document.components;

  test('every schema and every member has a text', () => {
    for (const [name, schema] of Object.entries(schemas)) {
      assert.ok(schema.description, name);
      for (const [place, part] of schemasIn(schema, name)) {
        for (const [member, inner] of Object.entries(part.properties ?? {}))
          assert.ok(inner.description ?? inner.$ref ?? inner.const !== undefined, `${place}: ${member}`);
      }
    }
  });

  test('requests refuse members that they do not have, answers may get more', () => {
    assert.equal(schemas['PaymentRequest']?.additionalProperties, false);
    assert.equal(schemas['ClientChange']?.additionalProperties, false);
    for (const name of ['Payment', 'Client', 'Key', 'ClientPage', 'AuditEvent'])
      assert.equal(schemas[name]?.additionalProperties, undefined, name);
  });

  test('limits say what the schema of the query accepts', () => {
    for (const { operation } of described) {
      const query = operationSchemas[operation.operationId as OperationId].query;
      for (const part of operation.parameters ?? []) {
        const { name, schema, required } = resolve<OpenApiParameter>(part);
        const parameter = query[name];
        if (!parameter) continue;
        assert.equal(required === true, parameter.isRequired === true);
        const accepts = (text: string): boolean => parameter.schema.safeParse(text).success;
        if (name === 'limit') {
          assert.deepEqual(
            [schema.minimum, schema.maximum, schema.maximum! + 1].map((limit) => accepts(String(limit))),
            [true, true, false],
          );
        }
        if (schema.format === 'date-time')
          assert.deepEqual([accepts('2026-11-21T12:00:00Z'), accepts('2026-11-21')], [true, false]);
      }
    }
  });
});
