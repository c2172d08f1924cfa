/**
 * Tests that may be skipped where everything that tests use is installed (CI=true), each with why. The table is empty as
 * long as CI can run all of them; a skip that is not listed fails there, so that a missing program cannot pass unseen.
 */
export const skipsAllowedInCi: readonly { readonly name: string; readonly why: string }[] = [];
