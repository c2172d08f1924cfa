<?php
// Needs PHP 8 with the extension openssl.
$baseUrl = getenv('COUNTERSIGN_BASE_URL') ?: 'http://127.0.0.1:8421';
const CLIENT_ID = 'client_…';
const PRIVATE_KEY = 'private.pem';

$key = openssl_pkey_get_private(file_get_contents(PRIVATE_KEY));
if ($key === false) {
    exit(PRIVATE_KEY . " is not a readable private key\n");
}

function send(OpenSSLAsymmetricKey $key, string $method, string $url, ?string $body = null): void
{
    $created = time();
    $date = gmdate('D, d M Y H:i:s', $created) . ' GMT';
    $headers = ["Date: $date"];
    $lines = ["\"@method\": $method", "\"@target-uri\": $url"];
    $components = '"@method" "@target-uri"';
    if ($body !== null) {
        $digest = 'sha-256=:' . base64_encode(hash('sha256', $body, true)) . ':';
        $headers[] = 'Content-Type: application/json';
        $headers[] = "Content-Digest: $digest";
        $lines[] = "\"content-digest\": $digest";
        $components .= ' "content-digest"';
    }
    $params = "($components \"date\");created=$created;keyid=\"" . CLIENT_ID . '";alg="rsa-v1_5-sha256"';
    $lines[] = "\"date\": $date";
    $lines[] = "\"@signature-params\": $params";

    // A line feed between the lines, and none at the end.
    if (!openssl_sign(implode("\n", $lines), $signature, $key, OPENSSL_ALGO_SHA256)) {
        exit("The request could not be signed\n");
    }
    $headers[] = "Signature-Input: sig=$params";
    $headers[] = 'Signature: sig=:' . base64_encode($signature) . ':';

    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $body ?? '',
        'protocol_version' => 1.1,
        'follow_location' => 0,
        'ignore_errors' => true,
    ]]);
    echo file_get_contents($url, false, $context), "\n";
    echo $http_response_header[0] ?? 'no answer', "\n";
}

send($key, 'GET', $baseUrl . '/v1/signature-test');
send($key, 'POST', $baseUrl . '/v1/signature-test', json_encode(['hello' => 'from PHP']));
