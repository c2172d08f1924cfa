<?php
// Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.
require __DIR__ . '/webhooks.php';

foreach (file('cases', FILE_IGNORE_NEW_LINES) as $line) {
    [$secret, $id, $timestamp, $signature, $body, $now] = explode('|', $line);
    echo isFromService($secret, $id, $timestamp, $signature, base64_decode($body), (int) $now) ? "accept\n" : "reject\n";
}
