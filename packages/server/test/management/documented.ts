import assert from 'node:assert/strict';
import {
  openApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  type OperationId,
  type ProblemCode,
  type Reference,
} from '@countersign/contract';
import type { Answer } from '@countersign/testing/running-service';

/* What the OpenAPI document says that an operation can answer, read from the document as any reader would. */

const document = openApiDocument({ serverUrls: [] });
const described = new Map<string, OpenApiOperation>(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/** The codes of all rejections that an operation can respond with. */
export function documentedCodes(id: OperationId): readonly ProblemCode[] {
  return Object.keys(described.get(id)!.responses).flatMap((status) => codesOf(responseOf(id, status)));
}

/** The media types that a success of an operation can have. */
export function documentedMediaTypes(id: OperationId): readonly string[] {
  return Object.keys(success(id).content);
}

/** Fails when the document does not list an answer: its status, its code, its media type, its header fields. */
export function assertDocumented(id: OperationId, answer: Answer): void {
  const { status, headers, text } = answer;
  const response = responseOf(id, String(status));
  assert.ok(response !== undefined, `${id}: the document does not list ${status} ${text}`);
  const mediaType = String(headers['content-type']).split(';')[0]!;
  assert.ok(mediaType in response.content, `${id}: the document does not list ${status} as ${mediaType}`);
  if (status >= 400) {
    const code = answer.json()['code'] as ProblemCode;
    assert.ok(codesOf(response).includes(code), `${id}: the document does not list ${status} ${code}`);
  }
  for (const name of Object.keys(document.components.headers)) {
    const isListed: boolean = response.headers !== undefined && name in response.headers;
    const isThere = headers[name.toLowerCase()] !== undefined;
    assert.ok(isListed || !isThere, `${id}: the document does not list ${name} with ${status} ${text}`);
    if (always.has(name) && status < 400)
      assert.equal(isThere, isListed, `${id}: ${name} is listed with ${status} and not there`);
  }
}

/** Header fields that are there whenever they are listed. */
const always: ReadonlySet<string> = new Set(['Request-Id', 'ETag', 'Location']);

function success(id: OperationId): OpenApiResponse {
  const [status] = Object.keys(described.get(id)!.responses).filter((text) => Number(text) < 300);
  return responseOf(id, status!)!;
}

function responseOf(id: OperationId, status: string): OpenApiResponse | undefined {
  const response = described.get(id)!.responses[status];
  return response && '$ref' in response ? shared(response) : response;
}

function shared({ $ref }: Reference): OpenApiResponse {
  return document.components.responses[$ref.split('/').at(-1)!]!;
}

function codesOf(response: OpenApiResponse | undefined): readonly ProblemCode[] {
  const schema = response?.content['application/problem+json']?.schema;
  return (schema?.allOf ?? []).flatMap((part) => (part.properties?.['code']?.enum ?? []) as ProblemCode[]);
}
