import type { Answer } from '@countersign/gate';

/** An answer of the API, with the type of its JSON body. */
export interface ApiAnswer<Body = unknown> extends Answer {
  readonly body?: Body;
}
