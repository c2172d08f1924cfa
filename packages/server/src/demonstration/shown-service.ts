import type { Configuration } from '../configuration/load.ts';
import type { People } from '../people/identity/identity.ts';
import type { DemoDataSeeder } from './demo-data.ts';

/** The parts of a running service that the demonstration shows. Addresses are `http://host:port`. */
export interface ShownService {
  readonly configuration: Configuration;
  readonly address: string;
  readonly apiAddress: string | undefined;
  readonly authorizerAddress: string | undefined;
  readonly authorizerGrpcAddress: string | undefined;
  readonly people: People | undefined;
  readonly seedDemoData: DemoDataSeeder['seed'] | undefined;
  readRegistry(): Promise<void>;
}
