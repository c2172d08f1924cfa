/** A sentence about a mistake, with its language (RFC 5646) if that is not the page's. */
export interface FindingSentence {
  readonly text: string;
  readonly lang?: string | undefined;
}
