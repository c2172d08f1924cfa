import { http } from '@countersign/gate/node-http';

/** A request that is ready to be sent. */
export interface PreparedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface CallResponse {
  readonly status: number;
  /** The parsed body if it is JSON or a problem document. */
  readonly body: unknown;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Sends a request to a listening address, with the host of its URL, and reads the response. */
export function call(address: string, { method, url, headers, body }: PreparedCall): Promise<CallResponse> {
  const { host } = new URL(url);
  const target = url.slice(url.indexOf(host) + host.length);
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const options = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: target,
      headers: { ...headers, Host: host, ...(body !== '' && { 'Content-Length': Buffer.byteLength(body) }) },
      agent: false,
    };
    const outgoing = http.request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode = 0, headers: fields } = incoming;
        const isJson = /^application\/(?:problem\+)?json\b/.test(fields['content-type'] ?? '');
        resolve({ status: statusCode, body: isJson ? parsed(Buffer.concat(chunks)) : undefined });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
