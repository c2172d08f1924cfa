<?php

// Sends a signed request and prints the response.

require 'vendor/autoload.php';

use Countersign\Guzzle\SigningMiddleware;
use Countersign\RefusedException;
use Countersign\Signer;
use GuzzleHttp\Client;

$baseUrl = getenv('COUNTERSIGN_BASE_URL') ?: 'http://127.0.0.1:8421';
const CLIENT_ID = 'client_…';
const PRIVATE_KEY_FILE = 'private.pem';

$signer = new Signer(clientId: CLIENT_ID, privateKeyFile: PRIVATE_KEY_FILE);
$client = new Client(['base_uri' => $baseUrl, 'handler' => SigningMiddleware::stack($signer)]);

try {
    $response = $client->post('/v1/signature-test', ['json' => ['hello' => 'from PHP']]);
    echo $response->getStatusCode(), ' ', $response->getBody(), "\n";
} catch (RefusedException $error) {
    echo $error->getMessage(), "\n"; // its code, what is wrong, and what to do
}
