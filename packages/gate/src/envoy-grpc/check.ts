import type { HandedOver, HeaderPairs, Verdict } from '../authorizers/authorizer.ts';
import { namesToRemove } from '../authorizers/envoy-removals.ts';
import { namedAddress } from '../http/client-address.ts';
import { valuesOf } from '../http/framing.ts';
import type { CheckRequest, CheckResponse, HeaderValueOption, HttpAttributes } from './check-messages.ts';

/**
 * The metadata in Envoy's settings that declares that it hands over whole bodies: `countersign-request-body:
 * whole`.
 */
export const bodyDeclaration = { name: 'countersign-request-body', whole: 'whole' } as const;

/**
 * A request as Envoy hands it over, or the change to Envoy's settings that is needed before requests can be
 * decided.
 */
export type CheckReading =
  | { readonly ok: true; readonly handedOver: HandedOver }
  | { readonly ok: false; readonly mistake: string };

/**
 * Reads a check. `declaration` is the metadata about bodies: Envoy removes `Transfer-Encoding` before it
 * asks, so a check without a body looks the same whether there is no body or Envoy keeps it.
 */
export function readCheck({ attributes }: CheckRequest, declaration: string | null): CheckReading {
  const http = attributes?.request?.http;
  if (http === undefined)
    return mistaken('it queries for connections: use the HTTP filter envoy.filters.http.ext_authz');
  if (http.headerMap === undefined || http.headers.length > 0)
    return mistaken('it joins headers of the same name: set encode_raw_headers: true');
  if (http.body.length > 0)
    return mistaken('it sends bodies as text: set pack_as_bytes: true in with_request_body');
  const rawHeaders = ['Host', latin1(http.host)];
  for (const { key, rawValue } of http.headerMap.headers)
    if (!key.startsWith(':')) rawHeaders.push(key, latin1(rawValue));
  return {
    ok: true,
    handedOver: {
      head: { method: latin1(http.method), url: latin1(http.path), rawHeaders, httpVersion: versionOf(http) },
      source: namedAddress(attributes?.source?.address?.socketAddress?.address),
      body: bodyOf(http, rawHeaders, declaration),
    },
  };
}

/** Returns the response for Envoy. */
export function responseOf(verdict: Verdict, { head, source }: HandedOver): Omit<CheckResponse, '$typeName'> {
  if (!verdict.allowed) {
    return {
      status: { code: grpcStatus.permissionDenied },
      deniedResponse: {
        status: { code: verdict.status },
        headers: overwriting(verdict.headers),
        body: Buffer.from(verdict.body).toString('utf8'),
      },
    };
  }
  const headers = [...verdict.headers];
  // Envoy appends to what the client sent, and an upstream may read the first address.
  if (source.text !== '') headers.push(['X-Forwarded-For', source.text]);
  return {
    status: { code: grpcStatus.ok },
    okResponse: {
      headers: overwriting(headers),
      headersToRemove: namesToRemove(head.rawHeaders, headers),
      responseHeadersToAdd: overwriting(verdict.answerHeaders),
    },
  };
}

const grpcStatus = { ok: 0, permissionDenied: 7 } as const;

/** `OVERWRITE_IF_EXISTS_OR_ADD`. */
const overwrite = 2;

function overwriting(headers: HeaderPairs): HeaderValueOption[] {
  return headers.map(([name, value]) => ({
    header: { key: name.toLowerCase(), value },
    appendAction: overwrite,
  }));
}

function mistaken(mistake: string): CheckReading {
  return { ok: false, mistake };
}

/** Headers of the framing and the connection. Envoy has already removed the framing, in every HTTP version. */
function versionOf({ protocol }: HttpAttributes): string {
  return protocol === 'HTTP/1.0' ? '1.0' : '1.1';
}

function bodyOf(
  { rawBody }: HttpAttributes,
  rawHeaders: readonly string[],
  declaration: string | null,
): HandedOver['body'] {
  const isPartial = valuesOf(rawHeaders, 'x-envoy-auth-partial-body').some((value) => value !== 'false');
  if (isPartial) return 'unseen';
  if (rawBody.length > 0) return rawBody;
  return declaration === bodyDeclaration.whole ? 'none' : 'unseen';
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
