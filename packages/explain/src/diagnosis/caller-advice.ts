import type { RequestToExplain } from '../explanation.ts';
import type { Finding } from '../findings/finding.ts';
import { proxyHeaders } from './proxy-headers.ts';

/** The text to sign with one HTTP client, so that the client changes nothing afterwards. */
interface ClientAdvice {
  /** Recognizes the client by User-Agent, if the caller did not replace it. */
  readonly agent: RegExp;
  readonly url: string;
  readonly body: string;
}

const clients: readonly ClientAdvice[] = [
  {
    agent: /^axios\//,
    url: 'axios adds params after the request interceptors: sign axios.getUri(config), and send that URL without params.',
    body: 'axios serializes objects after the request interceptors: serialize the body yourself, then hash and send that text.',
  },
  {
    agent: /^(?:python-requests|niquests)\//,
    url: 'In requests, sign the url of the PreparedRequest, in an AuthBase for example.',
    body: 'In requests, hash the body of the PreparedRequest, in an AuthBase for example.',
  },
  {
    agent: /^python-httpx\//,
    url: 'In httpx, sign str(request.url) in an httpx.Auth.',
    body: 'In httpx, hash request.content in an httpx.Auth with requires_request_body.',
  },
  {
    agent: / aiohttp\//,
    url: 'In aiohttp, sign a text, and send it as yarl.URL(text, encoded=True).',
    body: 'In aiohttp, send the bytes that you hashed as data, not json.',
  },
  {
    agent: /^(?:Go-http-client|go-resty)\//,
    url: 'In Go, sign req.URL.String() in an http.RoundTripper.',
    body: 'In Go, hash what req.GetBody returns in an http.RoundTripper.',
  },
  {
    agent: /^okhttp\//,
    url: 'In OkHttp, sign chain.request().url() in the last interceptor.',
    body: 'In OkHttp, write the request body to a Buffer in the last interceptor, and hash that.',
  },
  {
    agent: /^Apache-HttpClient\//,
    url: 'In Apache HttpClient, sign in a request interceptor that runs last.',
    body: 'In Apache HttpClient, hash the entity in a request interceptor that runs last.',
  },
  {
    agent: /^Java-http-client\//,
    url: 'In Java, sign the text of request.uri().',
    body: 'In Java, hash the bytes that you pass to BodyPublishers.ofByteArray.',
  },
  {
    agent: /^GuzzleHttp\//,
    url: 'In Guzzle, sign (string) $request->getUri() in the last middleware.',
    body: 'In Guzzle, hash (string) $request->getBody() in the last middleware.',
  },
  {
    agent: /^Faraday /,
    url: 'Faraday sorts the query: sign env.url in the last middleware.',
    body: 'In Faraday, hash env.body in the last middleware, after those that encode it.',
  },
  {
    agent: /^curl\//,
    url: 'curl resolves /./ and /../ in a path: sign without them, or send with --path-as-is.',
    body: 'curl -d removes the line ends of a file: send it with --data-binary.',
  },
  {
    agent: /^got \(/,
    url: 'In got, sign options.url.href in a beforeRequest hook.',
    body: 'In got, hash options.body in a beforeRequest hook.',
  },
  {
    agent: /^node$/,
    url: 'fetch sends new URL(url).href: sign that.',
    body: 'Pass fetch the text or the bytes that you hashed.',
  },
];

/** Mistakes that happen when an HTTP client builds the request after signing. */
const advised = {
  url: /^url_(?:no_query|query_|path_encoding|dot_segments|double_slash|fragment|trailing_question_mark)/,
  body: /^body_(?:json_(?!members|twice)|form_encoded|encoded|charset|line_ends|trailing_newline|other)/,
} as const;

/**
 * Adds instructions for the HTTP client that the request names, once for the URL and once for the body. If
 * there was a proxy, the URL may be the proxy's.
 */
export function withCallerAdvice(
  findings: readonly Finding[],
  request: RequestToExplain,
): readonly Finding[] {
  const agent = request.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? '';
  const client = clients.find((one) => one.agent.test(agent));
  if (client === undefined) return findings;
  const parts = proxyHeaders(request).length > 0 ? (['body'] as const) : (['url', 'body'] as const);
  const firsts = new Map(
    parts.map((part) => [findings.find(({ code }) => advised[part].test(code)), client[part]]),
  );
  return findings.map((one) => {
    const advice = firsts.get(one);
    return advice === undefined ? one : { ...one, mend: `${one.mend} ${advice}` };
  });
}
