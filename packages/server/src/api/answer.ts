/** What a handler answers. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON; undefined for no body. */
  readonly body?: unknown;
  /** In the place of `body`, a text that is no JSON document; its `Content-Type` stands in `headers`. */
  readonly text?: string;
  /** In the place of `body`, server-sent events. It is called once, when the head of the answer is written. */
  readonly stream?: EventStream;
}

/** Tells events for as long as they come. What it returns is called once, when the answer has ended from either side. */
export type EventStream = (output: StreamOutput) => () => void;

/** Where a stream of events goes. */
export interface StreamOutput {
  /** Sends a text, and gives how many bytes the caller has not taken yet. After the end nothing is sent. */
  readonly write: (text: string) => number;
  readonly end: () => void;
}
