import { testSigner } from './signer-tests.ts';

testSigner('python');
