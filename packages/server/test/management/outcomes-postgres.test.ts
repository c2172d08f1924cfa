import { backendNamed } from '../storage/backends.ts';
import { testOutcomes } from './outcomes.ts';

testOutcomes(backendNamed('PostgreSQL'));
