import { type FindingCode, findings, type FindingTexts } from '@countersign/explain/findings';

/** The correct code in one language. */
export interface Snippet {
  readonly language: 'Shell' | 'Python' | 'Node' | 'Java' | 'PHP' | 'Go' | 'C#';
  readonly code: string;
}

/** Findings with the same fix. */
export interface TroubleshootingTopic {
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
  /** Prefixes of its findings' codes. */
  readonly starts: readonly string[];
  /** The labels of an example's two lines. */
  readonly labels: readonly [right: string, wrong: string];
  readonly snippets: readonly Snippet[];
}

const signed = ['expected', 'you signed'] as const;
const sent = ['expected', 'you sent'] as const;

/** All topics, in the order of the findings table. */
const troubleshootingTopics: readonly TroubleshootingTopic[] = [
  {
    anchor: 'url',
    title: 'URL',
    text: 'The line `"@target-uri"` is the full URL as you call it: scheme, host, path and query, character for character. Build the text once, sign it, and send the same text. Do not let a library build the URL from its parts a second time.',
    starts: ['url_'],
    labels: signed,
    snippets: [
      {
        language: 'Python',
        code: `prepared = requests.Request("GET", base_url + path, params=params).prepare()
target_uri = prepared.url              # sign this
requests.Session().send(prepared)      # and send this`,
      },
      {
        language: 'Node',
        code: `const query = new URLSearchParams({ state: 'open', limit: '20' });
const targetUri = \`https://api.example.com/v1/payments?\${query}\`; // sign this, then fetch(targetUri)`,
      },
      {
        language: 'PHP',
        code: `$targetUri = 'https://api.example.com/v1/payments?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986);
curl_setopt($curl, CURLOPT_URL, $targetUri); // the same variable that was signed`,
      },
    ],
  },
  {
    anchor: 'method',
    title: 'Method',
    text: 'The line `"@method"` is the method in the request line, in upper case.',
    starts: ['method_'],
    labels: signed,
    snippets: [
      { language: 'Python', code: `method = prepared.method.upper()` },
      { language: 'Java', code: `String method = request.method(); // not what a header asks for` },
    ],
  },
  {
    anchor: 'body',
    title: 'Body',
    text: '`Content-Digest` is the SHA-256 of the bytes that are sent. Serialize once, keep the bytes, hash them and send them. If you give an object to an HTTP library, it serializes the object again, in its own way.',
    starts: ['body_'],
    labels: ['received', 'you hashed'],
    snippets: [
      {
        language: 'Python',
        code: `body = json.dumps(payment).encode()          # once
digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
requests.post(url, data=body, headers=headers)  # data=, not json=`,
      },
      {
        language: 'Node',
        code: `const body = Buffer.from(JSON.stringify(payment));
const digest = createHash('sha256').update(body).digest('base64');
await fetch(url, { method: 'POST', headers, body });`,
      },
      {
        language: 'Shell',
        code: `digest=$(openssl dgst -sha256 -binary body.json | openssl base64 -A)
curl --data-binary @body.json "$url"    # --data takes out newlines`,
      },
      {
        language: 'C#',
        code: `byte[] body = JsonSerializer.SerializeToUtf8Bytes(payment);
request.Content = new ByteArrayContent(body); // not JsonContent.Create`,
      },
    ],
  },
  {
    anchor: 'digest',
    title: 'Content-Digest',
    text: 'The header has exactly one form: `sha-256=:`, the Base64 of the 32 bytes, `:`. Set it before you sign, and do not change it afterwards.',
    starts: ['digest_'],
    labels: sent,
    snippets: [
      {
        language: 'PHP',
        code: `$header = 'sha-256=:' . base64_encode(hash('sha256', $body, true)) . ':'; // true: bytes, not hex`,
      },
      {
        language: 'Java',
        code: `byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
String header = "sha-256=:" + Base64.getEncoder().encodeToString(hash) + ":";`,
      },
      {
        language: 'Go',
        code: `hash := sha256.Sum256(body)
header := "sha-256=:" + base64.StdEncoding.EncodeToString(hash[:]) + ":"`,
      },
    ],
  },
  {
    anchor: 'base',
    title: 'Signature base',
    text: 'One line for each component, `"name": value`, separated by the character 0x0A, with none at the end. The last line is `"@signature-params": ` with exactly the text after `sig=` in Signature-Input. `countersign sign --json` prints the correct base of a request as `signatureBase`. Compare it with yours byte by byte.',
    starts: ['base_'],
    labels: signed,
    snippets: [
      {
        language: 'Python',
        code: `base = "\\n".join([f'"@method": {method}', f'"@target-uri": {target_uri}',
                  f'"date": {date}', f'"@signature-params": {params}'])
headers["Signature-Input"] = "sig=" + params`,
      },
      {
        language: 'Java',
        code: `String base = String.join("\\n", lines); // not println, not %n, not System.lineSeparator()
signature.update(base.getBytes(StandardCharsets.UTF_8));`,
      },
      {
        language: 'PHP',
        code: `$base = implode("\\n", $lines); // double quotes; not PHP_EOL, not a heredoc in a file with CRLF`,
      },
      {
        language: 'Shell',
        code: `printf '"@method": %s\\n"@target-uri": %s\\n"date": %s\\n"@signature-params": %s' \\
  "$method" "$url" "$date" "$params" | openssl dgst -sha256 -sign private.pem | openssl base64 -A`,
      },
    ],
  },
  {
    anchor: 'signature',
    title: 'Signature',
    text: 'RSASSA-PKCS1-v1_5 with SHA-256 over the base itself. The function hashes, pads and signs. Write the bytes as standard Base64 on one line, between colons.',
    starts: ['signature_'],
    labels: sent,
    snippets: [
      {
        language: 'Python',
        code: `signature = key.sign(base.encode(), padding.PKCS1v15(), hashes.SHA256())`,
      },
      {
        language: 'Node',
        code: `const signature = sign('sha256', Buffer.from(base), privateKey).toString('base64');`,
      },
      {
        language: 'PHP',
        code: `openssl_sign($base, $signature, $key, OPENSSL_ALGO_SHA256); // the default is SHA-1`,
      },
      {
        language: 'Java',
        code: `Signature signer = Signature.getInstance("SHA256withRSA");
Base64.getEncoder().encodeToString(signer.sign()); // not getMimeEncoder, not getUrlEncoder`,
      },
      {
        language: 'Go',
        code: `hash := sha256.Sum256([]byte(base)) // Go's function takes the hash
signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, hash[:])`,
      },
      {
        language: 'C#',
        code: `byte[] signature = rsa.SignData(Encoding.UTF8.GetBytes(text), // SignHash would take the hash
    HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);`,
      },
    ],
  },
  {
    anchor: 'keys',
    title: 'Keys and client IDs',
    text: 'The private key must belong to the client ID in `keyid`. Compare fingerprints to see which key you have.',
    starts: ['key_', 'keyid_'],
    labels: ['expected', 'you used'],
    snippets: [
      {
        language: 'Shell',
        code: `openssl pkey -in private.pem -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64 -A
# the fingerprint in the list of API keys, without the leading "SHA256:" and the trailing "="`,
      },
    ],
  },
  {
    anchor: 'time',
    title: 'Time',
    text: 'Read the clock once for each attempt. `created` is in whole Unix seconds, and `Date` is the same second as an HTTP date. Set the clock with NTP.',
    starts: ['created_', 'clock_', 'date_'],
    labels: sent,
    snippets: [
      {
        language: 'Python',
        code: `created = int(time.time())
date = email.utils.formatdate(created, usegmt=True)`,
      },
      {
        language: 'Node',
        code: `const created = Math.floor(Date.now() / 1000);
const date = new Date(created * 1000).toUTCString();`,
      },
      {
        language: 'Java',
        code: `Instant now = Instant.now();
String date = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
    .format(now.atOffset(ZoneOffset.UTC)); // RFC_1123_DATE_TIME writes days without a leading zero`,
      },
      {
        language: 'PHP',
        code: `$created = time();
$date = gmdate('D, d M Y H:i:s', $created) . ' GMT';`,
      },
    ],
  },
  {
    anchor: 'headers',
    title: 'Headers and parameters',
    text: '`Signature-Input`, `Signature`, `Date` and, with a body, `Content-Digest` are each sent once, under these names, on one line. The label is `sig`, and the parameters are exactly created, keyid and alg.',
    starts: ['header_', 'parameter_', 'algorithm_', 'cavage_', 'request_'],
    labels: sent,
    snippets: [
      {
        language: 'Java',
        code: `// java.net.http drops Date unless the process is started with
// -Djdk.httpclient.allowRestrictedHeaders=date`,
      },
      {
        language: 'Shell',
        code: `# nginx: forward what was called, and do not remove headers
proxy_set_header Host $host;
proxy_pass http://service;    # without a path, which would replace the prefix`,
      },
    ],
  },
];

/** All topics, each with its findings in the order of their table. */
export function topicsWithFindings(): readonly {
  readonly topic: TroubleshootingTopic;
  readonly codes: readonly FindingCode[];
}[] {
  const groups = Map.groupBy(Object.keys(findings) as FindingCode[], topicOf);
  return troubleshootingTopics.map((topic) => ({ topic, codes: groups.get(topic) ?? [] }));
}

/** Returns a finding's topic: the one that its table entry names, or the one with a prefix of its code. */
function topicOf(code: FindingCode): TroubleshootingTopic {
  const { topic: anchor }: FindingTexts = findings[code];
  const topic = troubleshootingTopics.find((one) =>
    anchor === undefined ? one.starts.some((start) => code.startsWith(start)) : one.anchor === anchor,
  );
  if (!topic) throw new Error(`The finding ${code} has no topic.`);
  return topic;
}
