<?php

// Signs and sends requests as a PHP programmer writes it, and makes the mistakes that it is told to make.
// Standard input: a JSON list of jobs.

date_default_timezone_set('Europe/Athens');

final class Job
{
    private array $done = [];

    public function __construct(private array $values) {}

    public function __get(string $name): mixed
    {
        return $this->values[$name];
    }

    /** Whether this mistake is made. What is asked for and never met is an error of the plan. */
    public function has(string $slip): bool
    {
        if (!in_array($slip, $this->slips, true)) {
            return false;
        }
        $this->done[] = $slip;
        return true;
    }

    public function complete(): void
    {
        $left = array_diff($this->slips, $this->done);
        if ($left !== []) {
            throw new Exception("$this->id: not made: " . implode(', ', $left));
        }
    }
}

function signedUrl(Job $job): string
{
    $parts = parse_url($job->url);
    $host = $parts['host'] . (isset($parts['port']) ? ":{$parts['port']}" : '');
    $scheme = $parts['scheme'];
    $path = $parts['path'];
    $query = $parts['query'] ?? '';
    if ($job->has('parse_url_path')) {
        return $path;
    }
    if ($job->has('request_uri')) {
        // What $_SERVER['REQUEST_URI'] would hold on the other side.
        return $path . ($query === '' ? '' : "?$query");
    }
    if ($job->has('without_query')) {
        $query = '';
    }
    if ($job->has('ksort_query')) {
        parse_str($query, $values);
        ksort($values);
        $query = http_build_query($values, '', '&', PHP_QUERY_RFC3986);
    }
    if ($job->has('http_build_query')) {
        parse_str($query, $values);
        $query = http_build_query($values);
    }
    if ($job->has('urldecode_query')) {
        $query = urldecode($query);
    }
    if ($job->has('html_ampersands')) {
        $query = htmlspecialchars($query);
    }
    if ($job->has('rawurldecode_path')) {
        $path = rawurldecode($path);
    }
    if ($job->has('urlencode_path')) {
        $path = implode('/', array_map(fn ($part) => urlencode(rawurldecode($part)), explode('/', $path)));
    }
    if ($job->has('is_https_unset')) {
        // $_SERVER['HTTPS'] is not set behind the load balancer, so the helper writes http.
        $scheme = 'http';
    }
    if ($job->has('port_of_server')) {
        $host = $parts['host'] . ':443';
    }
    if ($job->has('host_without_port')) {
        $host = $parts['host'];
    }
    if ($job->has('http_host_inside')) {
        $scheme = 'http';
        $host = '10.0.3.7:8080';
    }
    if ($job->has('other_environment_host')) {
        $host = 'api.eu.countersign.example';
    }
    if ($job->has('ucfirst_host')) {
        $host = ucfirst($host);
    }
    if ($job->has('idn_to_utf8')) {
        $host = 'api.münchen.example';
    }
    if ($job->has('index_php')) {
        $path = "/index.php$path";
    }
    if ($job->has('trailingslashit')) {
        $path = rtrim($path, '/') . '/';
    }
    if ($job->has('double_slash')) {
        $path = "/$path";
    }
    $url = "$scheme://$host$path" . ($query === '' ? '' : "?$query");
    if ($job->has('question_mark')) {
        $url .= '?';
    }
    if ($job->has('hash_of_page')) {
        $url .= '#';
    }
    return $url;
}

const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;

/** The bytes that are sent, and those that the digest is made of. */
function bodies(Job $job): array
{
    $data = $job->data;
    $sent = $data === null ? $job->text : json_encode($data, FLAGS);
    $hashed = $sent;
    if ($job->has('hashes_json_encode')) {
        $hashed = json_encode($data);
    }
    if ($job->has('sends_json_encode')) {
        $sent = json_encode($data);
    }
    if ($job->has('hashes_escaped_slashes')) {
        $hashed = json_encode($data, JSON_UNESCAPED_UNICODE);
    }
    if ($job->has('hashes_escaped_unicode')) {
        $hashed = json_encode($data, JSON_UNESCAPED_SLASHES);
    }
    if ($job->has('hashes_pretty_print')) {
        $hashed = json_encode($data, FLAGS | JSON_PRETTY_PRINT);
    }
    if ($job->has('sends_pretty_print')) {
        $sent = json_encode($data, FLAGS | JSON_PRETTY_PRINT);
    }
    if ($job->has('hashes_float_amount')) {
        $data['amount'] = (float) $data['amount'];
        $hashed = json_encode($data, FLAGS | JSON_PRESERVE_ZERO_FRACTION);
    }
    if ($job->has('hashes_base64_body')) {
        $hashed = base64_encode($sent);
    }
    if ($job->has('hashes_ksort')) {
        ksort($data);
        $hashed = json_encode($data, FLAGS);
    }
    if ($job->has('hashes_http_build_query')) {
        $hashed = http_build_query($data);
    }
    if ($job->has('hashes_utf8_decode')) {
        $hashed = iconv('UTF-8', 'ISO-8859-1//TRANSLIT', $sent);
    }
    if ($job->has('hashes_utf8_encode')) {
        // The text is UTF-8 already and is encoded once more.
        $hashed = iconv('ISO-8859-1', 'UTF-8', $sent);
    }
    if ($job->has('hashes_trim')) {
        $hashed = trim($sent);
    }
    if ($job->has('hashes_php_eol')) {
        $hashed = $sent . "\n";
    }
    if ($job->has('hashes_windows_lines')) {
        $hashed = str_replace("\n", "\r\n", $sent);
    }
    if ($job->has('sends_file_with_bom')) {
        $sent = "\xEF\xBB\xBF" . $sent;
    }
    if ($job->has('hashes_php_input')) {
        // php://input was read before and is empty now.
        $hashed = '';
    }
    if ($job->has('hashes_null')) {
        $hashed = json_encode(null);
    }
    if ($job->has('sends_gzencode')) {
        $sent = gzencode($sent);
    }
    if ($job->has('sends_gzcompress')) {
        $sent = gzcompress($sent);
    }
    return [$sent, $hashed];
}

function contentDigest(Job $job, string $hashed): string
{
    $algorithm = $job->has('digest_sha512') ? 'sha512' : ($job->has('digest_md5') ? 'md5' : 'sha256');
    // hash() gives hexadecimal digits unless its third argument is true.
    $isBinary = !$job->has('digest_of_hash_text') && !$job->has('digest_hash_text');
    $digest = hash($algorithm, $hashed, $isBinary);
    $text = in_array('digest_hash_text', $job->slips, true) ? $digest : base64_encode($digest);
    if ($job->has('digest_base64_twice')) {
        $text = base64_encode($text);
    }
    if ($job->has('digest_strtr')) {
        $text = rtrim(strtr($text, '+/', '-_'), '=');
    }
    if ($job->has('digest_upper_name')) {
        return "SHA-256=$text";
    }
    if ($job->has('digest_no_colons')) {
        return "sha-256=$text";
    }
    return "sha-256=:$text:";
}

function created(Job $job): string
{
    if ($job->has('microtime_times_1000')) {
        return (string) ($job->clock * 1000 + 250);
    }
    if ($job->has('microtime_true')) {
        return (string) ($job->clock + 0.25);
    }
    if ($job->has('strtotime_of_local')) {
        // gmdate() gives a text without a zone, strtotime() reads it as local.
        return (string) strtotime(gmdate('Y-m-d H:i:s', $job->clock));
    }
    return (string) $job->clock;
}

function dateHeader(Job $job, int $clock): string
{
    foreach (['DATE_RFC2822' => DATE_RFC2822, 'DATE_RFC850' => DATE_RFC850, 'DATE_ATOM' => DATE_ATOM, 'DATE_RFC822' => DATE_RFC822] as $name => $format) {
        if ($job->has($name)) {
            return gmdate($format, $clock);
        }
    }
    if ($job->has('date_gmt')) {
        return date('D, d M Y H:i:s', $clock) . ' GMT';
    }
    if ($job->has('date_T')) {
        return date('D, d M Y H:i:s T', $clock);
    }
    if ($job->has('gmdate_j')) {
        return gmdate('D, j M Y H:i:s', $clock) . ' GMT';
    }
    return gmdate('D, d M Y H:i:s', $clock) . ' GMT';
}

function signatureBase(Job $job, array $values, string $created, string $params): string
{
    if ($job->has('array_reverse')) {
        $values = array_reverse($values);
    }
    if ($job->has('header_style_names')) {
        $names = array_map(fn ($name) => $name[0] === '@' ? $name : ucwords($name, '-'), array_keys($values));
        $values = array_combine($names, $values);
    }
    if ($job->has('date_unset')) {
        unset($values['date']);
    }
    if ($job->has('date_second_call')) {
        $values['date'] = dateHeader($job, $job->clock - 2);
    }
    if ($job->has('strtolower_values')) {
        $values = array_map('strtolower', $values);
    }
    if ($job->has('rtrim_digest')) {
        $values['content-digest'] = rtrim($values['content-digest'], ':=');
    }
    if ($job->has('space_before_values')) {
        $values['date'] = " {$values['date']}";
    }
    $signed = $params;
    if ($job->has('implode_params')) {
        $list = substr($params, 0, strpos($params, ')') + 1);
        $signed = implode('; ', [$list, "created=$created", "keyid=\"$job->clientId\"", 'alg="rsa-v1_5-sha256"']);
    }
    if ($job->has('single_quotes')) {
        $signed = str_replace('"', "'", $signed);
    }
    if ($job->has('params_alg_first')) {
        $list = substr($params, 0, strpos($params, ')') + 1);
        $signed = "$list;alg=\"rsa-v1_5-sha256\";keyid=\"$job->clientId\";created=$created";
    }
    if ($job->has('with_label')) {
        $signed = "sig=$signed";
    }
    if ($job->has('header_line')) {
        $signed = "Signature-Input: sig=$signed";
    }
    if ($job->has('header_line_in_place')) {
        // The header line itself is the last line.
        $lines = array_map(fn ($name) => "\"$name\": {$values[$name]}", array_keys($values));
        return implode("\n", [...$lines, "Signature-Input: sig=$params"]);
    }
    if ($job->has('draft_lines')) {
        $parts = parse_url($job->url);
        $target = $parts['path'] . (isset($parts['query']) ? "?{$parts['query']}" : '');
        $lines = ['(request-target): ' . strtolower($job->method) . " $target"];
        foreach (['date', 'content-digest'] as $name) {
            if (isset($values[$name])) {
                $lines[] = "$name: {$values[$name]}";
            }
        }
        return implode("\n", $lines);
    }
    $base = '';
    $end = $job->has('windows_heredoc') ? "\r\n" : "\n";
    $quote = $job->has('names_bare') ? '' : '"';
    $colon = $job->has('colon_spaced') ? ' : ' : ($job->has('colon_tight') ? ':' : ': ');
    foreach ($values as $name => $value) {
        $base .= "$quote$name$quote$colon$value$end";
    }
    if ($job->has('no_last_line')) {
        return rtrim($base);
    }
    $base .= "$quote@signature-params$quote$colon$signed";
    if ($job->has('single_quoted_n')) {
        $base = str_replace("\n", '\n', $base);
    }
    if ($job->has('php_eol_each')) {
        $base .= $end;
    }
    return $base;
}

function sign(Job $job, string $base): string
{
    $key = file_get_contents($job->keyFile);
    if ($job->has('hash_first')) {
        $base = hash('sha256', $base, true);
    }
    if ($job->has('hash_text_first')) {
        $base = hash('sha256', $base);
    }
    if ($job->has('base64_hash_first')) {
        $base = base64_encode(hash('sha256', $base, true));
    }
    if ($job->has('openssl_private_encrypt')) {
        openssl_private_encrypt(hash('sha256', $base, true), $signature, $key);
        return $signature;
    }
    if ($job->has('private_encrypt_hex')) {
        openssl_private_encrypt(hash('sha256', $base), $signature, $key);
        return $signature;
    }
    if ($job->has('algorithm_md5')) {
        openssl_sign($base, $signature, $key, OPENSSL_ALGO_MD5);
        return $signature;
    }
    if ($job->has('openssl_default')) {
        // The default of openssl_sign() is SHA-1.
        openssl_sign($base, $signature, $key);
        return $signature;
    }
    $algorithm = $job->has('algorithm_384') ? OPENSSL_ALGO_SHA384 : ($job->has('algorithm_512') ? OPENSSL_ALGO_SHA512 : OPENSSL_ALGO_SHA256);
    openssl_sign($base, $signature, $key, $algorithm);
    return $signature;
}

function signatureText(Job $job, string $signature): string
{
    if ($job->has('strrev')) {
        $signature = strrev($signature);
    }
    if ($job->has('bin2hex')) {
        return bin2hex($signature);
    }
    if ($job->has('base64_bin2hex')) {
        return base64_encode(bin2hex($signature));
    }
    if ($job->has('base64_base64')) {
        return base64_encode(base64_encode($signature));
    }
    if ($job->has('signature_strtr')) {
        return rtrim(strtr(base64_encode($signature), '+/', '-_'), '=');
    }
    if ($job->has('signature_urlencode')) {
        return urlencode(base64_encode($signature));
    }
    if ($job->has('chunk_split')) {
        return str_replace("\r\n", ' ', chunk_split(base64_encode($signature), 64));
    }
    if ($job->has('varchar_128')) {
        return substr(base64_encode($signature), 0, 128);
    }
    return base64_encode($signature);
}

function send(Job $job): void
{
    [$sent, $hashed] = bodies($job);
    $method = $job->method;
    $values = ['@method' => $method, '@target-uri' => signedUrl($job)];
    if ($job->has('strtolower_method')) {
        $values['@method'] = strtolower($method);
    }
    if ($job->has('ucfirst_method')) {
        $values['@method'] = ucfirst(strtolower($method));
    }
    if ($job->has('default_get')) {
        $values['@method'] = 'GET';
    }
    if ($sent !== '') {
        $values['content-digest'] = contentDigest($job, $hashed);
    }
    $date = dateHeader($job, $job->clock);
    $values['date'] = $date;
    $created = created($job);
    $list = '("' . implode('" "', array_keys($values)) . '")';
    $params = "$list;created=$created;keyid=\"$job->clientId\";alg=\"rsa-v1_5-sha256\"";
    $base = signatureBase($job, $values, $created, $params);
    file_put_contents($job->baseFile, $base);
    $signature = signatureText($job, sign($job, $base));

    if ($job->has('spoofed_method')) {
        // A framework sends PUT and DELETE as POST with a header.
        $headers[] = "X-HTTP-Method-Override: $method";
        $method = 'POST';
    }
    $headers[] = 'User-Agent: php';
    if ($job->has('date_at_sending')) {
        $date = dateHeader($job, $job->clock + 1);
    }
    if (!$job->has('date_not_sent')) {
        $headers[] = "Date: $date";
    }
    if (isset($values['content-digest']) && !$job->has('digest_not_sent')) {
        $headers[] = "Content-Digest: {$values['content-digest']}";
    }
    $label = $job->has('label_of_client') ? 'client' : 'sig';
    $inputName = $job->has('underscores') ? 'Signature_Input' : 'Signature-Input';
    if ($job->has('authorization_signature')) {
        $headers[] = "Authorization: Signature keyId=\"$job->clientId\",algorithm=\"rsa-sha256\",headers=\"(request-target) date\",signature=\"$signature\"";
    } else {
        $headers[] = "$inputName: $label=$params";
        if (!$job->has('signature_not_sent')) {
            $headers[] = "Signature: $label=:$signature:";
        }
    }
    if ($job->has('headers_twice')) {
        $headers[] = "Signature-Input: $label=$params";
        $headers[] = "Signature: $label=:$signature:";
    }
    if ($sent !== '') {
        $headers[] = "Content-Type: $job->contentType";
        if (in_array('sends_gzencode', $job->slips, true)) {
            $headers[] = 'Content-Encoding: gzip';
        }
        if (in_array('sends_gzcompress', $job->slips, true)) {
            $headers[] = 'Content-Encoding: deflate';
        }
    }
    if ($sent !== '' || in_array($method, ['POST', 'PUT', 'PATCH'], true)) {
        $headers[] = 'Content-Length: ' . strlen($sent);
    }
    $http = ['method' => $method, 'header' => $headers, 'proxy' => "tcp://127.0.0.1:$job->port", 'protocol_version' => 1.1];
    if ($sent !== '') {
        $http['content'] = $sent;
    }
    $url = preg_replace('/^https/', 'http', $job->url);
    if (file_get_contents($url, false, stream_context_create(['http' => $http])) === false) {
        throw new Exception("$job->id: not sent");
    }
    $job->complete();
}

foreach (json_decode(file_get_contents('php://stdin'), true) as $values) {
    send(new Job($values));
}
