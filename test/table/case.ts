import type { Arrival } from './api.ts';
import type { Cell } from './cell.ts';
import type { TableAnswer, TableRequest } from './program.ts';
import type { Scene } from './scene.ts';

/** A row of the table. */
export interface Case {
  readonly name: string;
  /**
   * The program that it needs: one that sends requests one after the other, so that the second uses the
   * connection of the first; one that sends many at once; or one for this client and these cases alone.
   */
  readonly program: 'one' | 'many' | 'alone';
  run(client: Client): Promise<Cell>;
}

/** An HTTP client of a language, in front of the services. */
export interface Client {
  readonly language: string;
  readonly name: string;
  readonly scene: Scene;
  readonly send: (request: Omit<TableRequest, 'client'>) => Promise<TableAnswer>;
  /** Sends, and also resolves with the requests that arrived at the API meanwhile. */
  readonly sendAndSee: (
    request: Omit<TableRequest, 'client'>,
  ) => Promise<{ readonly answer: TableAnswer; readonly arrivals: readonly Arrival[] }>;
}
