import { backends } from '../storage/backends.ts';
import { testAllOrNothing } from './all-or-nothing.ts';

for (const backend of backends) testAllOrNothing(backend);
