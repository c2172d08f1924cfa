import { domainToUnicode } from 'node:url';
import { after, type FreshSlip, slips } from './slip.ts';

type Change = (url: string, origin: string, rest: string) => string;

const split = (url: string): [string, string] => {
  const [origin = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
  return [origin, url.slice(origin.length)];
};
const onQuery =
  (change: (query: string) => string): Change =>
  (url) => {
    const at = url.indexOf('?');
    return at < 0 ? url : url.slice(0, at) + change(url.slice(at));
  };
const onParts = (change: (parts: string[]) => string[]): Change =>
  onQuery((query) => `?${change(query.slice(1).split('&')).join('&')}`);
const onPath =
  (change: (path: string) => string): Change =>
  (_, origin, rest) => {
    const at = rest.search(/[?#]|$/);
    return origin + change(rest.slice(0, at)) + rest.slice(at);
  };
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const name = (part: string): string => part.split('=')[0]!;
const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const eachValue = (change: (text: string) => string): Change =>
  onParts((parts) =>
    parts.map((part) =>
      part
        .split('=')
        .map((piece) => change(decoded(piece.replace(/\+/g, ' '))))
        .join('='),
    ),
  );

const both = (program: Parameters<Parameters<typeof slips<Change>>[2]>[0], change: Change): void =>
  after(program, 'signedUrl', (url) => change(url, ...split(url)));

/** The URL was signed in a form other than the sent one. */
const signed: readonly FreshSlip[] = [
  ...slips<Change>('origin', 'url_scheme', both, [
    ['http', (url) => url.replace('https://', 'http://')],
    ['HTTPS', (url) => url.replace('https://', 'HTTPS://')],
  ]),
  ...slips<Change>('host', 'url_host_port', both, [
    ['443', (_, origin, rest) => origin.replace(/:\d+$/, '') + ':443' + rest],
    ['port lost', (_, origin, rest) => origin.replace(/:\d+$/, '') + rest],
    ['80', (_, origin, rest) => origin.replace(/:\d+$/, '') + ':80' + rest],
    ['8080', (_, origin, rest) => origin.replace(/:\d+$/, '') + ':8080' + rest],
  ]),
  ...slips<Change>('host', 'url_host_case', both, [
    ['upper', (_, origin, rest) => origin.replace(/\/\/.*/, (host) => host.toUpperCase()) + rest],
    [
      'Api',
      (_, origin, rest) =>
        origin.replace(/\/\/(.)/, (_all, first: string) => `//${first.toUpperCase()}`) + rest,
    ],
  ]),
  ...slips<Change>('host', 'url_other_host url_internal_host', both, [
    ['europe', (_, _origin, rest) => `https://api.eu.countersign.example${rest}`],
    ['internal', (_, _origin, rest) => `http://gateway.internal:8080${rest}`],
    ['localhost', (_, _origin, rest) => `http://localhost:8080${rest}`],
    ['127.0.0.1', (_, _origin, rest) => `http://127.0.0.1:3000${rest}`],
    ['final dot', (_, origin, rest) => origin.replace(/(:\d+)?$/, '.$1') + rest],
    ['undefined', (_, _origin, rest) => `https://undefined${rest}`],
    ['example.com', (_, _origin, rest) => `https://api.example.com${rest}`],
    ['placeholder', (_, _origin, rest) => `https://{host}${rest}`],
    ['user', (_, origin, rest) => origin.replace('//', '//user:secret@') + rest],
  ]),
  ...slips<Change>('host', 'url_host_unicode', both, [
    [
      'unicode',
      (url) =>
        url.replace(/^https:\/\/([^/:?]*)/, (_all, host: string) => `https://${domainToUnicode(host)}`),
    ],
  ]),
  ...slips<Change>('whole url', 'url_path_only base_request_target url_other_host url_path_prefix', both, [
    ['path only', (_, _origin, rest) => rest],
    ['path without slash', (_, _origin, rest) => rest.slice(1)],
    ['path without query', (_, _origin, rest) => rest.split('?')[0]!, 'url_path_only url_no_query'],
    ['without scheme', (url) => url.replace('https://', '')],
    ['scheme relative', (url) => url.replace('https:', '')],
    ['origin only', (_, origin) => origin],
    ['origin and slash', (_, origin) => `${origin}/`],
    ['origin twice', (url, origin) => origin + url],
    [
      'base url and full path twice',
      (_, origin, rest) => origin + rest.split('?')[0]! + rest,
      'url_path_prefix url_path_only url_other_host',
    ],
    ['host only', (_, origin) => origin.replace('https://', '')],
    ['undefined', () => 'undefined', 'base_value_printed'],
    ['None', () => 'None', 'base_value_printed'],
    ['null', () => 'null', 'base_value_printed'],
    ['[object Object]', () => '[object Object]', 'base_value_printed'],
    ['nothing', () => '', 'base_value_empty base_value_printed'],
    ['angle brackets', (url) => `<${url}>`, 'base_value_printed base_value_trimmed'],
    ['quoted', (url) => JSON.stringify(url), 'base_value_printed'],
    ['python bytes', (url) => `b'${url}'`, 'base_value_printed'],
    ['in list', (url) => `[${url}]`, 'base_value_printed'],
    ['Optional', (url) => `Optional[${url}]`, 'base_value_printed'],
    ['Optional()', (url) => `Optional("${url}")`, 'base_value_printed'],
    ['slashes escaped', (url) => url.replaceAll('/', '\\/'), 'base_value_printed url_path_encoding'],
    ['encoded whole', (url) => encodeURIComponent(url), 'url_query_encoding url_path_encoding'],
    ['lower', (url) => url.toLowerCase(), 'base_value_case url_path_encoding url_query_encoding'],
    ['upper', (url) => url.toUpperCase(), 'base_value_case'],
    ['space after', (url) => `${url} `, 'base_value_trimmed'],
    ['space before', (url) => ` ${url}`, 'base_value_trimmed'],
    ['newline after', (url) => `${url}\n`, 'base_value_trimmed base_extra_line base_crlf'],
    ['CR after', (url) => `${url}\r`, 'base_value_trimmed base_some_crlf'],
  ]),
  ...slips<Change>('query', 'url_no_query url_query_part', both, [
    ['none', onQuery(() => '')],
    ['only ?', onQuery(() => '?')],
    ['first only', onParts((parts) => parts.slice(0, 1))],
    ['last one lost', onParts((parts) => parts.slice(0, -1))],
    ['without empty', onParts((parts) => parts.filter((part) => !part.endsWith('=')))],
    ['empty without =', onParts((parts) => parts.map((part) => part.replace(/=$/, '')))],
    ['values lost', onParts((parts) => parts.map(name))],
    ['without ?', onQuery((query) => query.slice(1))],
    ['&', onQuery((query) => `${query}&`)],
    ['?&', onQuery((query) => query.replace('?', '?&'))],
    ['twice', onQuery((query) => `${query}&${query.slice(1)}`)],
    ['twice with ?', onQuery((query) => query + query)],
    ['null for empty', onParts((parts) => parts.map((part) => part.replace(/=$/, '=null')))],
    ['undefined for empty', onParts((parts) => parts.map((part) => part.replace(/=$/, '=undefined')))],
    ['None for empty', onParts((parts) => parts.map((part) => part.replace(/=$/, '=None')))],
    ['as list', onParts((parts) => parts.map((part) => part.replace(/=(.*)$/, "=['$1']")))],
    ['brackets []', onParts((parts) => parts.map((part) => part.replace(/=/, '[]=')))],
    ['indices', onParts((parts) => parts.map((part) => part.replace(/=/, '[0]=')))],
    ['indices encoded', onParts((parts) => parts.map((part) => part.replace(/=/, '%5B0%5D=')))],
  ]),
  ...slips<Change>('query order', 'url_query_order', both, [
    ['sorted', onParts((parts) => parts.toSorted())],
    ['by name', onParts((parts) => parts.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)))],
    ['reversed', onParts((parts) => parts.toReversed())],
    ['rotated', onParts((parts) => [...parts.slice(1), ...parts.slice(0, 1)])],
  ]),
  ...slips<Change>('query encoding', 'url_query_encoding', both, [
    ['+', onQuery((query) => query.replaceAll('%20', '+'))],
    ['decoded', onQuery(decoded)],
    ['decoded, + for spaces', onQuery((query) => decoded(query).replaceAll(' ', '+'))],
    ['twice', onQuery((query) => query.replaceAll('%', '%25'))],
    ['lower hex', onQuery((query) => query.replace(/%../g, (one) => one.toLowerCase()))],
    ['form', eachValue((text) => new URLSearchParams([[text, '']]).toString().slice(0, -1))],
    ['strict', eachValue(encodeStrictly)],
    ['lodash', eachValue((text) => encodeURI(text))],
    ['brackets', onQuery((query) => query.replaceAll('%5B', '[').replaceAll('%5D', ']'))],
    [
      'axios',
      eachValue((text) =>
        encodeURIComponent(text)
          .replace(/%3A/gi, ':')
          .replace(/%24/g, '$')
          .replace(/%2C/gi, ',')
          .replace(/%20/g, '+')
          .replace(/%5B/gi, '[')
          .replace(/%5D/gi, ']'),
      ),
    ],
    ['okhttp', eachValue((text) => encodeURIComponent(text).replace(/%(?:2F|3A|40|3B|24|2C)/g, decoded))],
    ['guzzle', onQuery((query) => query.replace(/%(?:2F|3A|40|21|24|28|29|2A|2B|2C|3B)/gi, decoded))],
    ['raw spaces', onQuery((query) => query.replaceAll('%20', ' '))],
    ['&amp;', onQuery((query) => query.replaceAll('&', '&amp;'))],
    ['\\u0026', onQuery((query) => query.replaceAll('&', '\\u0026'))],
    ['html entities', onQuery((query) => decoded(query).replaceAll('&', '&amp;').replaceAll('"', '&quot;'))],
    [';', onQuery((query) => query.replaceAll('&', ';'))],
    [
      'latin1',
      eachValue((text) =>
        Array.from(text, (one) =>
          /[\xa0-\xff]/.test(one)
            ? `%${one.charCodeAt(0).toString(16).toUpperCase()}`
            : encodeURIComponent(one),
        ).join(''),
      ),
    ],
    ['NFD', onQuery((query) => encodeURI(decoded(query).normalize('NFD')).replace('?', '?'))],
    ['mojibake', eachValue((text) => encodeURIComponent(Buffer.from(text).toString('latin1')))],
    ['%u', eachValue((text) => escape(text))],
    ['quotes encoded', onQuery((query) => query.replaceAll("'", '%27'))],
    ['= encoded', onQuery((query) => query.replaceAll('=', '%3D'))],
    ['& encoded', onQuery((query) => query.replaceAll('&', '%26'))],
    ['all encoded', onQuery((query) => `?${encodeURIComponent(query.slice(1))}`)],
    ['? encoded', onQuery((query) => `%3F${query.slice(1)}`)],
  ]),
  ...slips<Change>('path', 'url_trailing_slash', both, [['slash', onPath((path) => `${path}/`)]]),
  ...slips<Change>('path', 'url_double_slash', both, [
    ['double first', onPath((path) => `/${path}`)],
    ['double second', onPath((path) => path.replace(/^(\/[^/]*)/, '$1/'))],
    ['double end', onPath((path) => `${path}//`), 'url_double_slash url_trailing_slash'],
    ['all doubled', onPath((path) => path.replaceAll('/', '//'))],
    ['no slash', onPath((path) => path.slice(1)), 'url_double_slash url_path_prefix url_path_only'],
  ]),
  ...slips<Change>('path', 'url_path_prefix', both, [
    ['without v1', onPath((path) => path.replace(/^\/v1/, ''))],
    ['api', onPath((path) => `/api${path}`)],
    ['v1 twice', onPath((path) => `/v1${path}`)],
    ['v2', onPath((path) => path.replace('/v1', '/v2'))],
    ['index.php', onPath((path) => `/index.php${path}`)],
    ['last segment lost', onPath((path) => path.replace(/\/[^/]*$/, ''))],
    ['only last segment', onPath((path) => path.replace(/.*\//, '/'))],
    // Without a query, these leave only scheme and host.
    ['root', onPath(() => '/'), 'url_path_prefix url_path_only'],
    ['none', onPath(() => ''), 'url_path_prefix url_path_only'],
    ['json', onPath((path) => `${path}.json`)],
    ['template', onPath((path) => path.replace(/^(\/v1\/[^/]+\/)[^/]+/, '$1{id}'))],
    [':id', onPath((path) => path.replace(/^(\/v1\/[^/]+\/)[^/]+/, '$1:id'))],
    ['None', onPath((path) => path.replace(/^(\/v1\/[^/]+\/)[^/]+/, '$1None'))],
    ['undefined', onPath((path) => path.replace(/^(\/v1\/[^/]+\/)[^/]+/, '$1undefined'))],
    ['%s', onPath((path) => path.replace(/^(\/v1\/[^/]+\/)[^/]+/, '$1%s'))],
  ]),
  ...slips<Change>('path', 'url_path_encoding base_value_case', both, [
    ['decoded', onPath(decoded)],
    ['twice', onPath((path) => path.replaceAll('%', '%25'))],
    ['lower hex', onPath((path) => path.replace(/%../g, (one) => one.toLowerCase()))],
    ['slashes', onPath((path) => `/${encodeURIComponent(decoded(path.slice(1)))}`)],
    ['encodeURI', onPath((path) => encodeURI(decoded(path)))],
    ['+', onPath((path) => path.replaceAll('%20', '+'))],
    ['lower', onPath((path) => path.toLowerCase())],
    ['upper', onPath((path) => path.toUpperCase())],
    [
      'strict',
      onPath((path) =>
        path
          .split('/')
          .map((one) => encodeStrictly(decoded(one)))
          .join('/'),
      ),
    ],
    [
      'latin1',
      onPath((path) =>
        path
          .split('/')
          .map((one) => escape(decoded(one)))
          .join('/'),
      ),
    ],
    [
      'NFD',
      onPath((path) =>
        path
          .split('/')
          .map((one) => encodeURIComponent(decoded(one).normalize('NFD')))
          .join('/'),
      ),
    ],
  ]),
  ...slips<Change>('path', 'url_dot_segments', both, [
    ['./', onPath((path) => `/.${path}`)],
    ['../', onPath((path) => `/api/..${path}`)],
    ['v1/../', onPath((path) => path.replace('/v1/', '/v1/../v1/'))],
  ]),
  ...slips<Change>('fragment', 'url_fragment', both, [
    ['#', (url) => `${url}#`],
    ['#top', (url) => `${url}#top`],
    ['#/', (url) => `${url}#/`],
  ]),
  ...slips<Change>('fragment', 'url_trailing_question_mark url_query_part', both, [
    ['?', (url) => (url.includes('?') ? url : `${url}?`)],
  ]),
];

/** A client library or proxy changes the URL after it was signed. */
const sent: readonly FreshSlip[] = [
  ...slips<Change>(
    'sent url',
    'url_query_part url_no_query',
    (program, change) => after(program, 'sentUrl', (url) => change(url, ...split(url))),
    [
      ['cache buster', (url) => `${url}${url.includes('?') ? '&' : '?'}_=1772700065123`],
      ['utm', (url) => `${url}${url.includes('?') ? '&' : '?'}utm_source=mail`],
      ['api key', (url) => `${url}${url.includes('?') ? '&' : '?'}api_key=abc123`],
    ],
  ),
  ...slips<Change>(
    'sent url',
    'url_path_prefix',
    (program, change) => after(program, 'sentUrl', (url) => change(url, ...split(url))),
    [
      ['proxy adds prefix', (_, origin, rest) => `${origin}/gateway${rest}`],
      ['proxy strips prefix', (_, origin, rest) => origin + rest.replace('/v1', '')],
    ],
  ),
  ...slips<Change>(
    'sent url',
    'url_double_slash url_trailing_slash url_path_encoding url_query_encoding',
    (program, change) => after(program, 'sentUrl', (url) => change(url, ...split(url))),
    [
      ['framework adds slash', onPath((path) => `${path}/`)],
      ['normalised', onQuery((query) => query.replaceAll('%20', '+'))],
      // Decoded, the URL may contain text that HTTP does not allow in one.
      ['decoded by proxy', onPath(decoded), 'url_path_encoding url_double_slash request_malformed'],
      ['encoded quotes', onQuery((query) => query.replaceAll("'", '%27'))],
    ],
  ),
];

/** A client library sends the parameters of a query as the body, if there is no other. */
const moved = slips<Change>(
  'sent url',
  'url_query_part url_no_query',
  (program, change, wish) => {
    if (wish.body !== '') return;
    after(program, 'sentUrl', (url) => change(url, ...split(url)));
    after(program, 'sentBody', () => Buffer.from(new URL(wish.url).search.slice(1)));
  },
  [['query moved to body', onQuery(() => '')]],
);

/** The method. */
const methods: readonly FreshSlip[] = slips<(method: string) => string>(
  'method',
  'method_case method_other method_head_as_get base_value_printed base_value_empty base_value_trimmed',
  (program, change) => after(program, 'signedMethod', change),
  [
    ['lower', (method) => method.toLowerCase()],
    ['title', (method) => method[0] + method.slice(1).toLowerCase()],
    ['GET', () => 'GET'],
    ['POST', () => 'POST'],
    ['get', () => 'get'],
    ['post', () => 'post'],
    ['none', () => ''],
    ['undefined', () => 'undefined'],
    ['None', () => 'None'],
    ['HttpMethod.POST', (method) => `HttpMethod.${method}`],
    ['Method.Post', (method) => `Method.${method}`],
    ['quoted', (method) => `"${method}"`],
    ['single quoted', (method) => `'${method}'`],
    ["b'POST'", (method) => `b'${method}'`],
    ['[POST]', (method) => `[${method}]`],
    [':post', (method) => `:${method.toLowerCase()}`],
    ['space', (method) => `${method} `],
  ],
);

export const urlSlips: readonly FreshSlip[] = [...signed, ...sent, ...moved, ...methods];
