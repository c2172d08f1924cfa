/** What is known about a kind of finding, whatever the request. */
export interface FindingTexts {
  readonly title: string;
  /** What is wrong. */
  readonly cause: string;
  /** How to fix it. */
  readonly mend: string;
  /** How it should be and how it was, on one line each. Escapes such as `\n` stand for the characters they name. */
  readonly example: readonly [right: string, wrong: string];
  /** The section of the troubleshooting guide, if the start of the code does not tell. */
  readonly topic?: string;
  /** Set if only a key can show it: left out of explanations made without one. */
  readonly needsKey?: boolean;
  /** Set if it reveals something about a key although its code does not start with `key`. */
  readonly tellsOfKeys?: boolean;
}

/** The stable name of a kind of finding. */
export type FindingCode = keyof typeof findings;

/**
 * Everything an explanation can find. Codes are part of the API and never change. The sentences have no full stop,
 * because a request's values may follow after a colon.
 */
export const findings = {
  // URL.
  url_scheme: {
    title: 'The scheme of the URL',
    cause: 'The URL was signed with another scheme',
    mend: 'Sign the URL as it is called, with its scheme',
    example: ['https://api.example.com/v1/payments', 'http://api.example.com/v1/payments'],
  },
  url_host_port: {
    title: 'The port of the URL',
    cause: 'The URL was signed with another port',
    mend: "Sign the host as the service knows it, with a port only where the service's URL has one",
    example: ['https://api.example.com/v1/payments', 'https://api.example.com:443/v1/payments'],
  },
  url_host_case: {
    title: 'Upper case in the host',
    cause: 'The host was signed in other upper and lower case',
    mend: "Sign the host in the form that the service's URL has, in lower case",
    example: ['https://api.example.com/v1', 'https://API.Example.com/v1'],
  },
  url_host_unicode: {
    title: 'A Unicode host',
    cause: 'The host was signed in Unicode, and the request names it in Punycode',
    mend: 'Convert the host to its Punycode form before signing',
    example: ['https://api.xn--mnchen-3ya.example/', 'https://api.münchen.example/'],
  },
  url_other_host: {
    title: 'Another host',
    cause: 'The URL was signed with another host',
    mend: 'Sign the URL with the host that the request is sent to',
    example: ['https://api.example.com/v1', 'https://api-test.example.com/v1'],
  },
  url_internal_host: {
    title: 'An internal host',
    cause: 'The URL was signed with the internal host behind the proxy',
    mend: 'Sign the public URL of the service',
    example: ['https://api.example.com/v1', 'http://10.0.3.7:8080/v1'],
  },
  url_no_query: {
    title: 'No query',
    cause: 'The URL was signed without its query',
    mend: 'Sign the whole URL with its query',
    example: ['https://api.example.com/v1/payments?limit=20', 'https://api.example.com/v1/payments'],
  },
  url_query_order: {
    title: 'The order of the query',
    cause: 'The parameters of the query were signed in another order',
    mend: 'Sign the query exactly as it is sent; do not sort it',
    example: ['/v1/payments?state=open&limit=20', '/v1/payments?limit=20&state=open'],
  },
  url_query_encoding: {
    title: 'The encoding of the query',
    cause: 'The query was signed in another percent-encoding',
    mend: 'Encode the URL once, then sign and send that one text',
    example: ['/v1/payments?ref=a%20b', '/v1/payments?ref=a+b'],
  },
  url_query_part: {
    title: 'A parameter of the query',
    cause: 'The query was signed with other parameters',
    mend: 'Sign the query exactly as it is sent',
    example: ['/v1/payments?state=open&limit=20', '/v1/payments?state=open'],
  },
  url_trailing_slash: {
    title: 'The slash at the end',
    cause: 'The slash at the end of the path differs',
    mend: 'Sign the path exactly as it is sent, with or without the last slash',
    example: ['https://api.example.com/v1/payments', 'https://api.example.com/v1/payments/'],
  },
  url_double_slash: {
    title: 'A doubled slash',
    cause: 'The path was signed with a doubled slash in another place',
    mend: 'Join base URL and path with exactly one slash',
    example: ['https://api.example.com/v1/payments', 'https://api.example.com//v1/payments'],
  },
  url_dot_segments: {
    title: 'Dot segments',
    cause: 'The path was signed with dot segments that the request does not have',
    mend: 'Resolve `.` and `..` before signing, and send what was signed',
    example: ['https://api.example.com/v1/payments', 'https://api.example.com/v1/x/../payments'],
  },
  url_path_only: {
    title: 'Only the path',
    cause: 'The path was signed in place of the whole URL',
    mend: 'Sign the full URL with scheme and host',
    example: ['https://api.example.com/v1/payments', '/v1/payments'],
  },
  url_path_prefix: {
    title: 'The prefix of the path',
    cause: 'The path was signed with another prefix',
    mend: 'Sign the URL as it is called, with the prefix that the public URL has',
    example: ['https://api.example.com/v1/payments', 'https://api.example.com/api/v1/payments'],
  },
  url_path_encoding: {
    title: 'The encoding of the path',
    cause: 'The path was signed in another encoding',
    mend: 'Encode the path once, then sign and send that one text',
    example: ['/v1/customers/Z%C3%BCrich', '/v1/customers/Zürich'],
  },
  url_fragment: {
    title: 'A fragment',
    cause: 'The URL was signed with a fragment, which is never sent',
    mend: 'Take off `#` and what follows before signing',
    example: ['https://api.example.com/v1/payments', 'https://api.example.com/v1/payments#list'],
  },
  url_trailing_question_mark: {
    title: 'A lone question mark',
    cause: 'The question mark at the end of the URL differs',
    mend: 'Sign the URL exactly as it is sent: no `?` without a query',
    example: ['https://api.example.com/v1/payments', 'https://api.example.com/v1/payments?'],
  },
  // Method.
  method_case: {
    title: 'The case of the method',
    cause: 'The method was signed in other upper and lower case',
    mend: 'Sign the method in upper case',
    example: ['"@method": POST', '"@method": post'],
  },
  method_other: {
    title: 'Another method',
    cause: 'Another method was signed than was sent',
    mend: 'Sign the method of the request line',
    example: ['"@method": DELETE', '"@method": POST'],
  },
  method_head_as_get: {
    title: 'HEAD and GET',
    cause: 'HEAD and GET were taken for each other',
    mend: 'Sign the method that is sent; HEAD is not GET',
    example: ['"@method": HEAD', '"@method": GET'],
  },
  // Body.
  body_json_whitespace: {
    title: 'The layout of the JSON',
    cause: 'The digest is of the same JSON in another layout',
    mend: 'Serialise the body once, then hash and send those bytes',
    example: ['{"a":1}', '{\\n  "a": 1\\n}'],
  },
  body_json_key_order: {
    title: "The order of the JSON's members",
    cause: 'The digest is of the same JSON with its members in another order',
    mend: 'Serialise the body once, then hash and send those bytes',
    example: ['{"b":1,"a":2}', '{"a":2,"b":1}'],
  },
  body_json_escapes: {
    title: 'Escapes in the JSON',
    cause: 'The digest is of the same JSON with its characters escaped otherwise',
    mend: 'Serialise the body once, then hash and send those bytes',
    example: ['{"name":"Zoë","link":"/a"}', '{"name":"Zo\\u00eb","link":"\\/a"}'],
  },
  body_json_separators: {
    title: 'Separators in the JSON',
    cause: 'The digest is of the same JSON with other spaces after commas and colons',
    mend: 'Serialise the body once, then hash and send those bytes',
    example: ['{"a":1,"b":2}', '{"a": 1, "b": 2}'],
  },
  body_json_numbers: {
    title: 'Numbers in the JSON',
    cause: 'The digest is of the same JSON with its numbers written otherwise',
    mend: 'Serialise the body once, then hash and send those bytes',
    example: ['{"amount":1250}', '{"amount":1250.0}'],
  },
  body_json_twice: {
    title: 'JSON in JSON',
    cause: 'The digest is of the JSON serialised twice',
    mend: 'Serialise the body once, then hash and send those bytes',
    example: ['{"a":1}', '"{\\"a\\":1}"'],
  },
  body_python_repr: {
    title: 'A Python value',
    cause: 'The digest is of the printed form of an object and not of its JSON',
    mend: 'Serialise with json.dumps, then hash and send those bytes',
    example: ['{"paid": true}', "{'paid': True}"],
  },
  body_form_encoded: {
    title: 'Form encoding',
    cause: 'The digest is of the same values in another media type, form and JSON',
    mend: 'Hash the bytes that are sent',
    example: ['amount=1250&currency=EUR', '{"amount":"1250","currency":"EUR"}'],
  },
  body_charset: {
    title: 'The charset of the body',
    cause: 'The digest is of the same text in another charset',
    mend: 'Encode the text once, as UTF-8, then hash and send those bytes',
    example: ['Zoë in UTF-8 (5a 6f c3 ab)', 'Zoë in Latin-1 (5a 6f eb)'],
  },
  body_encoded: {
    title: 'An encoded body',
    cause: 'The digest is of an encoded text of the body',
    mend: 'Hash the bytes that are sent',
    example: ['{"a":1}', 'eyJhIjoxfQ=='],
  },
  body_bom: {
    title: 'A byte order mark',
    cause: 'The digest was made with another byte order mark',
    mend: 'Hash the bytes that are sent, and leave the byte order mark out of both',
    example: ['{"a":1}', 'the bytes ef bb bf, then {"a":1}'],
  },
  body_line_ends: {
    title: 'The line ends of the body',
    cause: 'The digest is of the same text with other line ends',
    mend: 'Open files in binary mode, then hash and send the same bytes',
    example: ['one\\ntwo', 'one\\r\\ntwo'],
  },
  body_trailing_newline: {
    title: 'White space at the end of the body',
    cause: 'The digest is of the same body with other white space at its end',
    mend: 'Hash and send the same bytes; many editors and `echo` add a newline',
    example: ['{"a":1}', '{"a":1}\\n'],
  },
  body_compression: {
    title: 'Compression',
    cause: 'The digest is of the body before or after compression, and not of what was sent',
    mend: 'Compress first, then hash and send those bytes',
    example: ['the gzip bytes that are sent', 'the JSON that they were made of'],
  },
  body_empty: {
    title: 'An empty body',
    cause: 'The digest is of an empty body',
    mend: 'Hash the bytes that are sent; without a body leave Content-Digest out of request and signature',
    example: ['the 54 bytes that are sent', 'no bytes: 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  },
  body_missing: {
    title: 'No body',
    cause: 'A digest is covered, but no body came',
    mend: 'Send the body that was hashed; check that no redirect or proxy drops it',
    example: ['the 54 bytes whose digest is covered', 'Content-Length: 0'],
  },
  body_other: {
    title: 'Another body',
    cause: 'The digest is not that of the body that came, in no form that is known',
    mend: 'Hash the bytes that are sent, as the last step before sending',
    example: ['the bytes of this request', 'the bytes of the request before'],
  },
  digest_hex: {
    title: 'A digest in hex',
    cause: 'The digest is written in hexadecimal',
    mend: 'Write the 32 bytes of the digest in Base64',
    example: ['sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:', 'sha-256=:44136fa355b3678a…:'],
  },
  digest_base64url: {
    title: 'A digest in URL-safe Base64',
    cause: 'The digest is written in the URL-safe alphabet or without padding',
    mend: 'Use standard Base64 with `+`, `/` and padding',
    example: ['sha-256=:…9+hknpT7T8If536DEMBg9hyq/4o=:', 'sha-256=:…9-hknpT7T8If536DEMBg9hyq_4o:'],
  },
  digest_double_base64: {
    title: 'A digest in double Base64',
    cause: 'The digest was encoded in Base64 twice',
    mend: 'Encode the 32 bytes of the digest once',
    example: ['sha-256=:RBNvo1WzZ4oR…=:', 'sha-256=:UkJOdm8xV3paNG9S…:'],
  },
  digest_of_hex: {
    title: 'A digest of a hex text',
    cause: 'The digest was taken as hexadecimal text before it was encoded or hashed again',
    mend: 'Encode the 32 raw bytes of the digest',
    example: ['Base64 of the 32 bytes', 'Base64 of the 64 characters 44136fa3…'],
  },
  digest_sha512: {
    title: 'Another SHA-2',
    cause: 'The digest is not made with SHA-256',
    mend: 'Hash the body with SHA-256',
    example: ['sha-256=:<44 characters>:', 'sha-256=:<88 characters>:'],
  },
  digest_md5: {
    title: 'MD5 or SHA-1',
    cause: 'The digest is made with an old hash function',
    mend: 'Hash the body with SHA-256',
    example: ['sha-256=:<44 characters>:', 'sha-256=:mZFLkyvTelC5g8XnyQrpOw==:'],
  },
  digest_old_form: {
    title: 'The old form of the digest',
    cause: 'The digest has the form of the old Digest header',
    mend: 'Write `sha-256=:<base64>:`',
    example: ['sha-256=:RBNvo1Wz…=:', 'SHA-256=RBNvo1Wz…='],
  },
  digest_no_colons: {
    title: 'A digest without colons',
    cause: 'The digest lacks the colons around its Base64',
    mend: 'Write `sha-256=:<base64>:`',
    example: ['sha-256=:RBNvo1Wz…=:', 'sha-256=RBNvo1Wz…='],
  },
  digest_form: {
    title: 'The form of the digest',
    cause: 'Content-Digest has a form that the profile does not know',
    mend: 'Write exactly `sha-256=:<base64>:`',
    example: ['sha-256=:RBNvo1Wz…=:', 'RBNvo1Wz…='],
  },
  digest_not_covered: {
    title: 'A digest that is not covered',
    cause: 'A body came, but the signature does not cover its digest',
    mend: 'Send Content-Digest and list "content-digest" in the signature whenever there is a body',
    example: ['("@method" "@target-uri" "content-digest" "date")', '("@method" "@target-uri" "date")'],
  },
  digest_changed_after_signing: {
    title: 'A digest that changed',
    cause: 'Content-Digest is another than the one that was signed',
    mend: 'Make the digest first and do not touch it after signing',
    example: ['the digest that is sent', 'the digest of the body before a filter changed it'],
  },
  // Base.
  base_trailing_newline: {
    title: 'A newline at the end of the base',
    cause: 'The signature base was signed with something at its end',
    mend: 'Join the lines with newlines, with none after the last',
    example: ['…alg="rsa-v1_5-sha256"', '…alg="rsa-v1_5-sha256"\\n'],
  },
  base_crlf: {
    title: 'CRLF in the base',
    cause: 'The lines of the signature base were joined with something else than one newline',
    mend: 'Join the lines with a single newline character, 0x0A, on every platform',
    example: ['"@method": GET\\n"@target-uri": …', '"@method": GET\\r\\n"@target-uri": …'],
  },
  base_some_crlf: {
    title: 'Mixed line ends in the base',
    cause: 'Some lines of the signature base end otherwise',
    mend: 'Join all lines with a single newline character, 0x0A',
    example: ['line\\nline\\nline', 'line\\r\\nline\\nline'],
  },
  base_literal_newline: {
    title: 'A backslash in place of a newline',
    cause: 'The lines of the signature base were joined with the two characters backslash and n',
    mend: "Use a string syntax in which the newline is one: double quotes in PHP, $'…' in a shell",
    example: ['lines joined with one character, 0a', 'lines joined with two characters, 5c 6e'],
  },
  base_colon_space: {
    title: 'The space after the colon',
    cause: 'Names and values in the signature base were separated otherwise',
    mend: 'Write each line as `"name": value`, with one space after the colon',
    example: ['"@method": GET', '"@method":GET'],
  },
  base_unquoted_names: {
    title: 'Names without quotes',
    cause: 'The names in the signature base were written otherwise',
    mend: 'Write the names in double quotes and lower case',
    example: ['"@method": GET', '@method: GET'],
  },
  base_name_case: {
    title: 'The case of the names',
    cause: 'The names in the signature base were written in other upper and lower case',
    mend: 'Write the names in lower case',
    example: ['"content-digest": …', '"Content-Digest": …'],
  },
  base_no_signature_params: {
    title: 'No @signature-params line',
    cause: 'The signature base lacks its last line',
    mend: 'End the base with `"@signature-params": ` and the text after `sig=`',
    example: ['…\\n"@signature-params": ("@method" …', '…\\n"date": Thu, 05 Mar 2026 08:41:05 GMT'],
  },
  base_params_rebuilt: {
    title: 'Other parameters in the base',
    cause: 'The parameters were written into the base otherwise than into Signature-Input',
    mend: 'Build the text of the parameters once and use it in both places',
    example: ['(…);created=…;keyid="…";alg="…"', '(…);alg="…";created=…;keyid="…"'],
  },
  base_params_with_label: {
    title: 'The label in the base',
    cause: 'The label was signed along with the parameters',
    mend: 'Sign only the text after `sig=`',
    example: ['"@signature-params": ("@method" …', '"@signature-params": sig=("@method" …'],
  },
  base_params_whole_header: {
    title: 'The whole header in the base',
    cause: 'The header line was signed in place of the parameters',
    mend: 'End the base with `"@signature-params": ` and the text after `sig=`',
    example: ['"@signature-params": ("@method" …', 'Signature-Input: sig=("@method" …'],
  },
  base_component_order: {
    title: 'The order of the components',
    cause: 'The components are in another order',
    mend: 'Use the order "@method", "@target-uri", "content-digest" (with a body), "date"',
    example: ['("@method" "@target-uri" "date")', '("@target-uri" "@method" "date")'],
  },
  base_no_date: {
    title: 'No date',
    cause: 'The signature does not cover Date',
    mend: 'List "date" in Signature-Input and sign its line',
    example: ['("@method" "@target-uri" "date")', '("@method" "@target-uri")'],
  },
  base_no_digest: {
    title: 'No digest line',
    cause: 'The signature base lacks the line of Content-Digest',
    mend: 'Sign the line of Content-Digest whenever it is listed',
    example: ['"content-digest": sha-256=:…:', 'no such line'],
  },
  base_line_left_out: {
    title: 'A line left out',
    cause: 'The signature base lacks a line',
    mend: 'Sign a line for each component of Signature-Input',
    example: ['"@target-uri": https://…', 'no such line'],
  },
  base_extra_component: {
    title: 'A component too many',
    cause: 'The signature covers a component that the profile does not have',
    mend: 'Cover exactly "@method", "@target-uri", "content-digest" (with a body) and "date"',
    example: ['("@method" "@target-uri" "date")', '("@method" "@target-uri" "date" "host")'],
  },
  base_missing_component: {
    title: 'A component is missing',
    cause: 'The signature does not cover what the profile asks for',
    mend: 'Cover exactly "@method", "@target-uri", "content-digest" (with a body) and "date"',
    example: ['("@method" "@target-uri" "date")', '("@method" "date")'],
  },
  base_other_date: {
    title: 'Another date',
    cause: 'Another date was signed than was sent',
    mend: 'Make the Date value once, then sign and send that one text',
    example: ['"date": Thu, 05 Mar 2026 08:41:05 GMT', '"date": Thu, 05 Mar 2026 08:36:40 GMT'],
  },
  base_other_created: {
    title: 'Another created',
    cause: 'Another value of created was signed than was sent',
    mend: 'Read the clock once, and use the text in both places',
    example: ['…;created=1772700065;…', '…;created=1772700064;…'],
  },
  base_created_format: {
    title: 'The form of created in the base',
    cause: 'The value of created was signed in another form',
    mend: 'Build the text of the parameters once and use it in both places',
    example: ['…;created=1772700065;…', '…;created=1772700065123;…'],
  },
  base_value_trimmed: {
    title: 'White space in a value',
    cause: 'A value was signed with other white space',
    mend: 'Sign the values without white space around them',
    example: ['"date": Thu, 05 Mar 2026 08:41:05 GMT', '"date": Thu, 05 Mar 2026 08:41:05 GMT '],
  },
  base_value_case: {
    title: 'The case of a value',
    cause: 'A value was signed in other upper and lower case',
    mend: 'Sign the values exactly as they are sent',
    example: ['"date": Thu, 05 Mar 2026 08:41:05 GMT', '"date": thu, 05 mar 2026 08:41:05 gmt'],
  },
  base_value_empty: {
    title: 'An empty value',
    cause: 'A value was signed empty',
    mend: 'Set the headers before the signature base is built',
    example: ['"content-digest": sha-256=:…:', '"content-digest": '],
  },
  base_charset: {
    title: 'The charset of the base',
    cause: 'The signature base was signed in another charset',
    mend: 'Encode the signature base as UTF-8 (it is ASCII)',
    example: ['one byte for each character', 'UTF-16: two bytes for each character'],
  },
  base_cavage: {
    title: 'The old signing string',
    cause: 'The text that was signed has the form of the old Signature drafts',
    mend: 'Build the signature base of RFC 9421: `"@method": …` and so on',
    example: ['"@method": GET\\n"@target-uri": …', '(request-target): get /v1/payments\\ndate: …'],
  },
  base_request_target: {
    title: 'The request target in place of the URI',
    cause: 'The request target was signed in place of the URI',
    mend: 'Sign `"@target-uri": ` and the full URL',
    example: ['"@target-uri": https://api.example.com/v1', '"@request-target": /v1'],
  },
  base_differs: {
    title: 'Another base',
    cause: 'The base that the caller says it built is what was signed, and it differs',
    mend: 'Compare the two texts where they first differ',
    example: ['the base of the service', 'the base that you printed'],
  },
  base_unrecognised: {
    title: 'An unknown text',
    cause: 'A registered key signed another text than any that was tried',
    mend: 'Compare the base that you sign with the one of the service, byte by byte',
    example: ['the base of the service', 'a text that none of the known mistakes makes'],
    needsKey: true,
  },
  base_claimed_not_signed: {
    title: 'The claimed base was not signed',
    cause: 'The text that is said to be the signature base is not what was signed',
    mend: 'Print the bytes that go into the signing function itself',
    example: ['the text that was signed', 'the text that was logged'],
  },
  // Signature.
  signature_hashed_twice: {
    title: 'Hashed twice',
    cause: 'The base was hashed before it was given to a function that hashes',
    mend: 'Give the base itself to the signing function, which hashes it',
    example: ['sign(base)', 'sign(sha256(base))'],
  },
  signature_of_hex_hash: {
    title: 'The hash in hex',
    cause: 'The hexadecimal text of the hash was signed',
    mend: 'Give the base itself to the signing function, which hashes it',
    example: ['sign(base)', 'sign(hex(sha256(base)))'],
  },
  signature_of_base64_hash: {
    title: 'The hash in Base64',
    cause: 'The Base64 text of the hash was signed',
    mend: 'Give the base itself to the signing function, which hashes it',
    example: ['sign(base)', 'sign(base64(sha256(base)))'],
  },
  signature_pss: {
    title: 'RSA-PSS',
    cause: 'The signature was made with RSA-PSS',
    mend: 'Sign with RSASSA-PKCS1-v1_5 and SHA-256',
    example: ['RSASSA-PKCS1-v1_5', 'RSASSA-PSS'],
  },
  signature_sha1: {
    title: 'SHA-1',
    cause: 'The signature was made with SHA-1',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
    example: ['SHA256withRSA', 'SHA1withRSA'],
  },
  signature_sha384: {
    title: 'SHA-384',
    cause: 'The signature was made with SHA-384',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
    example: ['SHA256withRSA', 'SHA384withRSA'],
  },
  signature_sha512: {
    title: 'SHA-512',
    cause: 'The signature was made with SHA-512',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
    example: ['SHA256withRSA', 'SHA512withRSA'],
  },
  signature_md5: {
    title: 'MD5',
    cause: 'The signature was made with MD5',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
    example: ['SHA256withRSA', 'MD5withRSA'],
  },
  signature_no_digest_info: {
    title: 'No DigestInfo',
    cause: 'The signature lacks the DigestInfo that names the hash function',
    mend: 'Use a function that signs, not one that encrypts with the private key',
    example: ['padding, DigestInfo, hash', 'padding, hash'],
  },
  signature_base64url: {
    title: 'URL-safe Base64',
    cause: 'The signature is written in the URL-safe alphabet or without padding',
    mend: 'Use standard Base64 with `+`, `/` and padding',
    example: ['sig=:ab+c/d…==:', 'sig=:ab-c_d…:'],
  },
  signature_double_base64: {
    title: 'Double Base64',
    cause: 'The signature was encoded in Base64 twice',
    mend: 'Encode the bytes of the signature once',
    example: ['sig=:<344 characters>:', 'sig=:<460 characters>:'],
  },
  signature_hex: {
    title: 'A signature in hex',
    cause: 'The signature is written in hexadecimal',
    mend: 'Write the bytes of the signature in Base64',
    example: ['sig=:ab+c/d…==:', 'sig=:69bf9cfd…:'],
  },
  signature_url_encoded: {
    title: 'A percent-encoded signature',
    cause: 'The signature was percent-encoded',
    mend: 'Write the Base64 as it is into the header',
    example: ['sig=:ab+c/d…==:', 'sig=:ab%2Bc%2Fd…%3D%3D:'],
  },
  signature_line_breaks: {
    title: 'Line breaks in the signature',
    cause: 'The Base64 of the signature has line breaks or white space in it',
    mend: 'Encode without line breaks: `base64 -w0`, NO_WRAP',
    example: ['344 characters in one line', '76 characters, a line break, and so on'],
  },
  signature_truncated: {
    title: 'A truncated signature',
    cause: 'The signature is shorter than any key makes it',
    mend: 'Send the whole signature, and check for columns and variables that cut it off',
    example: ['sig=:<344 characters>:', 'sig=:<255 characters>:'],
    tellsOfKeys: true,
  },
  signature_reversed: {
    title: 'Reversed bytes',
    cause: 'The bytes of the signature are in reversed order',
    mend: "Reverse the signature of Windows' CryptSignHash before encoding it",
    example: ['the first byte first', 'the last byte first'],
  },
  signature_form: {
    title: 'The form of Signature',
    cause: 'The Signature header has another form than `sig=:<base64>:`',
    mend: 'Write `sig=:<base64>:` with both colons',
    example: ['sig=:ab+c/d…==:', 'ab+c/d…=='],
  },
  // Keys.
  key_of_other_client: {
    title: 'The key of another client',
    cause: 'The signature was made with the key of another client',
    mend: 'Sign with the private key that belongs to this clientId',
    example: ['the private key of the client in keyid', 'the private key of a colleague'],
  },
  key_revoked: {
    title: 'A revoked key',
    cause: 'The signature was made with a revoked key',
    mend: 'Sign with the current key',
    example: ['an active key', 'a key that was revoked'],
  },
  key_retired: {
    title: 'A retired key',
    cause: 'The signature was made with a key whose time is over',
    mend: 'Sign with the current key',
    example: ['an active key', 'a key of before the rollover'],
  },
  key_of_other_environment: {
    title: 'A key of another environment',
    cause: 'The signature was made with a key of another environment',
    mend: 'Sign with the key that is registered in the environment that is called',
    example: ['the key of production', 'the key of the sandbox'],
  },
  key_unknown: {
    title: 'An unknown key',
    cause: 'The signature was made with a key that is not registered here',
    mend: 'Register the public half of the key that signs, or sign with the registered one',
    example: ['the pair of a registered public key', 'a key that was made anew'],
    needsKey: true,
  },
  // Parameters and headers.
  keyid_unknown: {
    title: 'An unknown clientId',
    cause: 'No client has this keyid',
    mend: 'Copy the clientId from the list of API keys',
    example: ['keyid="client_01k9xq2v6h4mz7c1r8t0w5n3bd"', 'keyid="client_01k9xq2v6h4mz7"'],
    needsKey: true,
  },
  keyid_of_other_client: {
    title: 'The clientId of another client',
    cause: 'The keyid names another client than the one whose key made the signature',
    mend: 'Use the clientId that the key is registered for',
    example: ['keyid of the client whose key signs', 'keyid of another client'],
  },
  keyid_is_name: {
    title: 'A name in place of the clientId',
    cause: 'The keyid is a name and not a clientId',
    mend: 'Put the clientId into keyid; it is in the list of API keys',
    example: ['keyid="client_01k9xq2v6h4mz7c1r8t0w5n3bd"', 'keyid="My Webshop"'],
  },
  created_milliseconds: {
    title: 'Milliseconds',
    cause: 'The parameter created is in milliseconds',
    mend: 'Divide by 1000 and cut off the fraction',
    example: ['created=1772700065', 'created=1772700065123'],
  },
  created_fraction: {
    title: 'A fraction',
    cause: 'The parameter created has a fraction',
    mend: 'Write created as whole seconds',
    example: ['created=1772700065', 'created=1772700065.123'],
  },
  created_format: {
    title: 'The form of created',
    cause: 'The parameter created is not an integer',
    mend: 'Write created as whole Unix seconds, without quotes',
    example: ['created=1772700065', 'created="1772700065"'],
  },
  clock_off: {
    title: 'A clock that is off',
    cause: 'The clock of the caller is off, or the request was on its way too long',
    mend: 'Set the clock with NTP, and sign immediately before sending',
    example: ['created=1772700065 at 1772700066', 'created=1772699465 at 1772700066'],
  },
  clock_time_zone: {
    title: 'A time zone',
    cause: 'The clock of the caller is off by a time zone',
    mend: 'Take the time in UTC: Unix seconds know no time zone',
    example: ['created=1772700065 at 1772700066', 'created=1772703665 at 1772700066'],
  },
  date_read_twice: {
    title: 'The clock read twice',
    cause: 'Date is another than the one that was signed, by the seconds between two looks at the clock',
    mend: 'Make the Date value once, then sign and send that one text',
    example: ['Date and base: …08:41:05 GMT', 'Date …08:41:06 GMT, base …08:41:05 GMT'],
  },
  date_format: {
    title: 'The form of Date',
    cause: 'Date has another form than the one of HTTP',
    mend: 'Write Date as `Tue, 20 Apr 2021 02:07:55 GMT`',
    example: ['Thu, 05 Mar 2026 08:41:05 GMT', '2026-03-05T08:41:05Z'],
  },
  date_time_zone: {
    title: 'The time zone of Date',
    cause: 'Date is in another time zone',
    mend: 'Write Date in UTC, with GMT at its end',
    example: ['Thu, 05 Mar 2026 08:41:05 GMT', 'Thu, 05 Mar 2026 09:41:05 +0100'],
  },
  date_differs: {
    title: 'Date and created differ',
    cause: 'Date and created are further apart than is allowed',
    mend: 'Take Date and created from one look at the clock',
    example: ['Date and created within 60 s', 'Date 5 minutes behind created'],
  },
  header_missing: {
    title: 'A header is missing',
    cause: 'A header that must be sent did not come',
    mend: 'Send the header',
    example: ['Date, Signature-Input, Signature', 'Signature-Input, Signature'],
  },
  header_stripped: {
    title: 'A header that was taken off',
    cause: 'A header that was signed did not arrive',
    mend: 'Let proxies and HTTP libraries on the way pass the header on',
    example: ['every header that was signed', 'Date was taken off by a proxy'],
  },
  header_repeated: {
    title: 'A repeated header',
    cause: 'A header came more than once',
    mend: 'Set the header once; some libraries add their own',
    example: ['Date: one line', 'Date: two lines'],
  },
  header_folded: {
    title: 'A folded header',
    cause: 'A header is folded over several lines',
    mend: 'Write the header in one line',
    example: [
      'Signature-Input: sig=("@method" "@target-uri" …',
      'Signature-Input: sig=("@method"\\r\\n "@target-uri" …',
    ],
  },
  header_renamed: {
    title: 'A renamed header',
    cause: 'A header came under another name',
    mend: 'Send the header under its own name',
    example: ['Signature-Input: …', 'X-Signature-Input: …'],
  },
  signature_label: {
    title: 'Another label',
    cause: 'The signature has another label',
    mend: 'Use the label `sig` in both headers, and only one signature',
    example: ['Signature: sig=:…:', 'Signature: sig1=:…:'],
    topic: 'headers',
  },
  signature_input_format: {
    title: 'The form of Signature-Input',
    cause: 'Signature-Input has another form than the profile asks for',
    mend: 'Write it as `sig=("@method" …);created=…;keyid="…";alg="rsa-v1_5-sha256"`',
    example: ['sig=("@method" "@target-uri" "date");created=…', 'sig=(@method @target-uri date), created=…'],
    topic: 'headers',
  },
  parameter_missing: {
    title: 'A parameter is missing',
    cause: 'Signature-Input lacks a parameter',
    mend: 'Send created, keyid and alg',
    example: [';created=…;keyid="…";alg="…"', ';created=…;keyid="…"'],
  },
  parameter_unknown: {
    title: 'A parameter too many',
    cause: 'Signature-Input has a parameter that the profile does not have',
    mend: 'Send exactly created, keyid and alg',
    example: [';created=…;keyid="…";alg="…"', ';created=…;keyid="…";alg="…";tag="x"'],
  },
  algorithm_other: {
    title: 'Another algorithm',
    cause: 'The parameter alg names another algorithm',
    mend: 'Write alg="rsa-v1_5-sha256"',
    example: ['alg="rsa-v1_5-sha256"', 'alg="rsa-sha256"'],
  },
  cavage_authorization: {
    title: 'The old Authorization header',
    cause: 'The signature came in the form of the old Signature drafts',
    mend: 'Send Signature-Input and Signature as RFC 9421 has them',
    example: ['Signature-Input: …\\r\\nSignature: …', 'Authorization: Signature keyId="…",signature="…"'],
  },
  request_malformed: {
    title: 'A malformed request',
    cause: 'The method or the URL is not what HTTP allows',
    mend: 'Send an absolute URL in visible ASCII without fragment, and a method',
    example: ['https://api.example.com/v1', 'https://api.example.com/v1#top'],
  },
  request_replayed: {
    title: 'A used signature',
    cause: 'The signature is valid, but it was used before',
    mend: 'Sign each request anew, each attempt of it too',
    example: ['a new signature for each attempt', 'the same headers again'],
  },
} as const;
