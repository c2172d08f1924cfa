import { workerData } from 'node:worker_threads';
import { type RaceThread, runRaceThread } from './race-operations.ts';

runRaceThread(workerData as RaceThread);
