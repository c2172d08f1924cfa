import { backendNamed } from '../storage/backends.ts';
import { testAllOrNothing } from './all-or-nothing.ts';

testAllOrNothing(backendNamed('PostgreSQL'));
