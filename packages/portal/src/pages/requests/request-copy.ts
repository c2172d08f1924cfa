import type { RequestEntry } from '@countersign/contract';

/** The parts of a request from which its copies are made. Parts that were not stored cannot be included. */
export type CopiedRequest = Pick<
  RequestEntry,
  'requestId' | 'receivedAt' | 'method' | 'url' | 'status' | 'outcome' | 'clientId' | 'durationMs'
>;

/** Returns the command that signs and sends such a request again. */
export function signedCommandOf({ method, url }: CopiedRequest, baseUrl: string): string {
  return `countersign request ${shellWord(method)} ${shellWord(wholeUrl(url, baseUrl))}`;
}

/** Returns the request as received, without headers and body, for curl. */
export function curlCommandOf({ method, url }: CopiedRequest, baseUrl: string): string {
  return `curl -i -X ${shellWord(method)} ${shellWord(wholeUrl(url, baseUrl))}`;
}

/** Returns the request as a test case: an HTTP archive (HAR 1.2), which `countersign explain` reads. */
export function testCaseOf(request: CopiedRequest, baseUrl: string): string {
  const { requestId, receivedAt, method, url, status, outcome, clientId, durationMs = -1 } = request;
  const archive = {
    log: {
      version: '1.2',
      creator: { name: 'countersign', version: '1' },
      entries: [
        {
          startedDateTime: receivedAt,
          time: durationMs,
          request: {
            method,
            url: wholeUrl(url, baseUrl),
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: [{ name: 'Host', value: new URL(baseUrl).host }],
            queryString: [],
            headersSize: -1,
            bodySize: -1,
          },
          response: {
            status,
            statusText: '',
            httpVersion: 'HTTP/1.1',
            cookies: [],
            headers: [{ name: 'Request-Id', value: requestId }],
            content: { size: -1, mimeType: '' },
            redirectURL: '',
            headersSize: -1,
            bodySize: -1,
          },
          cache: {},
          timings: { send: -1, wait: durationMs, receive: -1 },
          comment: 'Headers, the body and the values of the query are not stored.',
          _countersign: { requestId, clientId, outcome },
        },
      ],
    },
  };
  return `${JSON.stringify(archive, undefined, 2)}\n`;
}

/** The URL that was called, on the service's own base URL. Control characters are encoded. */
function wholeUrl(url: string, baseUrl: string): string {
  const path = url.startsWith('/') ? url : `/${url}`;
  const whole = `${baseUrl.replace(/\/+$/, '')}${path}`;
  return whole.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => encodeURIComponent(character));
}

/** Quotes a text for a POSIX shell, so that it is one word whatever it contains. */
function shellWord(text: string): string {
  if (/^[A-Za-z0-9_./:-]+$/.test(text) && !text.startsWith('-')) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
