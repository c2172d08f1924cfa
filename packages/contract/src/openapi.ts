import { operationSchemas } from './operation-schemas.ts';
import { type OperationId, operations } from './operations.ts';
import type { OpenApiDocument, OpenApiOperation } from './openapi/document.ts';
import { bodyExamples } from './openapi/examples.ts';
import { parametersOf, sharedParameters } from './openapi/parameters.ts';
import { responseHeaders, responsesOf, sharedResponses } from './openapi/responses.ts';
import { bodyName, componentSchemas, schemaReference } from './openapi/schemas.ts';
import { groups, introduction, security, securitySchemes } from './openapi/texts.ts';

/** Where the service can be called. */
export interface OpenApiOptions {
  /** The public base URLs, without `/v1`. */
  readonly serverUrls: readonly string[];
}

/**
 * The OpenAPI 3.1 document of the API, made of the table of operations and the schemas that validate. The same
 * options give the same document, to the order of its members.
 */
export function openApiDocument({ serverUrls }: OpenApiOptions): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const { id, method, path } of Object.values(operations))
    (paths[path] ??= {})[method.toLowerCase()] = describeOperation(id);
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: { title: 'Countersign API', version: 'v1', description: introduction },
    servers: serverUrls.map((url) => ({ url })),
    security: [security.clients, security.people],
    tags: Object.values(groups).filter(({ description }) => description !== ''),
    paths,
    components: {
      schemas: componentSchemas(),
      parameters: sharedParameters,
      responses: sharedResponses(),
      headers: responseHeaders,
      securitySchemes,
    },
  };
}

function describeOperation(id: OperationId): OpenApiOperation {
  const { path, summary, permission, permissionOnItself, callers } = operations[id];
  const parameters = parametersOf(id);
  return {
    operationId: id,
    summary,
    tags: [groupOf(path)],
    ...(callers !== undefined && { security: [security[callers]] }),
    'x-permission': permission ?? null,
    ...(permissionOnItself !== undefined && { 'x-permission-on-itself': permissionOnItself }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(id),
    responses: responsesOf(id),
  };
}

function requestBodyOf(id: OperationId): Pick<OpenApiOperation, 'requestBody'> {
  const name = bodyName(id);
  if (name === undefined) return {};
  const media = { schema: schemaReference(name), example: bodyExamples[name] };
  const content = {
    'application/json': media,
    ...(operations[id].method === 'PATCH' && { 'application/merge-patch+json': media }),
  };
  return { requestBody: { required: operationSchemas[id].isBodyOptional !== true, content } };
}

function groupOf(path: string): string {
  const [first = '', , third] = path.split('/').slice(2);
  const group = groups[`${first}/${third}`] ?? groups[first];
  if (group === undefined) throw new Error(`The path ${path} belongs to no group of the OpenAPI document.`);
  return group.name;
}
