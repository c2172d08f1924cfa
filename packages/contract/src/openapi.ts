import { type Operation, operations } from './operations.ts';
import { operationGroups } from './operations/operation.ts';
import { bodyMedia, componentSchemas } from './openapi/schemas.ts';
import type { OpenApiDocument, OpenApiOperation } from './openapi/document.ts';
import { parametersOf, sharedParameters } from './openapi/parameters.ts';
import { responseHeaders, responsesOf, sharedResponses } from './openapi/responses.ts';
import { type DeploymentPermissions, permissionsFor } from './permissions.ts';
import { introduction, security, securitySchemes } from './openapi/texts.ts';

export interface OpenApiOptions {
  /** The permissions that the deployment adds; none by default. */
  readonly permissions?: DeploymentPermissions;
  /** The public base URLs, without `/v1`. */
  readonly serverUrls: readonly string[];
}

/**
 * Creates the OpenAPI 3.1 document of the API from the tables of operations and schemas. The same options
 * give the same document, including the order of its members.
 */
export function openApiDocument({ serverUrls, permissions = {} }: OpenApiOptions): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values(operations))
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describeOperation(operation);
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: {
      title: 'Countersign API',
      version: 'v1',
      description: introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: serverUrls.map((url) => ({ url })),
    security: [security.clients, security.people],
    tags: Object.entries(operationGroups).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentSchemas(permissionsFor('members', permissions).map(({ name }) => name)),
      parameters: sharedParameters,
      responses: sharedResponses(),
      headers: responseHeaders,
      securitySchemes,
    },
  };
}

function describeOperation(operation: Operation): OpenApiOperation {
  const { id, group, summary, permission, permissionOnItself, callers } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    summary,
    description: neededPermission(operation),
    tags: [group],
    ...(callers !== undefined && { security: [security[callers]] }),
    'x-permission': permission ?? null,
    ...(permissionOnItself !== undefined && { 'x-permission-on-itself': permissionOnItself }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(operation),
    responses: responsesOf(operation),
  };
}

/** Repeats `x-permission` in words, because many tools show only descriptions. */
function neededPermission({ permission, permissionOnItself }: Operation): string {
  if (permission === undefined) return 'Needs no permission.';
  const onItself =
    permissionOnItself === undefined ? '' : `, or \`${permissionOnItself}\` for the client that signs`;
  return `Needs the permission \`${permission}\`${onItself}.`;
}

function requestBodyOf({ method, body, isBodyOptional }: Operation): Pick<OpenApiOperation, 'requestBody'> {
  if (body === undefined) return {};
  const media = bodyMedia(body);
  const content = {
    'application/json': media,
    ...(method === 'PATCH' && { 'application/merge-patch+json': media }),
  };
  return { requestBody: { required: isBodyOptional !== true, content } };
}
