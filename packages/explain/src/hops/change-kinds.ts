import type { FindingCode } from '../findings/findings.ts';

/** The fixed facts about a kind of change, whatever the request. */
export interface ChangeTexts {
  readonly title: string;
  /** Known causes. */
  readonly doneBy: string;
  /** How to prevent it. */
  readonly mend: string;
}

/** The stable name of a kind of change. */
export type ChangeCode = keyof typeof changeKinds;

/** Everything that can happen to a request between two of its views. Codes are part of the API and never change. */
export const changeKinds = {
  method_case: {
    title: 'The case of the method changed',
    doneBy: 'Most HTTP clients and proxies write get as GET. Some leave patch as it is.',
    mend: 'Sign and send the method in upper case',
  },
  method_changed: {
    title: 'The method changed',
    doneBy:
      'Redirects turn POST into GET, caches turn HEAD into GET, and nginx has proxy_method for it; so do headers like X-HTTP-Method-Override.',
    mend: 'Configure that hop to keep the method',
  },
  scheme_changed: {
    title: 'The scheme changed',
    doneBy: 'Proxies that end TLS forward with http.',
    mend: "Set the service's public URL as its base URL, and sign that",
  },
  host_case: {
    title: 'The case of the host changed',
    doneBy: 'HTTP clients and URL classes put the host in lower case when they parse a URL.',
    mend: "Sign the host as in the service's URL, in lower case",
  },
  host_encoded: {
    title: 'The host was converted to Punycode',
    doneBy: 'HTTP clients and URL classes do this when they parse a URL.',
    mend: 'Convert the host to its Punycode form before signing',
  },
  port_changed: {
    title: 'The port changed',
    doneBy: 'HTTP clients leave out the default port; proxies add the one they call.',
    mend: "Sign the host as in the service's URL, with a port only if that URL has one",
  },
  host_changed: {
    title: 'The host changed',
    doneBy:
      'Proxies send the name of what is behind them: nginx without proxy_set_header Host $host, Apache without ProxyPreserveHost On.',
    mend: "Configure that hop to keep Host, or set the service's public URL as its base URL",
  },
  path_encoded: {
    title: 'The path was encoded differently',
    doneBy:
      'nginx with a path or a variable in proxy_pass, Apache without nocanon, and HTTP clients that parse the URL: they decode what needs no escape, escape what does, and change the case of escapes.',
    mend: 'Configure that hop to pass the target on exactly as it came, or sign the URL that it sends. In nginx: proxy_pass http://api; without a slash after the host. In Apache: ProxyPass … nocanon',
  },
  path_case: {
    title: 'The case of the path changed',
    doneBy:
      'Rules that put paths in lower case: Varnish std.tolower, Apache RewriteMap int:tolower, HAProxy lower.',
    mend: 'Configure that hop to pass the target on exactly as it came, or sign the URL that it sends',
  },
  dot_segments: {
    title: 'Dot segments of the path were resolved',
    doneBy:
      'nginx with a path in proxy_pass, Apache, lighttpd and most HTTP clients resolve . and .. segments.',
    mend: 'Resolve . and .. before signing, and call that URL',
  },
  path_slashes: {
    title: 'The slashes of the path changed',
    doneBy:
      'nginx (merge_slashes) with a path in proxy_pass, Apache (MergeSlashes), lighttpd and Node proxies merge double slashes.',
    mend: 'Call and sign a URL with single slashes',
  },
  trailing_slash: {
    title: 'The trailing slash changed',
    doneBy:
      'HTTP clients add the slash after a host; rewriting rules and routers remove or add one at the end.',
    mend: 'Call and sign the URL that the service routes, with or without the slash',
  },
  path_changed: {
    title: 'The path changed',
    doneBy:
      'Rewriting rules of proxies and gateways: a prefix is added or removed (nginx rewrite, Caddy handle_path and uri, stripPrefix of Traefik), or a version is replaced.',
    mend: "Keep the path as it was called, or set the base URL with the prefix as the service's",
  },
  query_added: {
    title: 'A query was added',
    doneBy: 'Proxies that add parameters, such as tracking or the source of a request.',
    mend: 'Configure that hop to add nothing to the target. An unsigned header can carry it instead',
  },
  query_removed: {
    title: 'The query was removed',
    doneBy:
      'nginx with $uri in proxy_pass and without $is_args$args, rewriting rules without their query, and caches that ignore it.',
    mend: 'Configure that hop to pass the target on exactly as it came, or sign the URL that it sends',
  },
  query_reordered: {
    title: 'The query parameters were reordered',
    doneBy:
      'Caches sort them (Varnish std.querysort, HAProxy normalize-uri), and so do programs that keep them in a map.',
    mend: 'Configure that hop to pass the target on exactly as it came, or sign the URL that it sends',
  },
  query_encoded: {
    title: 'The query was encoded differently',
    doneBy:
      'HTTP clients and frameworks that parse the query and write it again: a space becomes + or %20, and other characters are escaped or not.',
    mend: 'Encode the query once, then sign and send that one text',
  },
  query_case: {
    title: 'The case of the query changed',
    doneBy: 'Caches and rewriting rules put whole URLs in lower case.',
    mend: 'Configure that hop to pass the target on exactly as it came, or sign the URL that it sends',
  },
  query_changed: {
    title: 'The query has different parameters',
    doneBy: 'Proxies that add, remove or rename parameters, and programs that write lists in another way.',
    mend: 'Configure that hop to pass the target on exactly as it came, or sign the URL that it sends',
  },
  question_mark: {
    title: 'The question mark without a query changed',
    doneBy: 'HTTP clients and proxies drop a question mark that no parameter follows.',
    mend: 'Call and sign the URL without a question mark at its end',
  },
  fragment_removed: {
    title: 'The fragment changed',
    doneBy: 'HTTP clients never send what follows #.',
    mend: 'Leave out the fragment before signing',
  },
  header_added: {
    title: 'The header was added',
    doneBy: 'Proxies and HTTP libraries add headers of their own.',
    mend: 'Configure that hop not to set this header, or send it yourself',
  },
  header_removed: {
    title: 'The header was removed',
    doneBy: 'Gateways pass on only the headers that they know, and proxies have rules that remove some.',
    mend: 'Configure that hop to pass this header on unchanged',
  },
  header_repeated: {
    title: 'The header has more lines',
    doneBy: 'Proxies and libraries add a header that is there already, instead of replacing it.',
    mend: 'Send the header once, and let no other hop set it',
  },
  header_joined: {
    title: 'Several lines of the header were joined',
    doneBy: 'Proxies and libraries join repeated headers with a comma (RFC 9110 section 5.3).',
    mend: 'Send one line',
  },
  header_reordered: {
    title: 'The values of the header were reordered',
    doneBy: 'Libraries that keep headers in a map do this.',
    mend: 'Configure that hop to pass this header on unchanged',
  },
  header_folded: {
    title: 'The line breaks in the header changed',
    doneBy: 'Libraries fold long values over several lines, which HTTP forbids, and proxies unfold them.',
    mend: 'Send the value in one line',
  },
  header_spaces: {
    title: 'The spaces in the header changed',
    doneBy: 'Proxies and libraries parse structured values and write them again.',
    mend: 'Configure that hop to pass this header on unchanged',
  },
  header_case: {
    title: 'The case of the header’s value changed',
    doneBy: 'Rules that normalise headers do this.',
    mend: 'Configure that hop to pass this header on unchanged',
  },
  header_encoded: {
    title: 'The header was encoded in another charset',
    doneBy: 'Libraries take UTF-8 for Latin-1, or the reverse.',
    mend: 'Use only ASCII in headers',
  },
  header_changed: {
    title: 'The value of the header changed',
    doneBy:
      'A hop set this header itself, over the one that came. HTTP libraries and proxies do so with Date.',
    mend: 'Configure that hop to pass this header on unchanged',
  },
  body_removed: {
    title: 'The body was removed',
    doneBy:
      'Redirects, clients that send no body with GET or DELETE, and proxies that pass none on (nginx proxy_pass_request_body off).',
    mend: 'Configure that hop to pass the body on',
  },
  body_added: {
    title: 'A body was added',
    doneBy: 'HTTP clients write an empty object as {} or null.',
    mend: 'Sign the bytes that are sent, or send none',
  },
  body_truncated: {
    title: 'The body was cut off',
    doneBy: 'A wrong Content-Length (characters counted instead of bytes), or a limit of a proxy.',
    mend: 'Configure that hop to pass the body on byte for byte, or sign the bytes that it sends',
  },
  body_extended: {
    title: 'Something was added after the body',
    doneBy: 'Programs that write a body as a line add a newline.',
    mend: 'Configure that hop to pass the body on byte for byte, or sign the bytes that it sends',
  },
  body_compressed: {
    title: 'The body was compressed',
    doneBy: 'HTTP clients and proxies with Content-Encoding for requests.',
    mend: 'Compress the body before signing: the digest is of the bytes that are sent',
  },
  body_decompressed: {
    title: 'The body was decompressed',
    doneBy: 'Proxies and servers that decode Content-Encoding before they pass the request on.',
    mend: 'Configure that hop to leave Content-Encoding alone',
  },
  body_chunked: {
    title: 'The chunked coding is in the body',
    doneBy: 'Programs that log or forward the bytes of the connection instead of the decoded body.',
    mend: 'Decode Transfer-Encoding before passing the body on',
  },
  body_json_rewritten: {
    title: 'The JSON was written again',
    doneBy:
      'Frameworks and gateways parse the body and serialise it: express.json, API gateways with a mapping, HTTP clients that are given an object.',
    mend: 'Serialise once, then sign and send those bytes; no hop may parse and rewrite them',
  },
  body_printed: {
    title: 'An object was printed in place of the body',
    doneBy: 'Programs that turn an object into text instead of serialising it.',
    mend: 'Serialise the body once, then sign and send those bytes',
  },
  body_form_encoded: {
    title: 'The form was encoded differently',
    doneBy: 'HTTP clients and frameworks that parse a form and write it again.',
    mend: 'Encode the form once, then sign and send that text',
  },
  body_charset: {
    title: 'The charset of the body changed',
    doneBy: 'Programs that convert text, and HTTP clients that follow the charset in Content-Type.',
    mend: 'Encode the body as UTF-8 once, then sign and send those bytes',
  },
  body_line_ends: {
    title: 'The line ends of the body changed',
    doneBy: 'Text modes of files and editors, and curl --data, which leaves line ends out.',
    mend: 'Configure that hop to pass the body on byte for byte, or sign the bytes that it sends',
  },
  body_ends: {
    title: 'White space around the body changed',
    doneBy: 'Programs that trim text, or that end it with a newline.',
    mend: 'Configure that hop to pass the body on byte for byte, or sign the bytes that it sends',
  },
  body_mark: {
    title: 'The byte order mark of the body changed',
    doneBy: 'Text encoders and decoders add or remove it.',
    mend: 'Send the body without a byte order mark, and sign that',
  },
  body_changed: {
    title: 'The body changed',
    doneBy: 'Proxies that rewrite bodies, and programs that send another text than they signed.',
    mend: 'Configure that hop to pass the body on byte for byte, or sign the bytes that it sends',
  },
} as const;

/** The kind of change that corresponds to a signer's mistake, with what distinguishes it from similar ones. */
export const kindOfFinding: Readonly<
  Partial<Record<FindingCode, { readonly code: ChangeCode; readonly detail?: string }>>
> = {
  method_case: { code: 'method_case' },
  url_host_port: { code: 'port_changed' },
  url_host_case: { code: 'host_case' },
  url_host_unicode: { code: 'host_encoded' },
  url_query_order: { code: 'query_reordered' },
  url_query_encoding: { code: 'query_encoded' },
  url_query_part: { code: 'query_changed' },
  url_trailing_question_mark: { code: 'question_mark' },
  url_trailing_slash: { code: 'trailing_slash' },
  url_double_slash: { code: 'path_slashes' },
  url_dot_segments: { code: 'dot_segments' },
  url_path_prefix: { code: 'path_changed' },
  url_path_encoding: { code: 'path_encoded' },
  body_json_whitespace: { code: 'body_json_rewritten', detail: 'white space' },
  body_json_separators: { code: 'body_json_rewritten', detail: 'white space' },
  body_json_key_order: { code: 'body_json_rewritten', detail: 'order of the members' },
  body_json_escapes: { code: 'body_json_rewritten', detail: 'escapes' },
  body_json_numbers: { code: 'body_json_rewritten', detail: 'numbers' },
  body_json_members: { code: 'body_json_rewritten', detail: 'members' },
  body_json_twice: { code: 'body_json_rewritten', detail: 'JSON inside a JSON string' },
  body_python_repr: { code: 'body_printed' },
  body_printed: { code: 'body_printed' },
  body_form_encoded: { code: 'body_form_encoded' },
  body_encoded: { code: 'body_form_encoded' },
  body_charset: { code: 'body_charset' },
  body_bom: { code: 'body_mark' },
  body_line_ends: { code: 'body_line_ends' },
  body_trailing_newline: { code: 'body_ends' },
};
