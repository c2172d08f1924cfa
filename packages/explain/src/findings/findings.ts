import type { Certainty, Evidence, Finding } from '../explanation.ts';

/**
 * Everything that an explanation can find, each with what it is called, what it means in general and what to do. The
 * sentences have no full stop: the values of a request may follow a colon. A code is part of the API and never renamed.
 */
export const findings = {
  // URL.
  url_scheme: {
    title: 'The scheme of the URL',
    cause: 'The URL was signed with another scheme',
    mend: 'Sign the URL as it is called, with its scheme',
  },
  url_host_port: {
    title: 'The port of the URL',
    cause: 'The URL was signed with another port',
    mend: "Sign the host as the service knows it, with a port only where the service's URL has one",
  },
  url_host_case: {
    title: 'Upper case in the host',
    cause: 'The host was signed in other upper and lower case',
    mend: "Sign the host in the form that the service's URL has, in lower case",
  },
  url_host_unicode: {
    title: 'A Unicode host',
    cause: 'The host was signed in Unicode, and the request names it in Punycode',
    mend: 'Convert the host to its Punycode form before signing',
  },
  url_other_host: {
    title: 'Another host',
    cause: 'The URL was signed with another host',
    mend: 'Sign the URL with the host that the request is sent to',
  },
  url_internal_host: {
    title: 'An internal host',
    cause: 'The URL was signed with the internal host behind the proxy',
    mend: 'Sign the public URL of the service',
  },
  url_no_query: {
    title: 'No query',
    cause: 'The URL was signed without its query',
    mend: 'Sign the whole URL with its query',
  },
  url_query_order: {
    title: 'The order of the query',
    cause: 'The parameters of the query were signed in another order',
    mend: 'Sign the query exactly as it is sent; do not sort it',
  },
  url_query_encoding: {
    title: 'The encoding of the query',
    cause: 'The query was signed in another percent-encoding',
    mend: 'Encode the URL once, then sign and send that one text',
  },
  url_query_part: {
    title: 'A parameter of the query',
    cause: 'The query was signed with other parameters',
    mend: 'Sign the query exactly as it is sent',
  },
  url_trailing_slash: {
    title: 'The slash at the end',
    cause: 'The slash at the end of the path differs',
    mend: 'Sign the path exactly as it is sent, with or without the last slash',
  },
  url_double_slash: {
    title: 'A doubled slash',
    cause: 'The path was signed with a doubled slash in another place',
    mend: 'Join base URL and path with exactly one slash',
  },
  url_dot_segments: {
    title: 'Dot segments',
    cause: 'The path was signed with dot segments that the request does not have',
    mend: 'Resolve `.` and `..` before signing, and send what was signed',
  },
  url_path_only: {
    title: 'Only the path',
    cause: 'The path was signed in place of the whole URL',
    mend: 'Sign the full URL with scheme and host',
  },
  url_path_prefix: {
    title: 'The prefix of the path',
    cause: 'The path was signed with another prefix',
    mend: 'Sign the URL as it is called, with the prefix that the public URL has',
  },
  url_path_encoding: {
    title: 'The encoding of the path',
    cause: 'The path was signed in another encoding',
    mend: 'Encode the path once, then sign and send that one text',
  },
  url_fragment: {
    title: 'A fragment',
    cause: 'The URL was signed with a fragment, which is never sent',
    mend: 'Take off `#` and what follows before signing',
  },
  url_trailing_question_mark: {
    title: 'A lone question mark',
    cause: 'The question mark at the end of the URL differs',
    mend: 'Sign the URL exactly as it is sent: no `?` without a query',
  },
  // Method.
  method_case: {
    title: 'The case of the method',
    cause: 'The method was signed in other upper and lower case',
    mend: 'Sign the method in upper case',
  },
  method_other: {
    title: 'Another method',
    cause: 'Another method was signed than was sent',
    mend: 'Sign the method of the request line',
  },
  method_head_as_get: {
    title: 'HEAD and GET',
    cause: 'HEAD and GET were taken for each other',
    mend: 'Sign the method that is sent; HEAD is not GET',
  },
  // Body.
  body_json_whitespace: {
    title: 'The layout of the JSON',
    cause: 'The digest is of the same JSON in another layout',
    mend: 'Serialise the body once, then hash and send those bytes',
  },
  body_json_key_order: {
    title: "The order of the JSON's members",
    cause: 'The digest is of the same JSON with its members in another order',
    mend: 'Serialise the body once, then hash and send those bytes',
  },
  body_json_escapes: {
    title: 'Escapes in the JSON',
    cause: 'The digest is of the same JSON with its characters escaped otherwise',
    mend: 'Serialise the body once, then hash and send those bytes',
  },
  body_json_separators: {
    title: 'Separators in the JSON',
    cause: 'The digest is of the same JSON with other spaces after commas and colons',
    mend: 'Serialise the body once, then hash and send those bytes',
  },
  body_json_numbers: {
    title: 'Numbers in the JSON',
    cause: 'The digest is of the same JSON with its numbers written otherwise',
    mend: 'Serialise the body once, then hash and send those bytes',
  },
  body_json_twice: {
    title: 'JSON in JSON',
    cause: 'The digest is of the JSON serialised twice',
    mend: 'Serialise the body once, then hash and send those bytes',
  },
  body_python_repr: {
    title: 'A Python value',
    cause: 'The digest is of the printed form of an object and not of its JSON',
    mend: 'Serialise with json.dumps, then hash and send those bytes',
  },
  body_form_encoded: {
    title: 'Form encoding',
    cause: 'The digest is of the same values in another media type, form and JSON',
    mend: 'Hash the bytes that are sent',
  },
  body_charset: {
    title: 'The charset of the body',
    cause: 'The digest is of the same text in another charset',
    mend: 'Encode the text once, as UTF-8, then hash and send those bytes',
  },
  body_encoded: {
    title: 'An encoded body',
    cause: 'The digest is of an encoded text of the body',
    mend: 'Hash the bytes that are sent',
  },
  body_bom: {
    title: 'A byte order mark',
    cause: 'The digest was made with another byte order mark',
    mend: 'Hash the bytes that are sent, and leave the byte order mark out of both',
  },
  body_line_ends: {
    title: 'The line ends of the body',
    cause: 'The digest is of the same text with other line ends',
    mend: 'Open files in binary mode, then hash and send the same bytes',
  },
  body_trailing_newline: {
    title: 'White space at the end of the body',
    cause: 'The digest is of the same body with other white space at its end',
    mend: 'Hash and send the same bytes; many editors and `echo` add a newline',
  },
  body_compression: {
    title: 'Compression',
    cause: 'The digest is of the body before or after compression, and not of what was sent',
    mend: 'Compress first, then hash and send those bytes',
  },
  body_empty: {
    title: 'An empty body',
    cause: 'The digest is of an empty body',
    mend: 'Hash the bytes that are sent; without a body leave Content-Digest out of request and signature',
  },
  body_missing: {
    title: 'No body',
    cause: 'A digest is covered, but no body came',
    mend: 'Send the body that was hashed; check that no redirect or proxy drops it',
  },
  body_other: {
    title: 'Another body',
    cause: 'The digest is not that of the body that came, in no form that is known',
    mend: 'Hash the bytes that are sent, as the last step before sending',
  },
  digest_hex: {
    title: 'A digest in hex',
    cause: 'The digest is written in hexadecimal',
    mend: 'Write the 32 bytes of the digest in Base64',
  },
  digest_base64url: {
    title: 'A digest in URL-safe Base64',
    cause: 'The digest is written in the URL-safe alphabet or without padding',
    mend: 'Use standard Base64 with `+`, `/` and padding',
  },
  digest_double_base64: {
    title: 'A digest in double Base64',
    cause: 'The digest was encoded in Base64 twice',
    mend: 'Encode the 32 bytes of the digest once',
  },
  digest_of_hex: {
    title: 'A digest of a hex text',
    cause: 'The digest was taken as hexadecimal text before it was encoded or hashed again',
    mend: 'Encode the 32 raw bytes of the digest',
  },
  digest_sha512: {
    title: 'Another SHA-2',
    cause: 'The digest is not made with SHA-256',
    mend: 'Hash the body with SHA-256',
  },
  digest_md5: {
    title: 'MD5 or SHA-1',
    cause: 'The digest is made with an old hash function',
    mend: 'Hash the body with SHA-256',
  },
  digest_old_form: {
    title: 'The old form of the digest',
    cause: 'The digest has the form of the old Digest header',
    mend: 'Write `sha-256=:<base64>:`',
  },
  digest_no_colons: {
    title: 'A digest without colons',
    cause: 'The digest lacks the colons around its Base64',
    mend: 'Write `sha-256=:<base64>:`',
  },
  digest_form: {
    title: 'The form of the digest',
    cause: 'Content-Digest has a form that the profile does not know',
    mend: 'Write exactly `sha-256=:<base64>:`',
  },
  digest_not_covered: {
    title: 'A digest that is not covered',
    cause: 'A body came, but the signature does not cover its digest',
    mend: 'Send Content-Digest and list "content-digest" in the signature whenever there is a body',
  },
  digest_changed_after_signing: {
    title: 'A digest that changed',
    cause: 'Content-Digest is another than the one that was signed',
    mend: 'Make the digest first and do not touch it after signing',
  },
  // Base.
  base_trailing_newline: {
    title: 'A newline at the end of the base',
    cause: 'The signature base was signed with something at its end',
    mend: 'Join the lines with newlines, with none after the last',
  },
  base_crlf: {
    title: 'CRLF in the base',
    cause: 'The lines of the signature base were joined with something else than one newline',
    mend: 'Join the lines with a single newline character, 0x0A, on every platform',
  },
  base_some_crlf: {
    title: 'Mixed line ends in the base',
    cause: 'Some lines of the signature base end otherwise',
    mend: 'Join all lines with a single newline character, 0x0A',
  },
  base_literal_newline: {
    title: 'A backslash in place of a newline',
    cause: 'The lines of the signature base were joined with the two characters backslash and n',
    mend: "Use a string syntax in which the newline is one: double quotes in PHP, $'…' in a shell",
  },
  base_colon_space: {
    title: 'The space after the colon',
    cause: 'Names and values in the signature base were separated otherwise',
    mend: 'Write each line as `"name": value`, with one space after the colon',
  },
  base_unquoted_names: {
    title: 'Names without quotes',
    cause: 'The names in the signature base were written otherwise',
    mend: 'Write the names in double quotes and lower case',
  },
  base_name_case: {
    title: 'The case of the names',
    cause: 'The names in the signature base were written in other upper and lower case',
    mend: 'Write the names in lower case',
  },
  base_no_signature_params: {
    title: 'No @signature-params line',
    cause: 'The signature base lacks its last line',
    mend: 'End the base with `"@signature-params": ` and the text after `sig=`',
  },
  base_params_rebuilt: {
    title: 'Other parameters in the base',
    cause: 'The parameters were written into the base otherwise than into Signature-Input',
    mend: 'Build the text of the parameters once and use it in both places',
  },
  base_params_with_label: {
    title: 'The label in the base',
    cause: 'The label was signed along with the parameters',
    mend: 'Sign only the text after `sig=`',
  },
  base_params_whole_header: {
    title: 'The whole header in the base',
    cause: 'The header line was signed in place of the parameters',
    mend: 'End the base with `"@signature-params": ` and the text after `sig=`',
  },
  base_component_order: {
    title: 'The order of the components',
    cause: 'The components are in another order',
    mend: 'Use the order "@method", "@target-uri", "content-digest" (with a body), "date"',
  },
  base_no_date: {
    title: 'No date',
    cause: 'The signature does not cover Date',
    mend: 'List "date" in Signature-Input and sign its line',
  },
  base_no_digest: {
    title: 'No digest line',
    cause: 'The signature base lacks the line of Content-Digest',
    mend: 'Sign the line of Content-Digest whenever it is listed',
  },
  base_line_left_out: {
    title: 'A line left out',
    cause: 'The signature base lacks a line',
    mend: 'Sign a line for each component of Signature-Input',
  },
  base_extra_component: {
    title: 'A component too many',
    cause: 'The signature covers a component that the profile does not have',
    mend: 'Cover exactly "@method", "@target-uri", "content-digest" (with a body) and "date"',
  },
  base_missing_component: {
    title: 'A component is missing',
    cause: 'The signature does not cover what the profile asks for',
    mend: 'Cover exactly "@method", "@target-uri", "content-digest" (with a body) and "date"',
  },
  base_other_date: {
    title: 'Another date',
    cause: 'Another date was signed than was sent',
    mend: 'Make the Date value once, then sign and send that one text',
  },
  base_other_created: {
    title: 'Another created',
    cause: 'Another value of created was signed than was sent',
    mend: 'Read the clock once, and use the text in both places',
  },
  base_created_format: {
    title: 'The form of created in the base',
    cause: 'The value of created was signed in another form',
    mend: 'Build the text of the parameters once and use it in both places',
  },
  base_value_trimmed: {
    title: 'White space in a value',
    cause: 'A value was signed with other white space',
    mend: 'Sign the values without white space around them',
  },
  base_value_case: {
    title: 'The case of a value',
    cause: 'A value was signed in other upper and lower case',
    mend: 'Sign the values exactly as they are sent',
  },
  base_value_empty: {
    title: 'An empty value',
    cause: 'A value was signed empty',
    mend: 'Set the headers before the signature base is built',
  },
  base_charset: {
    title: 'The charset of the base',
    cause: 'The signature base was signed in another charset',
    mend: 'Encode the signature base as UTF-8 (it is ASCII)',
  },
  base_cavage: {
    title: 'The old signing string',
    cause: 'The text that was signed has the form of the old Signature drafts',
    mend: 'Build the signature base of RFC 9421: `"@method": …` and so on',
  },
  base_request_target: {
    title: 'The request target in place of the URI',
    cause: 'The request target was signed in place of the URI',
    mend: 'Sign `"@target-uri": ` and the full URL',
  },
  base_differs: {
    title: 'Another base',
    cause: 'The base that the caller says it built is what was signed, and it differs',
    mend: 'Compare the two texts where they first differ',
  },
  base_unrecognised: {
    title: 'An unknown text',
    cause: 'A registered key signed another text than any that was tried',
    mend: 'Compare the base that you sign with the one of the service, byte by byte',
  },
  base_claimed_not_signed: {
    title: 'The claimed base was not signed',
    cause: 'The text that is said to be the signature base is not what was signed',
    mend: 'Print the bytes that go into the signing function itself',
  },
  // Signature.
  signature_hashed_twice: {
    title: 'Hashed twice',
    cause: 'The base was hashed before it was given to a function that hashes',
    mend: 'Give the base itself to the signing function, which hashes it',
  },
  signature_of_hex_hash: {
    title: 'The hash in hex',
    cause: 'The hexadecimal text of the hash was signed',
    mend: 'Give the base itself to the signing function, which hashes it',
  },
  signature_of_base64_hash: {
    title: 'The hash in Base64',
    cause: 'The Base64 text of the hash was signed',
    mend: 'Give the base itself to the signing function, which hashes it',
  },
  signature_pss: {
    title: 'RSA-PSS',
    cause: 'The signature was made with RSA-PSS',
    mend: 'Sign with RSASSA-PKCS1-v1_5 and SHA-256',
  },
  signature_sha1: {
    title: 'SHA-1',
    cause: 'The signature was made with SHA-1',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
  },
  signature_sha384: {
    title: 'SHA-384',
    cause: 'The signature was made with SHA-384',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
  },
  signature_sha512: {
    title: 'SHA-512',
    cause: 'The signature was made with SHA-512',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
  },
  signature_md5: {
    title: 'MD5',
    cause: 'The signature was made with MD5',
    mend: 'Sign with SHA-256: SHA256withRSA, RSA-SHA256',
  },
  signature_no_digest_info: {
    title: 'No DigestInfo',
    cause: 'The signature lacks the DigestInfo that names the hash function',
    mend: 'Use a function that signs, not one that encrypts with the private key',
  },
  signature_base64url: {
    title: 'URL-safe Base64',
    cause: 'The signature is written in the URL-safe alphabet or without padding',
    mend: 'Use standard Base64 with `+`, `/` and padding',
  },
  signature_double_base64: {
    title: 'Double Base64',
    cause: 'The signature was encoded in Base64 twice',
    mend: 'Encode the bytes of the signature once',
  },
  signature_hex: {
    title: 'A signature in hex',
    cause: 'The signature is written in hexadecimal',
    mend: 'Write the bytes of the signature in Base64',
  },
  signature_url_encoded: {
    title: 'A percent-encoded signature',
    cause: 'The signature was percent-encoded',
    mend: 'Write the Base64 as it is into the header',
  },
  signature_line_breaks: {
    title: 'Line breaks in the signature',
    cause: 'The Base64 of the signature has line breaks or white space in it',
    mend: 'Encode without line breaks: `base64 -w0`, NO_WRAP',
  },
  signature_truncated: {
    title: 'A truncated signature',
    cause: 'The signature is shorter than any key makes it',
    mend: 'Send the whole signature, and check for columns and variables that cut it off',
  },
  signature_reversed: {
    title: 'Reversed bytes',
    cause: 'The bytes of the signature are in reversed order',
    mend: "Reverse the signature of Windows' CryptSignHash before encoding it",
  },
  signature_form: {
    title: 'The form of Signature',
    cause: 'The Signature header has another form than `sig=:<base64>:`',
    mend: 'Write `sig=:<base64>:` with both colons',
  },
  // Keys.
  key_of_other_client: {
    title: 'The key of another client',
    cause: 'The signature was made with the key of another client',
    mend: 'Sign with the private key that belongs to this clientId',
  },
  key_revoked: {
    title: 'A revoked key',
    cause: 'The signature was made with a revoked key',
    mend: 'Sign with the current key',
  },
  key_retired: {
    title: 'A retired key',
    cause: 'The signature was made with a key whose time is over',
    mend: 'Sign with the current key',
  },
  key_of_other_environment: {
    title: 'A key of another environment',
    cause: 'The signature was made with a key of another environment',
    mend: 'Sign with the key that is registered in the environment that is called',
  },
  key_unknown: {
    title: 'An unknown key',
    cause: 'The signature was made with a key that is not registered here',
    mend: 'Register the public half of the key that signs, or sign with the registered one',
  },
  // Parameters and headers.
  keyid_unknown: {
    title: 'An unknown clientId',
    cause: 'No client has this keyid',
    mend: 'Copy the clientId from the list of API keys',
  },
  keyid_of_other_client: {
    title: 'The clientId of another client',
    cause: 'The keyid names another client than the one whose key made the signature',
    mend: 'Use the clientId that the key is registered for',
  },
  keyid_is_name: {
    title: 'A name in place of the clientId',
    cause: 'The keyid is a name and not a clientId',
    mend: 'Put the clientId into keyid; it is in the list of API keys',
  },
  created_milliseconds: {
    title: 'Milliseconds',
    cause: 'The parameter created is in milliseconds',
    mend: 'Divide by 1000 and cut off the fraction',
  },
  created_fraction: {
    title: 'A fraction',
    cause: 'The parameter created has a fraction',
    mend: 'Write created as whole seconds',
  },
  created_format: {
    title: 'The form of created',
    cause: 'The parameter created is not an integer',
    mend: 'Write created as whole Unix seconds, without quotes',
  },
  clock_off: {
    title: 'A clock that is off',
    cause: 'The clock of the caller is off, or the request was on its way too long',
    mend: 'Set the clock with NTP, and sign immediately before sending',
  },
  clock_time_zone: {
    title: 'A time zone',
    cause: 'The clock of the caller is off by a time zone',
    mend: 'Take the time in UTC: Unix seconds know no time zone',
  },
  date_read_twice: {
    title: 'The clock read twice',
    cause: 'Date is another than the one that was signed, by the seconds between two looks at the clock',
    mend: 'Make the Date value once, then sign and send that one text',
  },
  date_format: {
    title: 'The form of Date',
    cause: 'Date has another form than the one of HTTP',
    mend: 'Write Date as `Tue, 20 Apr 2021 02:07:55 GMT`',
  },
  date_time_zone: {
    title: 'The time zone of Date',
    cause: 'Date is in another time zone',
    mend: 'Write Date in UTC, with GMT at its end',
  },
  date_differs: {
    title: 'Date and created differ',
    cause: 'Date and created are further apart than is allowed',
    mend: 'Take Date and created from one look at the clock',
  },
  header_missing: {
    title: 'A header is missing',
    cause: 'A header that must be sent did not come',
    mend: 'Send the header',
  },
  header_stripped: {
    title: 'A header that was taken off',
    cause: 'A header that was signed did not arrive',
    mend: 'Let proxies and HTTP libraries on the way pass the header on',
  },
  header_repeated: {
    title: 'A repeated header',
    cause: 'A header came more than once',
    mend: 'Set the header once; some libraries add their own',
  },
  header_folded: {
    title: 'A folded header',
    cause: 'A header is folded over several lines',
    mend: 'Write the header in one line',
  },
  header_renamed: {
    title: 'A renamed header',
    cause: 'A header came under another name',
    mend: 'Send the header under its own name',
  },
  signature_label: {
    title: 'Another label',
    cause: 'The signature has another label',
    mend: 'Use the label `sig` in both headers, and only one signature',
  },
  signature_input_format: {
    title: 'The form of Signature-Input',
    cause: 'Signature-Input has another form than the profile asks for',
    mend: 'Write it as `sig=("@method" …);created=…;keyid="…";alg="rsa-v1_5-sha256"`',
  },
  parameter_missing: {
    title: 'A parameter is missing',
    cause: 'Signature-Input lacks a parameter',
    mend: 'Send created, keyid and alg',
  },
  parameter_unknown: {
    title: 'A parameter too many',
    cause: 'Signature-Input has a parameter that the profile does not have',
    mend: 'Send exactly created, keyid and alg',
  },
  algorithm_other: {
    title: 'Another algorithm',
    cause: 'The parameter alg names another algorithm',
    mend: 'Write alg="rsa-v1_5-sha256"',
  },
  cavage_authorization: {
    title: 'The old Authorization header',
    cause: 'The signature came in the form of the old Signature drafts',
    mend: 'Send Signature-Input and Signature as RFC 9421 has them',
  },
  request_malformed: {
    title: 'A malformed request',
    cause: 'The method or the URL is not what HTTP allows',
    mend: 'Send an absolute URL in visible ASCII without fragment, and a method',
  },
  request_replayed: {
    title: 'A used signature',
    cause: 'The signature is valid, but it was used before',
    mend: 'Sign each request anew, each attempt of it too',
  },
} as const;

/** What is said about a kind of finding. */
export interface FindingTexts {
  readonly title: string;
  /** What is wrong, in general. */
  readonly cause: string;
  /** What to do, in general. */
  readonly mend: string;
}

/** The stable name of a kind of finding. */
export type FindingCode = keyof typeof findings;

/** Makes a finding from its table entry and the values of a request. */
export function finding(
  code: FindingCode,
  certainty: Certainty,
  more: {
    readonly detail?: string | undefined;
    readonly action?: string;
    readonly evidence?: Evidence | undefined;
  } = {},
): Finding {
  const { cause, mend }: FindingTexts = findings[code];
  return {
    code,
    certainty,
    what: `${cause}${more.detail === undefined ? '' : `: ${more.detail}`}.`,
    mend: `${mend}${more.action === undefined ? '' : `: ${more.action}`}.`,
    ...(more.evidence && { evidence: more.evidence }),
    page: `/docs/troubleshooting#${code}`,
  };
}
