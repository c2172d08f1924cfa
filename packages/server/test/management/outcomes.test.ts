import { backends } from '@countersign/testing/backends';
import { testOutcomes } from './outcomes.ts';

for (const backend of backends) testOutcomes(backend);
