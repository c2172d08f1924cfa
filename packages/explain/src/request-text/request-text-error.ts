/** What would help, where each program has its own way to give it. */
export type RequestTextAdvice =
  /** The body is not in the text. */
  | 'give-body'
  /** The text names a body that is elsewhere: it is to be given, and the option that names it left out. */
  | 'give-body-instead'
  /** Only what curl prints with `-v` shows what is sent, and the body is to be given beside it. */
  | 'give-verbose-output'
  /** The URL of the service is not in the text. */
  | 'give-base-url'
  /** The text has several requests: one of `choices` is to be named. */
  | 'choose-entry'
  /** Method, URL and headers can be given one by one. */
  | 'give-fields';

/** A sentence about a request that was read, with what would help. */
export interface RequestNote {
  readonly text: string;
  readonly advice?: RequestTextAdvice;
}

/** A text of which no request can be read. The message says why, in whole sentences. */
export class RequestTextError extends Error {
  override readonly name = 'RequestTextError';
  /** `unreadable`: it is no request. `incomplete`: it is one, and something must be given or chosen. */
  readonly code: 'unreadable' | 'incomplete';
  readonly advice: RequestTextAdvice | undefined;
  /** The requests that there are, each in a line, for `choose-entry`. */
  readonly choices: readonly string[];

  constructor(
    code: RequestTextError['code'],
    message: string,
    advice?: RequestTextAdvice,
    choices: readonly string[] = [],
  ) {
    super(message);
    this.code = code;
    this.advice = advice;
    this.choices = choices;
  }
}

/** A request of which something must be given or chosen. */
export function incomplete(message: string, advice?: RequestTextAdvice): RequestTextError {
  return new RequestTextError('incomplete', message, advice);
}
