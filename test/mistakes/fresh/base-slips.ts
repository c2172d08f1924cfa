import { createHmac, constants, generateKeyPairSync, hash, sign } from 'node:crypto';
import { encryptPrivately, type Line, type Parameter, type Program } from './program.ts';
import { after, type FreshSlip, slips } from './slip.ts';

const lineOf = (name: string, value: string): Line => [name, value];
const without =
  (name: string) =>
  (lines: readonly Line[]): readonly Line[] =>
    lines.filter(([one]) => one !== name);

const times =
  'base_other_date date_read_twice date_format date_time_zone date_differs base_value_printed base_value_empty base_value_trimmed base_value_case';
const dates: readonly FreshSlip[] = [
  ...slips<(text: string) => string>(
    'signed date',
    times,
    (program, change) => after(program, 'signedDate', change),
    [
      ['1 s before', (text) => new Date(Date.parse(text) - 1000).toUTCString()],
      ['2 s after', (text) => new Date(Date.parse(text) + 2000).toUTCString()],
      ['iso', (text) => new Date(text).toISOString()],
      ['iso short', (text) => `${new Date(text).toISOString().slice(0, 19)}Z`],
      ['seconds', (text) => String(Date.parse(text) / 1000)],
      ['ms', (text) => String(Date.parse(text))],
      ['lower', (text) => text.toLowerCase()],
      ['none', () => ''],
      ['undefined', () => 'undefined'],
      ['None', () => 'None'],
      ['nil', () => 'nil'],
      ['null', () => 'null'],
      ['false', () => 'false'],
      ['list', (text) => `[${text}]`],
      ['quoted', (text) => `"${text}"`],
      ['+0000', (text) => text.replace('GMT', '+0000')],
      ['UTC', (text) => text.replace('GMT', 'UTC')],
      ['space', (text) => `${text} `],
      ['one digit', (text) => text.replace(', 0', ', ')],
      [
        'toString',
        (text) =>
          `${text.slice(0, 3)} ${text.slice(8, 11)} ${text.slice(5, 7)} ${text.slice(12, 25)} GMT+0000 (Coordinated Universal Time)`,
      ],
    ],
  ),
  ...slips<(seconds: number) => string>(
    'date',
    'date_format date_time_zone date_differs',
    (program, write) => {
      program.dateText = write;
    },
    [
      ['iso', (seconds) => new Date(seconds * 1000).toISOString()],
      ['seconds', String],
      ['+0000', (seconds) => new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')],
      ['+0100', (seconds) => new Date((seconds + 3600) * 1000).toUTCString().replace('GMT', '+0100')],
      ['local', (seconds) => new Date((seconds + 7200) * 1000).toUTCString()],
      [
        'one digit',
        (seconds) => new Date(seconds * 1000).toUTCString().replace(', 0', ', 0').replace('GMT', 'UTC'),
      ],
      ['quoted', (seconds) => `"${new Date(seconds * 1000).toUTCString()}"`],
      [
        'asctime',
        (seconds) =>
          new Date(seconds * 1000)
            .toUTCString()
            .replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4'),
      ],
    ],
  ),
  ...slips<number>(
    'clock',
    'clock_off clock_time_zone date_differs',
    (program, seconds) => after(program, 'clock', (clock) => clock + seconds),
    [
      ['-10 min', -600],
      ['+5 min', 300],
      ['+1 h', 3600],
      ['-5 h', -18_000],
      ['+5:30', 19_800],
    ],
  ),
];

const createdCodes = 'created_milliseconds created_fraction created_format base_created_format';
const parameterCodes =
  'parameter_missing parameter_unknown algorithm_other signature_input_format keyid_unknown created_format';
const replaceRaw =
  (name: string, change: (raw: string) => string) =>
  (list: readonly Parameter[]): readonly Parameter[] =>
    list.map(([one, raw]) => [one, one === name ? change(raw) : raw]);
const ofParameters = (program: Program, change: (list: readonly Parameter[]) => readonly Parameter[]): void =>
  after(program, 'parameters', change);
const parameters: readonly FreshSlip[] = [
  ...slips<(list: readonly Parameter[]) => readonly Parameter[]>('parameters', createdCodes, ofParameters, [
    ['ms', replaceRaw('created', (raw) => `${raw}123`)],
    ['fraction', replaceRaw('created', (raw) => `${raw}.123`)],
    ['.0', replaceRaw('created', (raw) => `${raw}.0`)],
    ['quoted', replaceRaw('created', (raw) => `"${raw}"`)],
    ['iso', replaceRaw('created', (raw) => `"${new Date(Number(raw) * 1000).toISOString()}"`)],
    ['exponent', replaceRaw('created', (raw) => Number(raw).toExponential().replace('+', '+0'))],
    ['L', replaceRaw('created', (raw) => `${raw}L`)],
  ]),
  ...slips<(list: readonly Parameter[]) => readonly Parameter[]>('parameters', parameterCodes, ofParameters, [
    [
      'keyid unquoted',
      replaceRaw('keyid', (raw) => raw.replaceAll('"', '')),
      'signature_input_format parameter_form',
    ],
    [
      'alg unquoted',
      replaceRaw('alg', (raw) => raw.replaceAll('"', '')),
      'signature_input_format parameter_form',
    ],
    [
      'single quotes',
      replaceRaw('keyid', (raw) => raw.replaceAll('"', "'")),
      'signature_input_format parameter_form',
    ],
    ['no alg', (list) => list.slice(0, 2), 'parameter_missing'],
    ['no created', (list) => list.slice(1), 'parameter_missing'],
    ['no keyid', (list) => list.filter(([name]) => name !== 'keyid'), 'parameter_missing'],
    ['expires', (list) => [...list, ['expires', '1999999999']], 'parameter_unknown'],
    ['tag', (list) => [...list, ['tag', '"app"']], 'parameter_unknown'],
    ['nonce', (list) => [...list, ['nonce', '"abc=="']], 'parameter_unknown'],
    [
      'keyId',
      (list) => list.map(([name, raw]) => [name === 'keyid' ? 'keyId' : name, raw]),
      'parameter_unknown parameter_missing signature_input_format',
    ],
    ['rsa-sha256', replaceRaw('alg', () => '"rsa-sha256"'), 'algorithm_other'],
    ['RS256', replaceRaw('alg', () => '"RS256"'), 'algorithm_other'],
    ['pss', replaceRaw('alg', () => '"rsa-pss-sha512"'), 'algorithm_other'],
    ['upper alg', replaceRaw('alg', (raw) => raw.toUpperCase()), 'algorithm_other'],
    ['hmac', replaceRaw('alg', () => '"hmac-sha256"'), 'algorithm_other'],
  ]),
  ...slips<(list: readonly Parameter[]) => readonly Parameter[]>(
    'signed parameters',
    `${createdCodes} base_params_rebuilt base_other_created`,
    (program, change) => after(program, 'signedParameters', change),
    [
      ['reversed', (list) => list.toReversed()],
      ['sorted', (list) => list.toSorted(([a], [b]) => (a < b ? -1 : 1))],
      ['keyid first', (list) => [list[1]!, list[0]!, ...list.slice(2)]],
      ['without alg', (list) => list.filter(([name]) => name !== 'alg')],
      ['without quotes', (list) => list.map(([name, raw]) => [name, raw.replaceAll('"', '')])],
      ['created quoted', replaceRaw('created', (raw) => `"${raw}"`)],
      ['created ms', replaceRaw('created', (raw) => `${raw}000`)],
      ['created 1 s before', replaceRaw('created', (raw) => String(Number(raw) - 1))],
      ['created 1 s after', replaceRaw('created', (raw) => String(Number(raw) + 1))],
      ['other alg', replaceRaw('alg', () => '"rsa-sha256"')],
      ['hs2019', replaceRaw('alg', () => '"hs2019"')],
      ['SHA256withRSA', replaceRaw('alg', () => '"SHA256withRSA"')],
      ['created undefined', replaceRaw('created', () => 'undefined')],
      ['created None', replaceRaw('created', () => 'None')],
      ['created .0', replaceRaw('created', (raw) => `${raw}.0`)],
      ['keyid lower', replaceRaw('keyid', (raw) => raw.toUpperCase())],
      ['keyid undefined', replaceRaw('keyid', () => '"undefined"')],
      ['keyid none', replaceRaw('keyid', () => '""')],
      ['keyid name', replaceRaw('keyid', () => '"Acme Webshop"')],
    ],
  ),
  ...slips<(params: string) => string>(
    'params',
    'base_params_rebuilt base_params_with_label base_params_whole_header base_value_trimmed base_value_printed base_value_empty base_colon_space',
    (program, change) => after(program, 'signedParams', change),
    [
      ['label', (params) => `sig=${params}`],
      ['sig1', (params) => `sig1=${params}`],
      ['header', (params) => `Signature-Input: sig=${params}`],
      ['spaces', (params) => params.replaceAll(';', '; ')],
      ['commas', (params) => params.replaceAll('" "', '", "')],
      ['unquoted names', (params) => params.replace(/^\([^)]*\)/, (list) => list.replaceAll('"', ''))],
      ['only list', (params) => params.replace(/;.*/, '')],
      ['only parameters', (params) => params.replace(/^[^;]*;/, '')],
      // With those of the names too, all quotes of the base are escaped: one cause, and the same fix.
      [
        'escaped quotes',
        (params) => params.replaceAll('"', '\\"'),
        'base_params_rebuilt base_value_printed base_encoded',
      ],
      ['single quotes', (params) => params.replaceAll('"', "'")],
      ['quoted', (params) => `"${params}"`],
      ['JSON', (params) => JSON.stringify(params)],
      ['empty', () => ''],
      ['undefined', () => 'undefined'],
      ['None', () => 'None'],
      ['space before', (params) => ` ${params}`],
      ['without spaces', (params) => params.replaceAll(' ', '')],
      ['without parentheses', (params) => params.replace(/^\(|\)/g, '')],
    ],
  ),
  ...slips<(names: readonly string[]) => readonly string[]>(
    'signed components',
    'base_params_rebuilt',
    (program, change) => after(program, 'signedComponents', change),
    [
      ['date first', (names) => ['date', ...names.filter((name) => name !== 'date')]],
      ['no digest', (names) => names.filter((name) => name !== 'content-digest')],
      ['reversed', (names) => names.toReversed()],
      ['no date', (names) => names.filter((name) => name !== 'date')],
      ['upper', (names) => names.map((name) => name.toUpperCase())],
    ],
  ),
  ...slips<(names: readonly string[]) => readonly string[]>(
    'components',
    'base_component_order base_no_date base_extra_component base_missing_component digest_not_covered base_name_case signature_input_format',
    (program, change) => after(program, 'components', change),
    [
      ['date first', (names) => ['date', ...names.filter((name) => name !== 'date')]],
      ['no date', (names) => names.filter((name) => name !== 'date')],
      ['host', (names) => [...names, 'host']],
      ['content-type', (names) => [...names, 'content-type']],
      [
        'authority',
        (names) => names.flatMap((name) => (name === '@target-uri' ? ['@authority', '@target-uri'] : name)),
      ],
      ['no digest', (names) => names.filter((name) => name !== 'content-digest')],
      ['Date', (names) => names.map((name) => (name === 'date' ? 'Date' : name))],
      ['reversed', (names) => names.toReversed()],
    ],
  ),
];

const structures: readonly FreshSlip[] = [
  ...slips<(lines: readonly Line[]) => readonly Line[]>(
    'lines',
    'base_component_order base_no_date base_no_digest base_line_left_out base_no_signature_params base_extra_component base_request_target base_line_repeated base_cavage',
    (program, change) => after(program, 'lines', change),
    [
      ['no params', without('@signature-params')],
      ['no date', without('date')],
      ['no digest', without('content-digest')],
      ['no method', without('@method')],
      ['no target', without('@target-uri')],
      ['params first', (lines) => [lines.at(-1)!, ...lines.slice(0, -1)]],
      [
        'date before digest',
        (lines) =>
          lines
            .toSorted(([a], [b]) => Number(a === 'content-digest') - Number(b === 'content-digest') || 0)
            .toSorted(([a], [b]) => Number(a === '@signature-params') - Number(b === '@signature-params')),
      ],
      ['target first', (lines) => [lines[1]!, lines[0]!, ...lines.slice(2)]],
      ['sorted', (lines) => [...lines.slice(0, -1).toSorted(([a], [b]) => (a < b ? -1 : 1)), lines.at(-1)!]],
      ['host', (lines) => [...lines.slice(0, -1), lineOf('host', 'api.countersign.example'), lines.at(-1)!]],
      [
        'content-type',
        (lines) => [...lines.slice(0, -1), lineOf('content-type', 'application/json'), lines.at(-1)!],
      ],
      ['date twice', (lines) => lines.flatMap((line) => (line[0] === 'date' ? [line, line] : [line]))],
      [
        '@path',
        (lines) =>
          lines.map((line) =>
            line[0] === '@target-uri'
              ? lineOf('@path', line[1].replace(/^https:\/\/[^/]*/, '').split('?')[0]!)
              : line,
          ),
      ],
      [
        '@request-target',
        (lines) =>
          lines.map((line) =>
            line[0] === '@target-uri'
              ? lineOf('@request-target', line[1].replace(/^https:\/\/[^/]*/, ''))
              : line,
          ),
      ],
      [
        '@authority @path',
        (lines) =>
          lines.flatMap((line) =>
            line[0] === '@target-uri'
              ? [
                  lineOf('@authority', /^https:\/\/([^/]*)/.exec(line[1])?.[1] ?? ''),
                  lineOf('@path', line[1].replace(/^https:\/\/[^/]*/, '').split('?')[0]!),
                ]
              : [line],
          ),
      ],
      ['only params', (lines) => lines.slice(-1)],
      ['only date', (lines) => lines.filter(([name]) => name === 'date')],
      [
        'empty digest line',
        (lines) =>
          lines.some(([name]) => name === 'content-digest')
            ? lines
            : [...lines.slice(0, -2), lineOf('content-digest', ''), ...lines.slice(-2)],
      ],
    ],
  ),
  ...slips<(line: Line, index: number) => string>(
    'line',
    'base_colon_space base_unquoted_names base_name_case base_request_target base_value_only',
    (program, write) => {
      program.writeLine = write;
    },
    [
      ['no space', ([name, value]) => `"${name}":${value}`],
      ['unquoted', ([name, value]) => `${name}: ${value}`],
      ['unquoted, no space', ([name, value]) => `${name}:${value}`],
      [
        'unquoted but last',
        ([name, value]) => (name === '@signature-params' ? `"${name}": ${value}` : `${name}: ${value}`),
      ],
      ['single quotes', ([name, value]) => `'${name}': ${value}`],
      ['escaped quotes', ([name, value]) => `\\"${name}\\": ${value}`, 'base_unquoted_names base_encoded'],
      ['without @', ([name, value]) => `"${name.replace('@', '')}": ${value}`],
      ['unquoted without @', ([name, value]) => `${name.replace('@', '')}: ${value}`],
      [
        'Header-Case',
        ([name, value]) =>
          `"${name.startsWith('@') ? name : name.replace(/(^|-)(.)/g, (_, before: string, one: string) => before + one.toUpperCase())}": ${value}`,
      ],
      [
        'Header-Case unquoted',
        ([name, value]) =>
          `${name.startsWith('@') ? name : name.replace(/(^|-)(.)/g, (_, before: string, one: string) => before + one.toUpperCase())}: ${value}`,
      ],
      ['upper', ([name, value]) => `"${name.toUpperCase()}": ${value}`],
      ['values only', ([, value]) => value],
      ['space both', ([name, value]) => `"${name}" : ${value}`],
      ['two spaces', ([name, value]) => `"${name}":  ${value}`],
      ['tab', ([name, value]) => `"${name}":\t${value}`],
      ['=', ([name, value]) => `"${name}"=${value}`],
      ['values quoted', ([name, value]) => `"${name}": "${value}"`],
      ['semicolon at end', ([name, value]) => `"${name}": ${value};`, 'base_colon_space base_crlf'],
      ['comma at end', ([name, value]) => `"${name}": ${value},`, 'base_colon_space base_crlf'],
      ['curly quotes', ([name, value]) => `“${name}”: ${value}`],
      ['backticks', ([name, value]) => `\`${name}\`: ${value}`],
      [
        'indented',
        ([name, value], index) => `${index > 0 ? '  ' : ''}"${name}": ${value}`,
        'base_colon_space base_value_trimmed',
      ],
      ['trailing space', ([name, value]) => `"${name}": ${value} `, 'base_colon_space base_value_trimmed'],
    ],
  ),
  ...slips<(lines: readonly string[]) => string>(
    'join',
    'base_crlf base_literal_newline base_some_crlf base_trailing_newline base_line_ends',
    (program, change) => {
      program.joined = change;
    },
    [
      ['CRLF', (lines) => lines.join('\r\n')],
      ['CR', (lines) => lines.join('\r')],
      ['nothing', (lines) => lines.join('')],
      ['\\n', (lines) => lines.join('\\n')],
      ['\\r\\n', (lines) => lines.join('\\r\\n')],
      ['space', (lines) => lines.join(' ')],
      ['comma', (lines) => lines.join(', ')],
      ['comma newline', (lines) => lines.join(',\n')],
      ['semicolon', (lines) => lines.join('; ')],
      ['two', (lines) => lines.join('\n\n')],
      ['|', (lines) => lines.join('|')],
      ['each ended', (lines) => lines.map((line) => `${line}\n`).join('')],
      ['each CRLF', (lines) => lines.map((line) => `${line}\r\n`).join('')],
      ['CRLF but last', (lines) => `${lines.slice(0, -1).join('\r\n')}\n${lines.at(-1)}`],
      ['LF but last CRLF', (lines) => `${lines.slice(0, -1).join('\n')}\r\n${lines.at(-1)}`],
      ['blank before params', (lines) => `${lines.slice(0, -1).join('\n')}\n\n${lines.at(-1)}`],
      ['&', (lines) => lines.join('&')],
      [
        'list repr',
        (lines) => `[${lines.map((line) => `'${line}'`).join(', ')}]`,
        'base_encoded base_charset base_crlf',
      ],
      ['JSON list', (lines) => JSON.stringify(lines), 'base_encoded base_charset base_crlf'],
      ['toString', (lines) => lines.join(','), 'base_crlf base_printed'],
      ['<br>', (lines) => lines.join('<br>')],
      ['U+2028', (lines) => lines.join('\u2028')],
    ],
  ),
  ...slips<(base: string, program: Program) => string>(
    'base',
    'base_trailing_newline base_crlf base_charset base_encoded base_literal_newline base_value_case base_value_trimmed base_printed base_request_target base_cavage base_other_text',
    (program, change) => after(program, 'base', (base) => change(base, program)),
    [
      ['newline', (base) => `${base}\n`],
      ['CRLF at end', (base) => `${base}\r\n`],
      ['two newlines', (base) => `${base}\n\n`],
      ['\\n at end', (base) => `${base}\\n`],
      ['NUL', (base) => `${base}\0`],
      ['space at end', (base) => `${base} `],
      ['newline first', (base) => `\n${base}`],
      ['newline both', (base) => `\n${base}\n`],
      ['BOM', (base) => `\ufeff${base}`],
      ['base64', (base) => Buffer.from(base).toString('base64')],
      ['hex', (base) => Buffer.from(base).toString('hex')],
      ['percent', (base) => encodeURIComponent(base)],
      ['form', (base) => new URLSearchParams([[base, '']]).toString().slice(0, -1)],
      ['JSON', (base) => JSON.stringify(base)],
      ['python bytes', (base) => `b'${base.replaceAll('\n', '\\n')}'`],
      ['lower', (base) => base.toLowerCase()],
      ['upper', (base) => base.toUpperCase()],
      ['html', (base) => base.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
      ['no white space', (base) => base.replace(/\s/g, '')],
      ['collapsed', (base) => base.replace(/\s+/g, ' ')],
      ['undefined', () => 'undefined'],
      ['empty', () => ''],
      ['[object Object]', () => '[object Object]'],
      ['indented 4', (base) => base.replaceAll('\n', '\n    ')],
      ['slashes escaped', (base) => base.replaceAll('/', '\\/')],
      ['quotes escaped', (base) => base.replaceAll('"', '\\"')],
      ['in quotes', (base) => `"${base}"`],
      ['in single quotes', (base) => `'${base}'`],
    ],
  ),
  ...slips<(program: Program, method: string, url: string, body: string, date: string) => string>(
    'other text',
    'base_other_text base_request_target base_cavage',
    (program, text, wish) => {
      program.base = () =>
        text(program, wish.method, wish.url, wish.body, new Date(wish.clock * 1000).toUTCString());
    },
    [
      ['body', (_, _method, _url, body) => body],
      ['url', (_, _method, url) => url],
      ['path', (_, _method, url) => url.replace(/^https:\/\/[^/]*/, '')],
      ['method url', (_, method, url) => `${method} ${url}`],
      ['method newline url', (_, method, url) => `${method}\n${url}`],
      ['method newline url newline date', (_, method, url, _body, date) => `${method}\n${url}\n${date}`],
      ['method path', (_, method, url) => `${method} ${url.replace(/^https:\/\/[^/]*/, '')}`],
      ['request line', (_, method, url) => `${method} ${url.replace(/^https:\/\/[^/]*/, '')} HTTP/1.1`],
      ['method path body', (_, method, url, body) => method + url.replace(/^https:\/\/[^/]*/, '') + body],
      ['date', (_, _method, _url, _body, date) => date],
      [
        'request target',
        (_, method, url, _body, date) =>
          `(request-target): ${method.toLowerCase()} ${url.replace(/^https:\/\/[^/]*/, '')}\ndate: ${date}`,
      ],
    ],
  ),
];

const signing: readonly FreshSlip[] = [
  ...slips<(base: string) => Buffer>(
    'bytes',
    'base_charset',
    (program, change) => {
      program.bytes = change;
    },
    [
      ['utf16', (base) => Buffer.from(base, 'utf16le')],
      ['utf16 bom', (base) => Buffer.from(`\ufeff${base}`, 'utf16le')],
      ['utf16 be', (base) => Buffer.from(base, 'utf16le').swap16()],
      [
        'utf32',
        (base) =>
          Buffer.concat(
            Array.from(base, (one) => {
              const room = Buffer.alloc(4);
              room.writeUInt32LE(one.codePointAt(0)!);
              return room;
            }),
          ),
      ],
    ],
  ),
  ...slips<Program['sign']>(
    'sign',
    'signature_hashed_twice signature_of_hex_hash signature_of_base64_hash signature_pss signature_sha1 signature_sha224 signature_sha384 signature_sha512 signature_md5 signature_no_digest_info signature_not_hashed',
    (program, change) => {
      program.sign = change;
    },
    [
      ['twice', (bytes, key) => sign('sha256', hash('sha256', bytes, 'buffer'), key)],
      ['hex', (bytes, key) => sign('sha256', Buffer.from(hash('sha256', bytes)), key)],
      ['HEX', (bytes, key) => sign('sha256', Buffer.from(hash('sha256', bytes).toUpperCase()), key)],
      ['base64', (bytes, key) => sign('sha256', Buffer.from(hash('sha256', bytes, 'base64')), key)],
      ['sha1', (bytes, key) => sign('sha1', bytes, key)],
      ['sha384', (bytes, key) => sign('sha384', bytes, key)],
      ['sha512', (bytes, key) => sign('sha512', bytes, key)],
      ['sha224', (bytes, key) => sign('sha224', bytes, key)],
      ['md5', (bytes, key) => sign('md5', bytes, key)],
      // Its DigestInfo names the hash function, and the finding about the DigestInfo says so.
      ['sha3-256', (bytes, key) => sign('sha3-256', bytes, key), 'signature_no_digest_info'],
      [
        'pss',
        (bytes, key) =>
          sign('sha256', bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
      ],
      [
        'pss max',
        (bytes, key) =>
          sign('sha256', bytes, {
            key,
            padding: constants.RSA_PKCS1_PSS_PADDING,
            saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN,
          }),
      ],
      [
        'pss sha512',
        (bytes, key) =>
          sign('sha512', bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }),
      ],
      ['bare', (bytes, key) => encryptPrivately(hash('sha256', bytes, 'buffer'), key)],
      ['bare hex', (bytes, key) => encryptPrivately(Buffer.from(hash('sha256', bytes)), key)],
      ['bare base64', (bytes, key) => encryptPrivately(Buffer.from(hash('sha256', bytes, 'base64')), key)],
      [
        'info twice',
        (bytes, key) =>
          sign(
            'sha256',
            Buffer.concat([
              Buffer.from('3031300d060960864801650304020105000420', 'hex'),
              hash('sha256', bytes, 'buffer'),
            ]),
            key,
          ),
      ],
      [
        'info of hex',
        (bytes, key) =>
          encryptPrivately(
            Buffer.concat([
              Buffer.from('3051300d060960864801650304020105000440', 'hex'),
              Buffer.from(hash('sha256', bytes)),
            ]),
            key,
          ),
        'signature_of_hex_hash signature_no_digest_info',
      ],
    ],
  ),
  ...slips<Program['sign']>(
    'other algorithm',
    'signature_hash_only signature_other_kind',
    (program, change) => {
      program.sign = change;
    },
    [
      ['hmac', (bytes) => createHmac('sha256', 'secret').update(bytes).digest()],
      ['hmac512', (bytes) => createHmac('sha512', 'secret').update(bytes).digest()],
      ['hash', (bytes) => hash('sha256', bytes, 'buffer')],
      ['hash hex', (bytes) => Buffer.from(hash('sha256', bytes))],
      ['ecdsa', (bytes) => sign('sha256', bytes, ec)],
      ['ecdsa raw', (bytes) => sign('sha256', bytes, { key: ec, dsaEncoding: 'ieee-p1363' })],
      ['ecdsa 384', (bytes) => sign('sha384', bytes, ec384)],
      ['ed25519', (bytes) => sign(null, bytes, ed)],
      ['ec 521 raw', (bytes) => sign('sha512', bytes, { key: ec521, dsaEncoding: 'ieee-p1363' })],
    ],
  ),
  ...slips<Program['sign']>(
    'stranger',
    'key_unknown',
    (program, change) => {
      program.sign = change;
    },
    [
      ['2048', (bytes) => sign('sha256', bytes, stranger)],
      ['1024', (bytes) => sign('sha256', bytes, small)],
    ],
  ),
  ...slips<string>(
    'key',
    'key_of_other_client key_revoked key_retired key_of_other_environment keyid_of_other_client',
    (program, name) => after(program, 'key', () => name),
    [
      ['retired', 'retired'],
      ['revoked', 'revoked'],
      ['sandbox', 'sandbox'],
      ['other', 'rsa-3072-a'],
      ['other still', 'rsa-2048-a'],
    ],
  ),
  ...slips<(id: string) => string>(
    'keyid',
    'keyid_unknown keyid_is_name keyid_of_other_client key_of_other_client',
    (program, change) => after(program, 'keyid', change),
    [
      ['cut', (id) => id.slice(0, -3)],
      ['upper', (id) => id.toUpperCase()],
      ['undefined', () => 'undefined'],
      ['name', () => 'Acme Webshop'],
      ['braces', (id) => `{${id}}`],
      ['space', (id) => `${id} `],
      ['without prefix', (id) => id.replace('client_', '')],
      ['test', () => 'my-key-id'],
    ],
  ),
  ...slips<(signature: Buffer) => string>(
    'signature',
    'signature_base64url signature_double_base64 signature_hex signature_url_encoded signature_line_breaks signature_truncated signature_reversed signature_form signature_escaped signature_printed signature_plus_lost signature_other_kind',
    (program, write) => {
      program.signatureText = write;
    },
    [
      ['base64url', (signature) => signature.toString('base64url')],
      ['no padding', (signature) => signature.toString('base64').replace(/=+$/, '')],
      ['hex', (signature) => signature.toString('hex')],
      ['HEX', (signature) => signature.toString('hex').toUpperCase()],
      ['hex colons', (signature) => signature.toString('hex').replace(/..(?=.)/g, '$&:')],
      ['hex spaces', (signature) => signature.toString('hex').replace(/..(?=.)/g, '$& ')],
      [
        'hex dashes',
        (signature) =>
          signature
            .toString('hex')
            .toUpperCase()
            .replace(/..(?=.)/g, '$&-'),
      ],
      ['0x', (signature) => `0x${signature.toString('hex')}`],
      ['double', (signature) => Buffer.from(signature.toString('base64')).toString('base64')],
      [
        'double with newline',
        (signature) =>
          Buffer.from(`${signature.toString('base64').replace(/.{76}/g, '$&\n')}\n`).toString('base64'),
      ],
      [
        'triple',
        (signature) =>
          Buffer.from(Buffer.from(signature.toString('base64')).toString('base64')).toString('base64'),
      ],
      ['hex in base64', (signature) => Buffer.from(signature.toString('hex')).toString('base64')],
      ['percent', (signature) => encodeURIComponent(signature.toString('base64'))],
      ['percent twice', (signature) => encodeURIComponent(encodeURIComponent(signature.toString('base64')))],
      ['breaks', (signature) => signature.toString('base64').replace(/.{76}/g, '$& ')],
      ['breaks \\n', (signature) => signature.toString('base64').replace(/.{76}/g, '$&\\n')],
      ['breaks \\r\\n', (signature) => signature.toString('base64').replace(/.{76}/g, '$&\\r\\n')],
      ['slashes', (signature) => signature.toString('base64').replaceAll('/', '\\/')],
      ['spaces for +', (signature) => signature.toString('base64').replaceAll('+', ' ')],
      [
        '\\u002b',
        (signature) => signature.toString('base64').replaceAll('+', '\\u002b').replaceAll('=', '\\u003d'),
      ],
      [
        '&#43;',
        (signature) => signature.toString('base64').replaceAll('+', '&#43;').replaceAll('=', '&#61;'),
      ],
      ['bytes repr', (signature) => `b'${signature.toString('base64')}'`],
      ['quoted', (signature) => `"${signature.toString('base64')}"`],
      ['list', (signature) => `[${signature.toString('base64')}]`],
      ['decimal list', (signature) => `[${[...signature].join(', ')}]`],
      ['decimal', (signature) => [...signature].join(',')],
      ['java bytes', (signature) => `[${[...new Int8Array(signature)].join(', ')}]`],
      ['Buffer JSON', (signature) => JSON.stringify(signature)],
      ['truncated', (signature) => signature.toString('base64').slice(0, 255)],
      ['first lost', (signature) => signature.toString('base64').slice(1)],
      ['last lost', (signature) => signature.toString('base64').slice(0, -3)],
      ['reversed', (signature) => signature.toReversed().toString()],
      ['reversed bytes', (signature) => Buffer.from(signature.toReversed()).toString('base64')],
      [
        'pem',
        (signature) => `-----BEGIN SIGNATURE----- ${signature.toString('base64')} -----END SIGNATURE-----`,
      ],
      ['data url', (signature) => `data:application/octet-stream;base64,${signature.toString('base64')}`],
      ['Optional', (signature) => `Optional("${signature.toString('base64')}")`],
      ['lower', (signature) => signature.toString('base64').toLowerCase()],
      ['newline', (signature) => `${signature.toString('base64')}\\n`],
      ['undefined', () => 'undefined'],
      ['None', () => 'None'],
      ['empty', () => ''],
      ['jws', (signature) => `eyJhbGciOiJSUzI1NiJ9..${signature.toString('base64url')}`],
      ['padded', (signature) => `${signature.toString('base64')}==`],
      ['=3D', (signature) => signature.toString('base64').replace(/=/g, '=3D')],
      ['utf8 mangled', (signature) => Buffer.from(signature.toString('latin1')).toString('base64')],
      ['utf8 replaced', (signature) => Buffer.from(signature.toString('utf8')).toString('base64')],
    ],
  ),
  ...slips<(text: string) => string>(
    'signature header',
    'signature_form signature_label header_repeated',
    (program, write) => {
      program.signatureHeader = write;
    },
    [
      ['no colons', (text) => `sig=${text}`],
      ['quotes', (text) => `sig="${text}"`],
      ['sig1', (text) => `sig1=:${text}:`],
      ['bare', (text) => text],
      ['colon bare', (text) => `:${text}:`],
      ['spaces', (text) => `sig = :${text}:`],
      ['semicolon', (text) => `sig=:${text}:;`],
      ['one colon', (text) => `sig=:${text}`],
      ['JSON', (text) => `{"sig":"${text}"}`],
      ['quoted whole', (text) => `"sig=:${text}:"`],
      ['double equals', (text) => `sig==:${text}:`],
      ['keyed', (text) => `sha256=${text}`],
      ['twice', (text) => `sig=:${text}:, sig=:${text}:`],
      ['Bearer', (text) => `Signature sig=:${text}:`],
    ],
  ),
  ...slips<(text: string) => string>(
    'input header',
    'signature_input_format signature_label parameter_form header_repeated',
    (program, write) => {
      program.inputHeader = write;
    },
    [
      ['sig1', (text) => `sig1=${text}`],
      ['escaped quotes', (text) => `sig=${text.replaceAll('"', '\\"')}`],
      ['&quot;', (text) => `sig=${text.replaceAll('"', '&quot;')}`],
      ['single quotes', (text) => `sig=${text.replaceAll('"', "'")}`],
      ['no quotes', (text) => `sig=${text.replaceAll('"', '')}`],
      ['curly', (text) => `sig=${text.replaceAll('"', '\u00e2\u0080\u009d')}`],
      ['percent', (text) => encodeURIComponent(`sig=${text}`)],
      ['quoted whole', (text) => `"sig=${text}"`],
      ['single quoted whole', (text) => `'sig=${text}'`],
      ['spaces', (text) => `sig=${text.replaceAll(';', '; ')}`],
      ['commas', (text) => `sig=${text.replaceAll(';', ', ')}`],
      ['no label', (text) => text],
      ['colon', (text) => `sig: ${text}`],
      ['trailing semicolon', (text) => `sig=${text};`],
      ['commas in list', (text) => `sig=${text.replaceAll('" "', '", "')}`],
      ['brackets', (text) => `sig=${text.replace('(', '[').replace(')', ']')}`],
      ['two', (text) => `sig=${text}, sig=${text}`],
      ['base64', (text) => Buffer.from(`sig=${text}`).toString('base64')],
      ['JSON', (text) => JSON.stringify(`sig=${text}`)],
      ['upper SIG', (text) => `SIG=${text}`],
    ],
  ),
];

const rename =
  (from: string, to: string) =>
  (headers: readonly Line[]): readonly Line[] =>
    headers.map(([name, value]) => [name === from ? to : name, value]);
const ways: readonly FreshSlip[] = [
  ...slips<(headers: readonly Line[]) => readonly Line[]>(
    'headers',
    'header_missing header_stripped header_repeated header_folded header_renamed header_changed',
    (program, change) => after(program, 'headers', change),
    [
      ['no date', without('Date')],
      ['no digest', without('Content-Digest')],
      ['no input', without('Signature-Input')],
      ['no signature', without('Signature')],
      ['X-Signature', rename('Signature', 'X-Signature')],
      ['X-Signature-Input', rename('Signature-Input', 'X-Signature-Input')],
      ['Signature_Input', rename('Signature-Input', 'Signature_Input')],
      ['X-Date', rename('Date', 'X-Date')],
      ['Digest', rename('Content-Digest', 'Digest')],
      ['signature twice', (headers) => [...headers, headers.find(([name]) => name === 'Signature')!]],
      ['date twice', (headers) => [...headers, headers.find(([name]) => name === 'Date')!]],
      [
        'two dates',
        (headers) => [...headers, lineOf('Date', 'Thu, 01 Jan 2026 00:00:00 GMT')],
        'header_repeated',
      ],
      [
        'date joined',
        (headers) => headers.map(([name, value]) => [name, name === 'Date' ? `${value}, ${value}` : value]),
      ],
      [
        'folded',
        (headers) =>
          headers.map(([name, value]) => [
            name,
            name === 'Signature-Input' ? value.replace(';', ';\r\n ') : value,
          ]),
      ],
      [
        'swapped',
        (headers) =>
          headers.map(([name, value]) => [
            name === 'Signature' ? 'Signature-Input' : name === 'Signature-Input' ? 'Signature' : name,
            value,
          ]),
        'header_swapped header_renamed signature_input_format',
      ],
      [
        'joined in one',
        (headers) => [
          ...headers.filter(([name]) => !name.startsWith('Signature')),
          lineOf(
            'Signature',
            headers
              .filter(([name]) => name.startsWith('Signature'))
              .map(([, value]) => value)
              .join(', '),
          ),
        ],
        'header_joined header_missing header_swapped signature_input_format',
      ],
      [
        'input cut',
        (headers) =>
          headers.map(([name, value]) => [name, name === 'Signature-Input' ? value.slice(0, 128) : value]),
        'signature_input_format parameter_missing header_changed',
      ],
      [
        'date by proxy',
        (headers) =>
          headers.map(([name, value]) => [
            name,
            name === 'Date' ? new Date(Date.parse(value) + 1000).toUTCString() : value,
          ]),
        'date_read_twice base_other_date',
      ],
    ],
  ),
];

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const ec384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const ec521 = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
const ed = generateKeyPairSync('ed25519').privateKey;
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;

export const baseSlips: readonly FreshSlip[] = [...dates, ...parameters, ...structures, ...signing, ...ways];
