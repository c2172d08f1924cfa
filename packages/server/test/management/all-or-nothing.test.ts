import { backends } from '@countersign/testing/backends';
import { testAllOrNothing } from './all-or-nothing.ts';

for (const backend of backends) testAllOrNothing(backend);
