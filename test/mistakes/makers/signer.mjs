// Signs and sends requests as a programmer writes it for Node, and makes the mistakes that it is told to make.
// Standard input: a JSON list of jobs.
import { once } from 'node:events';
import {
  constants,
  createHash,
  createPrivateKey,
  createSign,
  privateEncrypt,
  sign as signBytes,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { domainToUnicode } from 'node:url';
import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';

for (const values of JSON.parse(await textOf(process.stdin))) await send(jobFrom(values));

/** Adds `has`: whether a mistake is made. What is asked for and never met is an error of the plan. */
function jobFrom(values) {
  const done = new Set();
  return {
    ...values,
    has(slip) {
      if (!values.slips.includes(slip)) return false;
      done.add(slip);
      return true;
    },
    left: () => values.slips.filter((slip) => !done.has(slip)),
  };
}

function signedUrl(job) {
  const url = new URL(job.url);
  const queryText = queryOf(job, url);
  const path = pathOf(job, url);
  if (job.has('pathname') || job.has('path_of_options')) return path + queryText;
  if (job.has('url_without_scheme')) return url.host + path + queryText;
  let text = `${originOf(job, url)}${path}${queryText}`;
  if (job.has('decode_uri')) text = decodeURI(text);
  if (job.has('encode_uri_again')) text = encodeURI(text);
  if (job.has('slash_appended')) text += '/';
  if (job.has('empty_search')) text += '?';
  if (job.has('fragment_kept')) text += '#/payments';
  return text;
}

function originOf(job, url) {
  let { host } = url;
  if (job.has('port_written')) host = `${url.hostname}:443`;
  if (job.has('hostname')) host = url.hostname;
  if (job.has('host_upper_case')) host = host.toUpperCase();
  if (job.has('domain_to_unicode')) host = domainToUnicode(url.hostname);
  if (job.has('base_url_of_test')) host = 'api.countersign.example:8443';
  if (job.has('service_address')) return 'http://gateway.internal:8080';
  return `${job.has('http_proxy_target') ? 'http' : 'https'}://${host}`;
}

function pathOf(job, url) {
  let path = url.pathname;
  if (job.has('encode_component_path')) path = `/${encodeURIComponent(decodeURIComponent(path.slice(1)))}`;
  if (job.has('decomposed')) path = encodeURI(decodeURI(path).normalize('NFD'));
  if (job.has('rewrite_prefix')) path = `/api${path}`;
  if (job.has('version_left_out')) path = path.replace('/v1/', '/');
  if (job.has('relative_segments')) path = path.replace('/v1/', '/v1/clients/../');
  if (job.has('joined_with_slash')) path = `/${path}`;
  return path;
}

function queryOf(job, url) {
  const pairs = url.search.slice(1).split('&');
  if (job.has('origin_and_pathname')) return '';
  if (job.has('search_params_string')) return `?${url.searchParams}`;
  if (job.has('search_params_sorted')) return `?${pairs.toSorted().join('&')}`;
  if (job.has('search_params_reversed')) return `?${pairs.toReversed().join('&')}`;
  if (job.has('decode_uri_component')) return decodeURIComponent(url.search);
  return url.search;
}

/** The bytes that are sent, and those that the digest is made of. */
function bodies(job) {
  let sent = job.data === null ? job.text : JSON.stringify(job.data);
  let hashed = sent;
  if (job.has('hashes_stringify_2')) hashed = JSON.stringify(job.data, null, 2);
  if (job.has('hashes_tabs')) hashed = JSON.stringify(job.data, null, '\t');
  if (job.has('sends_stringify_2')) sent = JSON.stringify(job.data, null, 2);
  if (job.has('sends_spaced')) sent = JSON.stringify(job.data).replace(/":/g, '": ').replace(/,"/g, ', "');
  if (job.has('hashes_sorted_keys')) hashed = JSON.stringify(sorted(job.data));
  if (job.has('hashes_inspect')) hashed = inspect(job.data, { depth: 9 });
  if (job.has('hashes_object')) hashed = String(job.data);
  if (job.has('hashes_search_params')) hashed = new URLSearchParams(job.data).toString();
  if (job.has('hashes_escaped'))
    hashed = sent.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (job.has('hashes_stringify_twice')) hashed = JSON.stringify(sent);
  if (job.has('hashes_uri_component')) hashed = encodeURIComponent(sent);
  if (job.has('hashes_file')) hashed = `${sent}\n`;
  if (job.has('hashes_crlf_file')) hashed = sent.replaceAll('\n', '\r\n');
  if (job.has('hashes_trimmed')) hashed = sent.trim();
  if (job.has('hashes_undefined')) hashed = '';
  if (job.has('hashes_last_body')) hashed = '{"reference":"order-40","amount":1,"currency":"EUR"}';
  if (job.has('sends_marked')) sent = `\uFEFF${sent}`;
  let sentBytes = Buffer.from(sent);
  let hashedBytes = Buffer.from(hashed);
  if (job.has('hashes_binary')) hashedBytes = Buffer.from(hashed, 'latin1');
  if (job.has('hashes_utf16le')) hashedBytes = Buffer.from(hashed, 'utf16le');
  if (job.has('sends_gzip')) sentBytes = gzipSync(sentBytes);
  if (job.has('hashes_gzip')) hashedBytes = gzipSync(hashedBytes);
  if (job.has('sends_brotli')) sentBytes = brotliCompressSync(sentBytes);
  return { sent: sentBytes, hashed: hashedBytes };
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}

function contentDigest(job, hashed) {
  let algorithm = 'sha256';
  if (job.has('digest_sha512')) algorithm = 'sha512';
  if (job.has('digest_md5')) algorithm = 'md5';
  let encoding = 'base64';
  if (job.has('digest_hex')) encoding = 'hex';
  if (job.has('digest_base64url')) encoding = 'base64url';
  let digest = createHash(algorithm).update(hashed).digest(encoding);
  if (job.has('digest_hex_in_base64'))
    digest = Buffer.from(createHash(algorithm).update(hashed).digest('hex')).toString('base64');
  if (job.has('digest_btoa')) digest = btoa(digest);
  if (job.has('digest_like_before')) return `SHA-256=${digest}`;
  if (job.has('digest_as_text')) return `sha-256=${digest}`;
  return `sha-256=:${digest}:`;
}

function times(job) {
  const clock = new Date(job.clock * 1000 + 612);
  let created = String(Math.floor(clock / 1000));
  if (job.has('date_now')) created = String(clock.getTime());
  if (job.has('date_now_by_1000')) created = String(clock / 1000);
  if (job.has('local_as_utc')) {
    const { clock: seconds } = job;
    // A Date that was moved by the offset of the zone, to show local time with UTC functions.
    created = String(seconds + 2 * 3600);
  }
  let date = clock.toUTCString();
  if (job.has('to_iso_string')) date = clock.toISOString();
  if (job.has('to_string')) date = clock.toString().replace(' (Central European Standard Time)', '');
  if (job.has('to_locale_string')) date = clock.toLocaleString('en-US', { timeZone: 'UTC' });
  if (job.has('moved_to_utc_string')) date = new Date(clock.getTime() + 3600_000).toUTCString();
  return { created, date };
}

function signatureBase(job, values, created, params) {
  let names = Object.keys(values);
  const changed = { ...values };
  if (job.has('names_sorted_down')) names = names.toSorted().toReversed();
  if (job.has('date_before_digest')) names = ['@method', '@target-uri', 'date', 'content-digest'];
  if (job.has('date_undefined')) changed.date = '';
  if (job.has('digest_filtered')) names = names.filter((name) => name !== 'content-digest');
  if (job.has('target_filtered')) names = names.filter((name) => name !== '@target-uri');
  if (job.has('filter_date')) names = names.filter((name) => name !== 'date');
  if (job.has('date_of_start')) changed.date = new Date((job.clock - 5) * 1000).toUTCString();
  if (job.has('values_lower_case')) for (const name of names) changed[name] = changed[name].toLowerCase();
  if (job.has('digest_name_upper_case'))
    changed['content-digest'] = changed['content-digest'].replace('sha-256', 'SHA-256');
  if (job.has('date_with_space')) changed.date = `${changed.date} `;
  if (job.has('request_target_of_draft')) {
    const { pathname, search } = new URL(job.url);
    const lines = [
      `(request-target): ${job.method.toLowerCase()} ${pathname}${search}`,
      `(created): ${created}`,
    ];
    for (const name of names) if (!name.startsWith('@')) lines.push(`${name}: ${changed[name]}`);
    return lines.join('\n');
  }
  if (job.has('request_target_component')) {
    const { pathname, search } = new URL(job.url);
    changed['@request-target'] = pathname + search;
    names = names.map((name) => (name === '@target-uri' ? '@request-target' : name));
  }
  let signed = params;
  if (job.has('object_entries')) {
    const list = params.slice(0, params.indexOf(')') + 1);
    signed = `${list};created=${created};alg="rsa-v1_5-sha256";keyid="${job.clientId}"`;
  }
  if (job.has('json_params')) signed = signed.replace(`created=${created}`, `created="${created}"`);
  if (job.has('semicolon_space')) signed = signed.replaceAll(';', '; ');
  if (job.has('list_without_quotes'))
    signed = signed.replace(/\(([^)]*)\)/, (list) => list.replaceAll('"', ''));
  if (job.has('created_again')) signed = signed.replace(created, String(Number(created) + 1));
  if (job.has('iso_created')) signed = signed.replace(created, new Date(created * 1000).toISOString());
  if (job.has('milliseconds_in_base')) signed = signed.replace(created, `${created}612`);
  if (job.has('labelled')) signed = `sig=${signed}`;
  if (job.has('header_in_base')) signed = `Signature-Input: sig=${signed}`;
  let colon = ': ';
  if (job.has('colon_only')) colon = ':';
  if (job.has('colon_and_tab')) colon = ':\t';
  const quote = job.has('plain_names') ? '' : '"';
  const lines = names.map((name) => `${quote}${name}${quote}${colon}${changed[name]}`);
  if (!job.has('params_not_pushed')) lines.push(`${quote}@signature-params${quote}${colon}${signed}`);
  if (job.has('line_each')) return lines.map((line) => `${line}\n`).join('');
  if (job.has('os_eol')) return lines.join('\r\n');
  if (job.has('template_of_windows')) return `${lines.slice(0, -1).join('\r\n')}\n${lines.at(-1)}`;
  return lines.join('\n');
}

function sign(job, base) {
  const key = createPrivateKey(readFileSync(job.keyFile));
  const bytes = Buffer.from(base, job.has('utf16_bytes') ? 'utf16le' : 'utf8');
  const hash = createHash('sha256').update(bytes).digest();
  if (job.has('private_encrypt')) return privateEncrypt(key, hash);
  if (job.has('sign_of_hash')) return signBytes('sha256', hash, key);
  if (job.has('sign_of_hex')) return createSign('RSA-SHA256').update(hash.toString('hex')).sign(key);
  if (job.has('sign_of_base64')) return createSign('RSA-SHA256').update(hash.toString('base64')).sign(key);
  if (job.has('padding_pss'))
    return signBytes('sha256', bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING });
  if (job.has('rsa_sha1')) return createSign('RSA-SHA1').update(bytes).sign(key);
  if (job.has('rsa_sha384')) return createSign('RSA-SHA384').update(bytes).sign(key);
  if (job.has('rsa_sha512')) return createSign('RSA-SHA512').update(bytes).sign(key);
  return createSign('RSA-SHA256').update(bytes).sign(key);
}

function signatureText(job, signature) {
  if (job.has('reverse')) return Buffer.from(signature.toReversed()).toString('base64');
  if (job.has('sign_hex')) return signature.toString('hex');
  if (job.has('sign_base64url')) return signature.toString('base64url');
  if (job.has('encoded_component')) return encodeURIComponent(signature.toString('base64'));
  if (job.has('btoa_again')) return btoa(signature.toString('base64'));
  if (job.has('slice_of_log')) return signature.toString('base64').slice(0, 200);
  return signature.toString('base64');
}

async function send(job) {
  const { sent, hashed } = bodies(job);
  let { method } = job;
  const values = { '@method': method, '@target-uri': signedUrl(job) };
  if (job.has('lower_case_method')) values['@method'] = method.toLowerCase();
  if (job.has('method_default')) values['@method'] = 'GET';
  if (job.has('method_other_verb')) values['@method'] = 'PATCH';
  if (sent.length > 0 || job.has('digest_of_no_body')) values['content-digest'] = contentDigest(job, hashed);
  const { created, date } = times(job);
  if (!job.has('without_date')) values.date = date;
  if (job.has('content_type_covered')) values['content-type'] = job.contentType;
  let params = `("${Object.keys(values).join('" "')}");created=${created};keyid="${job.clientId}";alg="rsa-v1_5-sha256"`;
  if (job.has('no_keyid')) params = params.replace(/;keyid="[^"]*"/, '');
  if (job.has('alg_pss')) params = params.replace('rsa-v1_5-sha256', 'rsa-pss-sha512');
  if (job.has('tagged')) params += ';tag="acme"';
  if (job.has('commas_in_list')) params = params.replaceAll('" "', '", "');
  const base = signatureBase(job, values, created, params);
  writeFileSync(job.baseFile, base);
  const signature = signatureText(job, sign(job, base));

  const url = new URL(job.url);
  const headers = [['Host', url.host]];
  if (job.has('method_override')) {
    headers.push(['X-HTTP-Method-Override', method]);
    method = 'POST';
  }
  if (job.has('new_date_at_sending')) headers.push(['Date', new Date(job.clock * 1000 + 1612).toUTCString()]);
  else if (!job.has('date_header_forgotten')) headers.push(['Date', date]);
  let body = sent;
  let digest = values['content-digest'];
  if (job.has('interceptor_after_signing')) {
    body = Buffer.from(JSON.stringify({ ...job.data, sentAt: job.clock }));
    digest = contentDigest(job, body);
  }
  if (digest && !job.has('digest_header_forgotten'))
    headers.push([job.has('digest_header_of_before') ? 'Digest' : 'Content-Digest', digest]);
  let label = 'sig';
  if (job.has('label_sig_b26')) label = 'sig-b26';
  let value = `${label}=:${signature}:`;
  if (job.has('no_colons_around')) value = `${label}=${signature}`;
  if (job.has('authorization')) {
    headers.push([
      'Authorization',
      `Signature keyId="${job.clientId}",algorithm="hs2019",created=${created},headers="(request-target) (created) date",signature="${signature}"`,
    ]);
  } else {
    headers.push([job.has('x_headers') ? 'X-Signature-Input' : 'Signature-Input', `${label}=${params}`]);
    if (!job.has('signature_header_forgotten'))
      headers.push([job.has('x_headers') ? 'X-Signature' : 'Signature', value]);
  }
  if (job.has('appended')) headers.push(['Signature', value]);
  if (body.length > 0) {
    headers.push(['Content-Type', job.contentType], ['Content-Length', String(body.length)]);
    if (job.slips.includes('sends_gzip')) headers.push(['Content-Encoding', 'gzip']);
    if (job.slips.includes('sends_brotli')) headers.push(['Content-Encoding', 'br']);
  }
  if (body.length === 0 && ['POST', 'PUT', 'PATCH'].includes(method)) headers.push(['Content-Length', '0']);
  const sending = request({
    host: '127.0.0.1',
    port: job.port,
    method,
    path: url.pathname + url.search,
    headers: headers.flat(),
    agent: false,
  });
  sending.end(body.length > 0 ? body : undefined);
  const [answer] = await once(sending, 'response');
  answer.resume();
  await once(answer, 'end');
  if (job.left().length > 0) throw new Error(`${job.id}: not made: ${job.left().join(', ')}`);
}
