import { backends } from '../storage/backends.ts';
import { testOutcomes } from './outcomes.ts';

for (const backend of backends) testOutcomes(backend);
