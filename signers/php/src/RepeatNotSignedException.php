<?php

declare(strict_types=1);

namespace Countersign;

/**
 * A request was repeated that the API may have carried out already, such as a POST whose response was lost. It was not
 * signed again.
 */
final class RepeatNotSignedException extends SigningException
{
    /** @internal */
    public function __construct(string $method)
    {
        parent::__construct(
            self::REPEAT_NOT_SIGNED,
            "This $method was sent once already, and it is not known whether the API carried it out. Signing it again "
                . 'could carry it out twice, so it was not signed. Look up the outcome first, or send an '
                . 'Idempotency-Key that the API honors.',
        );
    }
}
