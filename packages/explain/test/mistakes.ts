import { constants, createHmac, generateKeyPairSync, hash, sign } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  contentDigest,
  created,
  date,
  expiredKey,
  type explained,
  foreignKey,
  jsonBody,
  otherKey,
  paramsWithoutBody,
  revokedKey,
  signBare,
  type Signed,
  strangerKey,
  uri,
  usualParams,
} from './mistaken-request.ts';

/** One mistake of a signer, and what the explanation must say. */
export interface Mistake {
  readonly title: string;
  readonly change: Partial<Signed>;
  /** The exact findings, as `code certainty`. */
  readonly expected: readonly string[];
  readonly options?: Parameters<typeof explained>[1];
}

function mistake(
  title: string,
  change: Partial<Signed>,
  expected: string,
  options?: Parameters<typeof explained>[1],
): Mistake {
  return { title, change, expected: expected.split(', '), ...(options && { options }) };
}

export const replaced = (from: string | RegExp, to: string): Partial<Signed> => ({
  base: (base) => base.replace(from, to),
});
const empty = Buffer.alloc(0);
const json = (text: string): Partial<Signed> => ({ digest: contentDigest(text) });

/** Mistakes, by what is wrong. */
export const mistakes: Readonly<Record<string, readonly Mistake[]>> = {
  combinations: [
    mistake(
      'the path alone, and the names without quotes and spaces',
      {
        base: (base) =>
          base
            .replace('https://api.example.test', '')
            .replace(/^"([^"]*)": /gm, (_, name: string) => `${name}:`),
      },
      'base_unquoted_names proven, base_colon_space proven, url_path_only proven',
    ),
    mistake(
      'each line ended by CRLF, and a date that is missing',
      { base: (base) => `${base.replace(`: ${date}`, ': None').replaceAll('\n', '\r\n')}\r\n` },
      'base_crlf proven, base_trailing_newline proven, base_value_printed proven',
    ),
    mistake(
      'a line of the host, and semicolons with spaces',
      {
        base: (base) =>
          base
            .replace(/;(?=created|keyid|alg)/g, '; ')
            .replace('"@signature-params"', '"host": api.example.test\n"@signature-params"'),
      },
      'base_extra_component proven, base_params_rebuilt proven',
    ),
    mistake(
      'a spoiled header, and another URL and method in the base',
      {
        base: (base) => base.replace('https', 'http').replace('POST', 'post'),
        headers: (lines) =>
          lines.map(([name, value]) => [
            name,
            name === 'Signature-Input' ? value.replaceAll('"', "'") : value,
          ]),
      },
      'signature_input_format observed, url_scheme proven, method_case proven',
    ),
    mistake(
      'no Signature-Input, and other parameters',
      {
        base: (base) => base.replace(/;created=(\d+);keyid=("[^"]*")/, ';keyid=$2;created=$1'),
        headers: (lines) => lines.filter(([name]) => name !== 'Signature-Input'),
      },
      'header_missing observed, base_params_rebuilt proven',
    ),
    mistake(
      'the signature twice in its header, and a keyid without quotes',
      {
        params: usualParams.replace(/keyid="([^"]*)"/, 'keyid=$1'),
        write: (bytes) => `sig=:${bytes.toString('base64')}:, sig=:${bytes.toString('base64')}:`,
      },
      'header_repeated observed, parameter_form observed',
    ),
    mistake(
      'a digest as containers name images, of other bytes',
      { digest: `sha-256:${hash('sha256', `${jsonBody}\n`, 'base64')}` },
      'digest_form proven, body_trailing_newline proven',
    ),
    mistake(
      'a digest as of Subresource Integrity, in hex, of other bytes',
      { digest: `sha256-${hash('sha256', `${jsonBody}\n`)}` },
      'digest_form proven, digest_hex proven, body_trailing_newline proven',
    ),
    mistake(
      'created printed as a long, and a Date in local time',
      {
        params: usualParams.replace(String(created), `${created}L`),
        date: new Date((created + 7200) * 1000).toUTCString(),
      },
      'created_format observed, date_time_zone likely',
    ),
    mistake(
      'no Signature-Input, and a clock that is behind',
      {
        date: new Date((created - 5 * 3600) * 1000).toUTCString(),
        params: usualParams.replace(String(created), String(created - 5 * 3600)),
        headers: (lines) => lines.filter(([name]) => name !== 'Signature-Input'),
      },
      'header_missing observed, clock_time_zone likely',
    ),
    mistake(
      'HMAC-SHA512 in hex',
      {
        sign: (base) => createHmac('sha512', 'secret').update(base).digest(),
        write: (bytes) => `sig=:${bytes.toString('hex')}:`,
      },
      'signature_hex observed, signature_other_kind likely',
    ),
    mistake(
      'CRLF before the last line, and host and path in place of the URL',
      {
        base: (base) =>
          base
            .replace(/"@target-uri": https:..([^/]*)([^?\n]*).*/, '"@authority": $1\n"@path": $2')
            .replace('\n"@signature-params"', '\r\n"@signature-params"'),
      },
      'base_request_target proven, base_some_crlf proven',
    ),
    mistake(
      'a URL with a carriage return, and components without quotes',
      {
        base: (base) => base.replace(uri, `${uri}\r`).replace(/\(.*\)/, (list) => list.replaceAll('"', '')),
      },
      'base_value_trimmed proven, base_params_rebuilt proven',
    ),
    mistake(
      'another scheme, host and port, and none of the path',
      { base: (base) => base.replace(uri, 'http://localhost:8080/') },
      'url_path_only proven, url_internal_host proven',
    ),
    mistake(
      'values in quotes, and CRLF',
      { base: (base) => base.replace(/^("[^"]*": )(.*)$/gm, '$1"$2"').replaceAll('\n', '\r\n') },
      'base_colon_space proven, base_crlf proven',
    ),
    mistake(
      'a form whose JSON was hashed, with spaces and lists',
      {
        body: Buffer.from('a=1&b%5Bc%5D%5B0%5D=x+y&b%5Bc%5D%5B1%5D=true&d='),
        digest: contentDigest('{"a": 1, "b": {"c": ["x y", true]}, "d": null}'),
      },
      'body_form_encoded proven, body_json_separators proven',
    ),
    mistake(
      'names without quotes, and parameters with their label',
      {
        base: (base) => base.replace('"@signature-params": ', '$&sig=').replace(/^"([^"]*)"(?=: )/gm, '$1'),
      },
      'base_unquoted_names proven, base_params_with_label proven',
    ),
    mistake(
      'SHA3-256, and a slash',
      { ...replaced('/payments?', '/payments/?'), sign: (base, key) => sign('sha3-256', base, key) },
      'signature_no_digest_info observed',
    ),
    mistake(
      'a parameter that was added later, and values in quotes',
      {
        uri: `${uri}&utm_source=mail`,
        base: (base) => base.replace('&utm_source=mail', '').replace(/^("[^"]*": )(.*)$/gm, '$1"$2"'),
      },
      'base_colon_space proven, url_query_part proven',
    ),
    mistake(
      'SHA-224, and a slash',
      { ...replaced('/payments?', '/payments/?'), sign: (base, key) => sign('sha224', base, key) },
      'signature_no_digest_info proven, url_trailing_slash proven',
    ),
    mistake(
      'a body that was sorted and spaced after it was hashed',
      {
        body: Buffer.from('{"amount": 1250, "currency": "EUR", "name": "Zo\\u00eb", "reference": "a/b"}'),
        digest: contentDigest('{"reference":"a/b","amount":1250,"name":"Zoë","currency":"EUR"}'),
      },
      'body_json_separators proven, body_json_key_order proven, body_json_escapes proven',
    ),
  ],
  'the URL': [
    mistake('http', replaced('https', 'http'), 'url_scheme proven'),
    mistake('a port', replaced('example.test', 'example.test:443'), 'url_host_port proven'),
    mistake('a host in capitals', replaced('api.example.test', 'API.EXAMPLE.TEST'), 'url_host_case proven'),
    mistake(
      'a Unicode host',
      { uri: 'https://xn--bcher-kva.example/', base: (base) => base.replace('xn--bcher-kva', 'bücher') },
      'url_host_unicode proven',
    ),
    mistake('another host', replaced('api.example.test', 'eu.example.test'), 'url_other_host proven', {
      baseUrls: ['https://eu.example.test'],
    }),
    mistake(
      'an internal host',
      replaced('https://api.example.test', 'http://gateway:8080'),
      'url_internal_host proven',
      { internalHosts: ['gateway:8080'] },
    ),
    mistake('no query', replaced(/\?.*/, ''), 'url_no_query proven'),
    mistake(
      'a sorted query',
      replaced('state=open&limit=20&ref=a%20b', 'limit=20&ref=a%20b&state=open'),
      'url_query_order proven',
    ),
    mistake('another encoding', replaced('a%20b', 'a+b'), 'url_query_encoding proven'),
    mistake('a slash', replaced('/payments?', '/payments/?'), 'url_trailing_slash proven'),
    mistake('two slashes', replaced('.test/', '.test//'), 'url_double_slash proven'),
    mistake('dots', replaced('/v1/', '/v1/./'), 'url_dot_segments proven'),
    mistake('only the path', replaced('https://api.example.test', ''), 'url_path_only proven'),
    mistake('no prefix', replaced('/v1/', '/'), 'url_path_prefix proven'),
    mistake('a fragment', replaced(/(\?.*)/, '$1#top'), 'url_fragment proven'),
    mistake(
      'a decoded path',
      { uri: 'https://api.example.test/v1/caf%C3%A9', base: (base) => base.replace('%C3%A9', 'é') },
      'url_path_encoding proven',
    ),
    mistake(
      'a template that the client encoded',
      {
        uri: 'https://api.example.test/v1/payments/%7Bid%7D',
        base: (base) => base.replace('%7Bid%7D', '{id}'),
      },
      'url_path_encoding proven',
    ),
    mistake(
      'a template that the client filled',
      { uri: 'https://api.example.test/v1/payments/42', base: (base) => base.replace('s/42', 's/{id}') },
      'url_path_prefix proven',
    ),
    mistake(
      'a query of an encoder that no table has',
      {
        uri: 'https://api.example.test/v1/payments?q=!a%2Ab%27c%3Ad/e',
        base: (base) => base.replace('!a%2Ab%27c%3Ad/e', "%21a*b'c:d%2Fe"),
      },
      'url_query_encoding proven',
    ),
    mistake(
      'a path of an encoder that no table has',
      {
        uri: "https://api.example.test/v1/x%281%29'*y%21",
        base: (base) => base.replace("%281%29'*y%21", '(1)%27%2Ay!'),
      },
      'url_path_encoding proven',
    ),
    mistake(
      'backslashes',
      {
        uri: 'https://api.example.test/v1/files/invoices/42',
        base: (base) => base.replace('files/invoices/42', 'files\\invoices\\42'),
      },
      'url_path_encoding proven',
    ),
    mistake(
      'two slashes, where a proxy adds a prefix',
      {
        uri: 'https://api.example.test/api/v1/payments',
        base: (base) => base.replace('.test/api/v1', '.test//v1'),
      },
      'url_double_slash proven, url_path_prefix proven',
    ),
    mistake(
      'a percent sign that starts no escape',
      {
        uri: 'https://api.example.test/v1/payments?rate=10%25off%25zz',
        base: (base) => base.replace('%25zz', '%zz'),
      },
      'url_query_encoding proven',
    ),
    mistake(
      'letters in UTF-8 that were sent in Latin-1',
      { uri: 'https://api.example.test/v1/payments?name=Zo%EB', base: (base) => base.replace('%EB', 'ë') },
      'url_query_encoding proven',
    ),
    mistake(
      'a joined list whose comma was encoded',
      {
        uri: 'https://api.example.test/v1/payments?state=a%2Cb',
        base: (base) => base.replace('a%2Cb', 'a,b'),
      },
      'url_query_encoding proven',
    ),
    mistake(
      'braces that curl removed',
      {
        uri: 'https://api.example.test/v1/payments?q="state":"open"',
        base: (base) => base.replace('"state":"open"', '{"state":"open"}'),
      },
      'url_query_encoding proven',
    ),
    mistake(
      'a path that a proxy encoded twice',
      {
        uri: 'https://api.example.test/v1%252fpayments',
        base: (base) => base.replace('%252f', '/'),
      },
      'url_path_encoding proven',
    ),
    mistake(
      'no slash after the host',
      { uri: 'https://api.example.test/', base: (base) => base.replace('.test/', '.test') },
      'url_trailing_slash proven',
    ),
    mistake(
      'a question mark before a parameter that a proxy added',
      {
        uri: 'https://api.example.test/v1/payments?&source=edge',
        base: (base) => base.replace('&source=edge', ''),
      },
      'url_no_query proven, url_trailing_question_mark proven',
    ),
    mistake(
      'another version and raw spaces',
      {
        uri: 'https://api.example.test/v2/tags/a%20b',
        base: (base) => base.replace('/v2/tags/a%20b', '/v1/tags/a b'),
      },
      'url_path_prefix proven, url_path_encoding proven',
    ),
    ...(
      [
        ['repeated, sent joined', 'state=a&state=b', 'state=a%2cb'],
        ['joined, sent repeated', 'state=a,b', 'state=a&state=b'],
        ['repeated, sent with brackets', 'state=a&state=b', 'state%5B%5D=a&state%5B%5D=b'],
        ['with brackets, sent with indices', 'state[]=a&state[]=b', 'state%5B0%5D=a&state%5B1%5D=b'],
        ['with brackets beside another parameter', 'limit=5&state[]=a', 'limit=5&state=a'],
      ] as const
    ).map(([title, signed, sent]) =>
      mistake(
        `a list ${title}`,
        { uri: `https://api.example.test/v1/payments?${sent}`, base: (base) => base.replace(sent, signed) },
        'url_query_part proven',
      ),
    ),
    mistake(
      'a joined list, and the method in lower case',
      {
        uri: 'https://api.example.test/v1/payments?state=a%2Cb',
        base: (base) => base.replace('state=a%2Cb', 'state=a&state=b').replace('POST', 'post'),
      },
      'url_query_part proven, method_case proven',
    ),
  ],
  'the method': [
    mistake('lower case', replaced('POST', 'post'), 'method_case proven'),
    mistake('another one', replaced('POST', 'PUT'), 'method_other proven'),
    mistake(
      'HEAD as GET',
      { method: 'HEAD', body: empty, base: (base) => base.replace('HEAD', 'GET') },
      'method_head_as_get proven',
    ),
  ],
  'the body': [
    mistake('indented', json(JSON.stringify(JSON.parse(jsonBody), null, 2)), 'body_json_whitespace proven'),
    mistake(
      'spaced',
      json('{"reference": "a/b", "amount": 1250, "name": "Zoë"}'),
      'body_json_separators proven',
    ),
    mistake('sorted', json('{"amount":1250,"name":"Zoë","reference":"a/b"}'), 'body_json_key_order proven'),
    mistake(
      'escaped as by PHP',
      json(String.raw`{"reference":"a\/b","amount":1250,"name":"Zo\u00eb"}`),
      'body_json_escapes proven',
    ),
    mistake(
      'as Python prints it',
      json("{'reference': 'a/b', 'amount': 1250, 'name': 'Zoë'}"),
      'body_python_repr proven',
    ),
    mistake('a form', json('reference=a%2Fb&amount=1250&name=Zo%C3%AB'), 'body_form_encoded proven'),
    mistake('Latin-1', { digest: contentDigest(Buffer.from(jsonBody, 'latin1')) }, 'body_charset proven'),
    mistake('a mark', json(`\uFEFF${jsonBody}`), 'body_bom proven'),
    mistake(
      'CRLF',
      { body: Buffer.from('a\nb\n'), digest: contentDigest('a\r\nb\r\n') },
      'body_line_ends proven',
    ),
    mistake('a newline', json(`${jsonBody}\n`), 'body_trailing_newline proven'),
    mistake('gzip', { body: gzipSync(jsonBody), digest: contentDigest(jsonBody) }, 'body_compression proven'),
    mistake(
      'deflate',
      { body: deflateSync(jsonBody), digest: contentDigest(jsonBody) },
      'body_compression proven',
    ),
    mistake('nothing', { digest: contentDigest('') }, 'body_empty proven'),
    mistake('another body', { digest: contentDigest('{"reference":"other"}') }, 'body_other likely'),
    mistake(
      'two at once',
      json(`${JSON.stringify(JSON.parse(jsonBody), null, 4)}\n`),
      'body_json_whitespace proven, body_trailing_newline proven',
    ),
  ],
  'the digest': [
    mistake('hex', { digest: `sha-256=:${hash('sha256', jsonBody)}:` }, 'digest_hex proven'),
    mistake(
      'no padding',
      {
        digest: contentDigest(jsonBody).replace('=:', '').replace(/=:$/, ':').replace('sha-256', 'sha-256=:'),
      },
      'digest_base64url proven',
    ),
    mistake(
      'twice',
      { digest: `sha-256=:${Buffer.from(hash('sha256', jsonBody, 'base64')).toString('base64')}:` },
      'digest_double_base64 proven',
    ),
    mistake(
      'of hex',
      { digest: `sha-256=:${Buffer.from(hash('sha256', jsonBody)).toString('base64')}:` },
      'digest_of_hex proven',
    ),
    mistake('SHA-512', { digest: `sha-256=:${hash('sha512', jsonBody, 'base64')}:` }, 'digest_sha512 proven'),
    mistake('MD5', { digest: `sha-256=:${hash('md5', jsonBody, 'base64')}:` }, 'digest_md5 proven'),
    mistake(
      'the old form',
      { digest: `SHA-256=${hash('sha256', jsonBody, 'base64')}` },
      'digest_old_form proven',
    ),
    mistake(
      'no colons',
      { digest: `sha-256=${hash('sha256', jsonBody, 'base64')}` },
      'digest_no_colons proven',
    ),
    mistake(
      'changed after signing',
      {
        base: (base) =>
          base.replace(contentDigest(jsonBody), contentDigest(JSON.stringify(JSON.parse(jsonBody), null, 2))),
      },
      'digest_changed_after_signing proven',
    ),
  ],
  'the base': [
    mistake('a newline at its end', { base: (base) => `${base}\n` }, 'base_trailing_newline proven'),
    mistake('CRLF', replaced(/\n/g, '\r\n'), 'base_crlf proven'),
    mistake('one CRLF', replaced('\n', '\r\n'), 'base_some_crlf proven'),
    mistake('backslash and n', replaced(/\n/g, '\\n'), 'base_literal_newline proven'),
    mistake('no space', replaced(/": /g, '":'), 'base_colon_space proven'),
    mistake('no quotes', replaced(/^"(\S+)":/gm, '$1:'), 'base_unquoted_names proven'),
    mistake('no last line', replaced(/\n"@signature-params".*/, ''), 'base_no_signature_params proven'),
    mistake('the label', replaced('params": ', 'params": sig='), 'base_params_with_label proven'),
    mistake(
      'the header',
      replaced('"@signature-params": ', 'Signature-Input: sig='),
      'base_params_whole_header proven',
    ),
    mistake(
      'parameters in another order',
      replaced(/(;created=\d+)(;keyid="[^"]*")/, '$2$1'),
      'base_params_rebuilt proven',
    ),
    mistake(
      'parameters without quotes',
      replaced(/keyid="([^"]*)"/, 'keyid=$1'),
      'base_params_rebuilt proven',
    ),
    mistake('another order', replaced(/^("@method".*)\n(.*)\n/, '$2\n$1\n'), 'base_component_order proven'),
    mistake('no date', replaced(/"date".*\n/, ''), 'base_no_date proven'),
    mistake('an hour later', replaced(date, date.replace('16:28', '16:32')), 'base_other_date proven'),
    mistake(
      'created in milliseconds',
      replaced(`created=${created}`, `created=${created}417`),
      'base_created_format proven',
    ),
    mistake('a space', replaced(date, `${date} `), 'base_value_trimmed proven'),
    mistake('lower case', replaced(date, date.toLowerCase()), 'base_value_case proven'),
    mistake(
      'the old drafts',
      {
        base: () =>
          `(request-target): post /v1/payments?state=open&limit=20&ref=a%20b\nhost: api.example.test\ndate: ${date}`,
      },
      'base_cavage proven',
    ),
    mistake(
      'the request target',
      replaced('"@target-uri": https://api.example.test', '"@request-target": '),
      'base_request_target proven',
    ),
    mistake(
      'UTF-16',
      { sign: (base, key) => sign('sha256', Buffer.from(base.toString(), 'utf16le'), key) },
      'base_charset proven',
    ),
  ],
  'a printed value, and other texts': [
    mistake('undefined', replaced(/"date": .*/, '"date": undefined'), 'base_value_printed proven'),
    mistake("Python's bytes", replaced(/"@method": (.*)/, `"@method": b'$1'`), 'base_value_printed proven'),
    mistake('an empty date', replaced(/"date": .*/, '"date": '), 'base_value_empty proven'),
    mistake('a newline after the URL', replaced(uri, `${uri}\n`), 'base_value_trimmed proven'),
    mistake('the base in Base64', { base: (base) => btoa(base) }, 'base_encoded proven'),
    mistake('the base as JSON', { base: (base) => JSON.stringify(base) }, 'base_encoded proven'),
    mistake(
      'the body',
      { base: () => jsonBody, sign: (_, key) => sign('sha256', Buffer.from(jsonBody), key) },
      'base_other_text proven',
    ),
    mistake('the URL', { base: () => uri }, 'base_other_text proven'),
    mistake(
      'a sorted query in another encoding',
      {
        base: (base) => base.replace('state=open&limit=20&ref=a%20b', 'limit=20&ref=a+b&state=open'),
      },
      'url_query_order proven, url_query_encoding proven',
    ),
    mistake(
      'the clock read again, and parameters with spaces',
      { base: (base) => base.replace(/;/g, '; ').replace(`created=${created}`, `created=${created - 1}`) },
      'base_params_rebuilt proven, base_other_created proven',
    ),
    mistake('a member added later', json('{"reference":"a/b","amount":1250}'), 'body_json_members proven'),
    mistake('a body in an object', json(`{"data":${jsonBody}}`), 'body_json_members proven'),
    mistake(
      'sorted and indented by Perl',
      json('{\n   "amount" : 1250,\n   "name" : "Zoë",\n   "reference" : "a/b"\n}'),
      'body_json_whitespace proven, body_json_key_order proven',
    ),
    mistake(
      'a .NET dictionary',
      json('System.Collections.Generic.Dictionary`2[System.String,System.Object]'),
      'body_printed proven',
    ),
    mistake('a Go map', json('map[amount:1250 name:Zoë reference:a/b]'), 'body_printed proven'),
    mistake(
      'serialised by PHP',
      json('a:3:{s:9:"reference";s:3:"a/b";s:6:"amount";i:1250;s:4:"name";s:4:"Zoë";}'),
      'body_printed proven',
    ),
    mistake('white space trimmed on both sides', json(`  ${jsonBody}  `), 'body_trailing_newline proven'),
    mistake(
      'a printed object as body',
      { body: Buffer.from('[object Object]'), digest: contentDigest(jsonBody) },
      'body_printed likely',
    ),
    mistake(
      'serialised twice by PHP and sorted on the way',
      {
        body: Buffer.from(JSON.stringify('{"name":"Zo\\u00eb","reference":"a\\/b","amount":1250}')),
        digest: contentDigest('{"reference":"a/b","amount":1250,"name":"Zoë"}'),
      },
      'body_json_twice proven, body_json_key_order proven, body_json_escapes proven',
    ),
    ...[
      ['%7E+%28a%29', '~+(a)'],
      ['~%20%28a%29', '~+(a)'],
      ['%c3%ab+%26', '%C3%AB+%26'],
    ].map(([signed, sent]) =>
      mistake(
        `the form value ${signed}`,
        { body: Buffer.from(`name=${sent}`), digest: contentDigest(`name=${signed}`) },
        'body_encoded proven',
      ),
    ),
    ...[
      'state=open%2Cpaid',
      'state[]=open&state[]=paid',
      'state%5B0%5D=open&state%5B1%5D=paid',
      'state=paid',
    ].map((signed) =>
      mistake(
        `the list in a form ${signed}`,
        { body: Buffer.from('state=open&state=paid'), digest: contentDigest(signed) },
        'body_encoded proven',
      ),
    ),
    ...['{"id":9007199254740993,"small":1e-07}', '{"id":9007199254740993,"small":1.0E-7}'].map((signed) =>
      mistake(
        `the numbers ${signed}`,
        { body: Buffer.from('{"id":9007199254740993,"small":0.0000001}'), digest: contentDigest(signed) },
        'body_json_numbers proven',
      ),
    ),
    mistake(
      'inner members in the order of a hash map',
      {
        body: Buffer.from('[{"amount":100,"id":1},{"amount":250,"id":2}]'),
        digest: contentDigest('[{"id":1,"amount":100},{"id":2,"amount":250}]'),
      },
      'body_json_key_order proven',
    ),
    mistake(
      'inner members in an order of their own each',
      {
        body: Buffer.from('[{"amount":100,"id":1},{"amount":250,"id":2}]'),
        digest: contentDigest('[{"id":1,"amount":100},{"amount":250,"id":2}]'),
      },
      'body_json_key_order proven',
    ),
    ...(
      [
        [
          'indented, sorted, without escapes and with a newline',
          '{\n  "amount": 12.5,\n  "name": "Zoë",\n  "url": "a/b"\n}\n',
          '{"name":"Zo\\u00eb","url":"a\\/b","amount":12.5}',
          'body_json_whitespace proven, body_json_key_order proven, body_json_escapes proven, body_trailing_newline proven',
        ],
        [
          'another escape for each kind of character',
          '{"text":"a\\/b <c> \\u00e9 \\u007f"}',
          '{"text":"a/b <c> é \x7f"}',
          'body_json_escapes proven',
        ],
        [
          'each kind of number in a form of its own',
          '{"zero":-0.0,"sum":0.30000000000000004,"id":9007199254740993}',
          '{"zero":0,"sum":0.3,"id":9007199254740992}',
          'body_json_numbers proven',
        ],
        [
          'a list of keys for JSON.stringify',
          '{"id":1,"guest":{}}',
          '{"id":1,"guest":{"name":"Zoë"}}',
          'body_json_members proven',
        ],
        ['lists as objects', '{"ids":{"0":7,"1":8}}', '{"ids":[7,8]}', 'body_json_members proven'],
        [
          'indented by PowerShell 5',
          '{\r\n    "id":  1,\r\n    "to":  {\r\n               "name":  "Zoë"\r\n           }\r\n}',
          '{"id":1,"to":{"name":"Zoë"}}',
          'body_json_whitespace proven',
        ],
        [
          'printed by print_r',
          'Array\n(\n    [id] => 1\n    [to] => Array\n        (\n            [0] => Zoë\n        )\n\n)\n',
          '{"id":1,"to":["Zoë"]}',
          'body_printed proven',
        ],
        [
          'printed by Python in another order',
          "{'name': 'Zoë', 'id': 1, 'ok': True}",
          '{"id":1,"name":"Zoë","ok":true}',
          'body_python_repr proven, body_json_key_order proven',
        ],
        ['printed by PowerShell', '@{id=1; name=Zoë}', '{"id":1,"name":"Zoë"}', 'body_printed proven'],
        [
          'twice, without the newline',
          JSON.stringify('{"id":1,"name":"Zoë"}'),
          '{\n  "id":1,\n  "name":"Zoë"\n}\n',
          'body_json_twice proven, body_json_whitespace proven, body_trailing_newline proven',
        ],
        ['an encoder that no table has', 'note=%2A!%7E%27a+b', "note=*!~'a+b", 'body_encoded proven'],
      ] as const
    ).map(([what, signed, sent, found]) =>
      mistake(what, { body: Buffer.from(sent), digest: contentDigest(signed) }, found),
    ),
    mistake(
      'numbers that lost digits',
      {
        body: Buffer.from('{"id":1.2345678901234568e+22}'),
        digest: contentDigest('{"id":12345678901234567890123}'),
      },
      'body_other likely, body_json_numbers likely',
    ),
    mistake(
      'letters that a charset lacks',
      { body: Buffer.from('{"name":"Fran?ois"}'), digest: contentDigest('{"name":"François"}') },
      'body_other likely, body_charset likely',
    ),
    mistake(
      'a printed object in a JSON string',
      {
        body: Buffer.from(JSON.stringify("{ id: 1, name: 'Zoë' }")),
        digest: contentDigest('{"id":1,"name":"Zoë"}'),
      },
      'body_printed likely, body_json_twice likely',
    ),
    mistake('the text undefined as body', json('undefined'), 'body_printed proven'),
    mistake('a body cut off', json(jsonBody.slice(0, -1)), 'body_truncated proven'),
  ],
  'a spoiled signature': [
    ...[
      ['JSON escapes', (text: string) => text.replace(/\//g, '\\/'), 'signature_escaped observed'],
      ['HTML entities', (text: string) => text.replace(/\+/g, '&#43;'), 'signature_escaped observed'],
      ['spaces for plus signs', (text: string) => text.replace(/\+/g, ' '), 'signature_plus_lost observed'],
      ["Python's bytes", (text: string) => `b'${text}'`, 'signature_printed observed'],
      ['an Optional', (text: string) => `Optional("${text}")`, 'signature_printed observed'],
      [
        'numbers',
        (text: string) => `[${[...Buffer.from(text, 'base64')].join(', ')}]`,
        'signature_printed observed',
      ],
      [
        "Java's bytes",
        (text: string) => `[${new Int8Array(Buffer.from(text, 'base64')).join(', ')}]`,
        'signature_printed observed',
      ],
      [
        'percent signs twice',
        (text: string) => encodeURIComponent(encodeURIComponent(text)),
        'signature_url_encoded observed',
      ],
      [
        'Base64 three times',
        (text: string) => Buffer.from(Buffer.from(text).toString('base64')).toString('base64'),
        'signature_double_base64 observed',
      ],
      ['more padding', (text: string) => `${text}==`, 'signature_form observed'],
    ].map(([title, spoil, code]) =>
      mistake(
        `${title as string}, and the base is searched all the same`,
        {
          ...replaced('https', 'http'),
          write: (signature) => `sig=:${(spoil as (text: string) => string)(signature.toString('base64'))}:`,
        },
        `${code as string}, url_scheme proven`,
      ),
    ),
    ...['undefined', 'None', '[object Promise]'].map((text) =>
      mistake(`the text ${text}`, { write: () => `sig=:${text}:` }, 'signature_printed observed'),
    ),
    mistake(
      'JSON around the signature',
      { write: (signature) => `{"sig":"${signature.toString('base64')}"}` },
      'signature_form observed',
    ),
    mistake(
      'an HMAC',
      { sign: (base) => createHmac('sha256', 'secret').update(base).digest() },
      'signature_other_kind likely',
    ),
    mistake(
      'ECDSA',
      { sign: (base) => sign('sha256', base, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey) },
      'signature_other_kind likely',
    ),
    mistake(
      'a hash of another base',
      { ...replaced('https', 'http'), sign: (base) => hash('sha256', base, 'buffer') },
      'signature_hash_only proven, url_scheme proven',
    ),
  ],
  'a failed check': [
    mistake(
      'a keyid without quotes',
      { ...replaced('https', 'http'), params: usualParams.replace(/keyid="([^"]*)"/, 'keyid=$1') },
      'parameter_form observed, url_scheme proven',
    ),
    mistake(
      'swapped headers',
      {
        headers: (lines) =>
          lines.map(([name, value]) => [
            { Signature: 'Signature-Input', 'Signature-Input': 'Signature' }[name] ?? name,
            value,
          ]),
      },
      'header_swapped observed',
    ),
    mistake(
      'both fields in one header',
      {
        ...replaced('https', 'http'),
        headers: (lines) => [
          ...lines.slice(0, -2),
          [
            'Signature',
            lines
              .slice(-2)
              .map(([, value]) => value)
              .join(', '),
          ],
        ],
      },
      'header_joined observed, url_scheme proven',
    ),
    ...[
      ['escaped quotes', (text: string) => text.replace(/"/g, '\\"')],
      ['quotes as entities', (text: string) => text.replace(/"/g, '&quot;')],
      ['percent signs', (text: string) => encodeURIComponent(text)],
      ['Base64', (text: string) => Buffer.from(text).toString('base64')],
      ['quotes around it all', (text: string) => JSON.stringify(text)],
    ].map(([title, spoil]) =>
      mistake(
        `Signature-Input with ${title as string} is one mistake`,
        {
          headers: (lines) =>
            lines.map(([name, value]) => [
              name,
              name === 'Signature-Input' ? (spoil as (text: string) => string)(value) : value,
            ]),
        },
        'signature_input_format observed',
      ),
    ),
  ],
  'the signature': [
    mistake(
      'hashed twice',
      { sign: (base, key) => sign('sha256', hash('sha256', base, 'buffer'), key) },
      'signature_hashed_twice proven',
    ),
    mistake(
      'hex of the hash',
      { sign: (base, key) => sign('sha256', Buffer.from(hash('sha256', base)), key) },
      'signature_of_hex_hash proven',
    ),
    mistake(
      'Base64 of the hash',
      { sign: (base, key) => sign('sha256', Buffer.from(hash('sha256', base, 'base64')), key) },
      'signature_of_base64_hash proven',
    ),
    mistake(
      'PSS',
      {
        sign: (base, key) =>
          sign('sha256', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
      },
      'signature_pss proven',
    ),
    mistake(
      'PSS with the longest salt',
      { sign: (base, key) => sign('sha512', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING }) },
      'signature_pss proven',
    ),
    mistake('SHA-1', { sign: (base, key) => sign('sha1', base, key) }, 'signature_sha1 proven'),
    mistake('SHA-384', { sign: (base, key) => sign('sha384', base, key) }, 'signature_sha384 proven'),
    mistake('SHA-512', { sign: (base, key) => sign('sha512', base, key) }, 'signature_sha512 proven'),
    mistake(
      'no DigestInfo',
      { sign: (base, key) => signBare(hash('sha256', base, 'buffer'), key) },
      'signature_no_digest_info proven',
    ),
    mistake(
      'hex without DigestInfo',
      { sign: (base, key) => signBare(Buffer.from(hash('sha256', base)), key) },
      'signature_no_digest_info proven, signature_of_hex_hash proven',
    ),
    mistake(
      'reversed',
      { sign: (base, key) => Buffer.from(sign('sha256', base, key).toReversed()) },
      'signature_reversed proven',
    ),
    mistake(
      'URL-safe',
      { write: (bytes) => `sig=:${bytes.toString('base64url')}:` },
      'signature_base64url observed',
    ),
    mistake(
      'twice',
      { write: (bytes) => `sig=:${Buffer.from(bytes.toString('base64')).toString('base64')}:` },
      'signature_double_base64 observed',
    ),
    mistake('hex', { write: (bytes) => `sig=:${bytes.toString('hex')}:` }, 'signature_hex observed'),
    mistake(
      'line breaks',
      { write: (bytes) => `sig=:${bytes.toString('base64').replace(/(.{64})/g, '$1 ')}:` },
      'signature_line_breaks observed',
    ),
    mistake(
      'truncated',
      { write: (bytes) => `sig=:${bytes.subarray(0, 200).toString('base64')}:` },
      'signature_truncated observed',
    ),
    mistake('no colons', { write: (bytes) => `sig=${bytes.toString('base64')}` }, 'signature_form observed'),
  ],
  'the key': [
    mistake(
      'of another client',
      { key: otherKey },
      'key_of_other_client proven, keyid_of_other_client proven',
    ),
    mistake('revoked', { key: revokedKey }, 'key_revoked proven'),
    mistake('retired', { key: expiredKey }, 'key_retired proven'),
    mistake('of another environment', { key: foreignKey }, 'key_of_other_environment proven'),
    mistake('unknown', { key: strangerKey }, 'key_unknown likely'),
    mistake(
      'a keyid of nobody',
      { params: usualParams.replace('01kown', '01kowm') },
      'keyid_unknown observed',
    ),
    mistake(
      'a keyid with a space at its end',
      { params: usualParams.replace(/;keyid="([^"]*)"/, ';keyid="$1 "') },
      'keyid_unknown observed',
    ),
    mistake('a name', { params: usualParams.replace('client_01kown', 'Web shop') }, 'keyid_is_name observed'),
  ],
  'parameters and headers': [
    mistake(
      'milliseconds',
      { params: usualParams.replace(String(created), `${created}123`) },
      'created_milliseconds observed',
    ),
    mistake(
      'a fraction',
      { params: usualParams.replace(String(created), `${created}.5`) },
      'created_fraction observed',
    ),
    mistake(
      'ten minutes',
      {
        params: usualParams.replace(String(created), String(created - 610)),
        date: 'Wed, 27 May 2026 16:18:32 GMT',
      },
      'clock_off observed',
    ),
    mistake(
      'two hours',
      {
        params: usualParams.replace(String(created), String(created + 7200)),
        date: 'Wed, 27 May 2026 18:28:42 GMT',
      },
      'clock_time_zone likely',
    ),
    mistake('ISO 8601', { date: '2026-05-27T16:28:42Z' }, 'date_format observed'),
    mistake('local time', { date: date.replace('16:', '18:') }, 'date_time_zone likely'),
    mistake('Date read again', replaced(date, date.replace(':42', ':41')), 'date_read_twice proven'),
    mistake(
      'no Date',
      { headers: (lines) => lines.filter(([name]) => name !== 'Date') },
      'header_stripped proven, header_missing proven',
    ),
    mistake('two Dates', { headers: (lines) => [...lines, ['date', date]] }, 'header_repeated observed'),
    mistake(
      'a folded header',
      { headers: (lines) => lines.map(([name, value]) => [name, value.replace(';keyid', ';\r\n keyid')]) },
      'header_folded observed',
    ),
    mistake(
      'another name',
      { headers: (lines) => lines.map(([name, value]) => [name.replace('Content-D', 'D'), value]) },
      'header_renamed observed',
    ),
    mistake(
      'another label',
      { headers: (lines) => lines.map(([name, value]) => [name, value.replace(/^sig=/, 'sig1=')]) },
      'signature_label observed',
    ),
    mistake(
      'an agent of Web Bot Auth',
      {
        params: `("@authority" "signature-agent";key="sig");created=${created};expires=${created + 300};keyid="x";tag="web-bot-auth"`,
      },
      'profile_other observed, parameter_missing observed, parameter_unknown observed, keyid_unknown observed, ' +
        'base_no_date observed, base_missing_component observed, base_extra_component observed, ' +
        'base_extra_component observed, digest_not_covered observed, base_unrecognised likely',
    ),
    mistake('date not covered', { params: usualParams.replace(' "date"', '') }, 'base_no_date observed'),
    mistake(
      'another alg',
      { params: usualParams.replace('rsa-v1_5-sha256', 'rsa-sha256') },
      'algorithm_other observed',
    ),
    mistake('expires', { params: `${usualParams};expires=${created + 300}` }, 'parameter_unknown observed'),
  ],
  'several at once': [
    mistake(
      'http and CRLF',
      { base: (base) => base.replace('https', 'http').replaceAll('\n', '\r\n') },
      'base_crlf proven, url_scheme proven',
    ),
    mistake(
      'no query and SHA-1',
      { base: (base) => base.replace(/\?.*/, ''), sign: (base, key) => sign('sha1', base, key) },
      'signature_sha1 proven, url_no_query proven',
    ),
    mistake(
      'an indented body and a newline',
      { ...json(JSON.stringify(JSON.parse(jsonBody), null, 2)), base: (base) => `${base}\n` },
      'body_json_whitespace proven, base_trailing_newline proven',
    ),
    mistake(
      'two values that a language printed',
      {
        base: (base) =>
          base.replace('"@method": POST', '"@method": "POST"').replace(/"date": .*/, '"date": None'),
      },
      'base_value_printed proven',
    ),
    mistake(
      'another label in the parameters, and a printed method',
      { base: (base) => base.replace('"@method": POST', '"@method": "POST"').replace(': (', ': sig1=(') },
      'base_value_printed proven, base_params_with_label proven',
    ),
    mistake(
      'the body that was hashed, signed in place of the base',
      {
        ...json(JSON.stringify(JSON.parse(jsonBody), null, 2)),
        base: () => JSON.stringify(JSON.parse(jsonBody), null, 2),
      },
      'body_json_whitespace proven, base_other_text proven',
    ),
    mistake(
      'parameters in the URL that was signed and in the body that was sent',
      {
        body: Buffer.from('state=open&limit=20'),
        uri: uri.replace(/\?.*/, ''),
        params: paramsWithoutBody,
        headers: (lines) => lines.filter(([name]) => name !== 'Content-Digest'),
        base: (base) => base.replace('/payments', '/payments?state=open&limit=20'),
      },
      'header_missing observed, digest_not_covered observed, url_query_part proven',
    ),
    mistake(
      'a repeated parameter moved, which is no other way to write a list',
      {
        uri: 'https://api.example.test/v1/payments?b=1&a=2&b=3',
        base: (base) => base.replace('b=1&a=2&b=3', 'b=1&b=3&a=2'),
      },
      'url_query_order proven',
    ),
    mistake(
      'two clocks and no quotes',
      { base: (base) => base.replace(':42 GMT', ':40 GMT').replace(/^"(\S+)":/gm, '$1:') },
      'base_unquoted_names proven, date_read_twice proven',
    ),
  ],
};
