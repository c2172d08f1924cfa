import { testProgram } from './program-tests.ts';

testProgram('go');
