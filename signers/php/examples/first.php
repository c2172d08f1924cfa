<?php

// Sends a signed payment: php first.php https://api.example.com/v1/payments

require 'vendor/autoload.php';

use Countersign\Guzzle\SigningMiddleware;
use Countersign\RefusedException;
use Countersign\Signer;
use GuzzleHttp\Client;

$signer = new Signer(clientId: getenv('CLIENT_ID'), privateKeyFile: 'private.pem');
$client = new Client(['handler' => SigningMiddleware::stack($signer)]);

try {
    $response = $client->post($argv[1], [
        'json' => ['amount' => 1250, 'currency' => 'EUR', 'reference' => 'INV-7'],
    ]);
} catch (RefusedException $error) {
    exit("{$error->getMessage()}\n"); // its code, what is wrong, and what to do
}
echo $response->getStatusCode(), ' ', $response->getBody(), "\n";
