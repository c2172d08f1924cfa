<?php

declare(strict_types=1);

// php sign.php COUNT: signs equal requests with the default options, and prints their signatures.

use Countersign\Signer;
use Countersign\SigningException;
use Countersign\Tests\Support\Fixture;

require __DIR__ . '/../bootstrap.php';

try {
    $signer = new Signer(
        clientId: Fixture::CLIENT_ID,
        privateKey: Fixture::privateKey(),
        now: static fn (): int => 1_775_505_115,
    );
    for ($count = 0; $count < (int) $argv[1]; $count++) {
        echo $signer->sign('POST', 'https://api.example.com/v1/payments', '{}')->headers['Signature'], "\n";
    }
} catch (SigningException $error) {
    echo "$error->errorCode: {$error->getMessage()}\n";
}
