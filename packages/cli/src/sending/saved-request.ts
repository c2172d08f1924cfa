import type { RequestToSend } from './send-request.ts';

/**
 * Formats a request as an HTTP message with its full URL, in the form that `countersign explain --sent`
 * reads. Values that may be passwords are omitted: no signature covers them.
 */
export function savedRequest({ method, url, headers, body }: RequestToSend): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${secretNames.test(name) ? '(left out)' : value}`);
  const head = [`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? new Uint8Array()]);
}

const secretNames =
  /^(?:authorization|proxy-authorization|cookie|.*(?:api[-_]?key|token|secret|password).*)$/i;
