<?php

declare(strict_types=1);

namespace Countersign;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Message\ResponseInterface;
use RuntimeException;

/** A request that the service refused. Match on `$refusal->code`. */
final class RefusedException extends RuntimeException implements ClientExceptionInterface
{
    public function __construct(public readonly Refusal $refusal, public readonly ResponseInterface $response)
    {
        parent::__construct($refusal->summary());
    }
}
