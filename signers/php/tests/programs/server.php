<?php

declare(strict_types=1);

// php server.php LOG ANSWERS: prints its port, answers one request per connection, and logs each as a JSON line.

[, $log, $answers] = $argv;
$answers = json_decode($answers, true, 16, JSON_THROW_ON_ERROR);
$server = stream_socket_server('tcp://127.0.0.1:0');
echo substr(strrchr(stream_socket_get_name($server, false), ':'), 1), "\n";

while (true) {
    $readable = [STDIN, $server];
    $none = null;
    stream_select($readable, $none, $none, null);
    if (in_array(STDIN, $readable, true)) {
        exit(0);
    }
    $connection = @stream_socket_accept($server, 0);
    if ($connection === false) {
        continue;
    }
    stream_set_timeout($connection, 30);
    $request = readRequest($connection);
    if ($request !== null) {
        file_put_contents($log, json_encode($request, JSON_THROW_ON_ERROR) . "\n", FILE_APPEND);
        $answer = array_shift($answers) ?? ['status' => 200];
        // Without a status, the connection is closed without an answer.
        if ($answer['status'] !== 0) {
            answer($connection, $answer);
        }
    }
    fclose($connection);
}

/** @param resource $connection */
function readRequest($connection): ?array
{
    $bytes = '';
    while (!str_contains($bytes, "\r\n\r\n")) {
        $chunk = fread($connection, 65536);
        if ($chunk === '' || $chunk === false) {
            return null;
        }
        $bytes .= $chunk;
    }
    [$head, $body] = explode("\r\n\r\n", $bytes, 2);
    $lines = explode("\r\n", $head);
    $headers = [];
    foreach (array_slice($lines, 1) as $line) {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)][] = trim($value);
    }
    if (isset($headers['expect'])) {
        fwrite($connection, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    $length = (int) ($headers['content-length'][0] ?? 0);
    while (strlen($body) < $length && !feof($connection)) {
        $body .= fread($connection, 65536);
    }
    return ['line' => base64_encode($lines[0]), 'headers' => $headers, 'body' => base64_encode($body)];
}

/** @param resource $connection */
function answer($connection, array $answer): void
{
    $body = $answer['body'] ?? '{"ok":true}';
    $headers = ($answer['headers'] ?? []) + [
        'Content-Type' => 'application/json',
        'Content-Length' => strlen($body),
        'Connection' => 'close',
    ];
    $head = "HTTP/1.1 {$answer['status']} Answer\r\n";
    foreach ($headers as $name => $value) {
        $head .= "$name: $value\r\n";
    }
    fwrite($connection, "$head\r\n$body");
}
