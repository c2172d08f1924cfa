export interface ApiAnswer<Body = unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON; undefined for no body. */
  readonly body?: Body;
  /** A text instead of `body`, with its `Content-Type` in `headers`. */
  readonly text?: string;
  /** Server-sent events instead of `body`. Called once, when the head of the answer is written. */
  readonly stream?: EventStream;
}

/** Starts to send events. Returns what to call once the answer has ended, from either side. */
export type EventStream = (output: StreamOutput) => () => void;

export interface StreamOutput {
  /** Sends a text and returns how many bytes the caller has not taken yet. Sends nothing after the end. */
  readonly write: (text: string) => number;
  readonly end: () => void;
}
