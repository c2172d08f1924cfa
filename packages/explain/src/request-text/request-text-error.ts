/** The kind of help that is needed. Each program offers its own way to provide it. */
export type RequestTextAdvice =
  | 'give-body'
  /** The text names a body stored elsewhere. Pass the body and remove the option that names it. */
  | 'give-body-instead'
  /** Only `curl -v` shows what is sent. Pass the body separately. */
  | 'give-verbose-output'
  /** The text does not contain the service's URL. */
  | 'give-base-url'
  /** The text has several requests. Name one of `choices`. */
  | 'choose-entry'
  /** Pass method, URL and headers one by one. */
  | 'give-fields';

/** A remark about a request, with the help that is needed. */
export interface RequestNote {
  readonly text: string;
  readonly advice?: RequestTextAdvice;
}

/** Thrown if a text contains no readable request. The message says why in whole sentences. */
export class RequestTextError extends Error {
  override readonly name = 'RequestTextError';
  /** `unreadable`: not a request. `incomplete`: a request, but something must be given or chosen. */
  readonly code: 'unreadable' | 'incomplete';
  readonly advice: RequestTextAdvice | undefined;
  /** For `choose-entry`: the requests, one line each. */
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

/** Builds the error for a request that lacks something. */
export function incomplete(message: string, advice?: RequestTextAdvice): RequestTextError {
  return new RequestTextError('incomplete', message, advice);
}
