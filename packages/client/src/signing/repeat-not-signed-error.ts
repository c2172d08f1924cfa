import { SigningError } from '@countersign/signature';

/**
 * A repeat that was not signed, because the API may have carried out the first attempt. `cause` is the
 * outcome of that attempt, if the adapter knows it. Its code is `repeat_not_signed`.
 */
export class RepeatNotSignedError extends SigningError {
  constructor(method: string, options?: ErrorOptions) {
    super(
      'repeat_not_signed',
      `This ${method} was sent once already, and it is not known whether the API carried it out. Signing it again could ` +
        'carry it out twice, so it was not signed. Look up the outcome first, or send an Idempotency-Key that the API honors.',
      options,
    );
    this.name = 'RepeatNotSignedError';
  }
}
