<?php
// Runs the check of the page on each line of a file: method, target, body, now, headers, all but `now` in Base64.
require __DIR__ . '/ForwardedCheck.php';

[, $directoryUrl, $audience, $file] = $argv;
$check = new ForwardedCheck($directoryUrl, explode(',', $audience), __DIR__ . '/keys.json');
foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
    $parts = explode("\t", $line);
    [$method, $target, $body, $now] = $parts;
    $lines = array_slice($parts, 4);
    $headers = [];
    for ($index = 0; $index + 1 < count($lines); $index += 2) {
        $headers[base64_decode($lines[$index])][] = base64_decode($lines[$index + 1]);
    }
    try {
        $found = $check->check(base64_decode($method), base64_decode($target), $headers, base64_decode($body), (int) $now);
        echo "accepted {$found['clientId']} ", implode(',', $found['roles']), " {$found['targetUri']} {$found['profile']} {$found['covered']}\n";
    } catch (Refused $refused) {
        echo 'refused ', preg_replace('/\s/', ' ', $refused->getMessage()), "\n";
    }
}
