import type { Wire } from '../recorder.ts';

export type Maker = 'python' | 'java' | 'php' | 'node' | 'shell';

/** A maker's instructions for one request. */
export interface Job {
  readonly id: string;
  /** Mistakes of the maker itself. */
  slips: string[];
  method: string;
  url: string;
  data: unknown;
  text: string;
  contentType: string;
  clientId: string;
  /** A private key's name in `account.ts`. */
  key: string;
  /** The client's clock, in Unix seconds. */
  clock: number;
}

/** A mistake that a maker can make. */
export interface Slip {
  readonly name: string;
  /** Completes a sentence that starts with "The client". */
  readonly does: string;
  /** The findings that name it. Usually one, but a single line of code can be two mistakes. */
  readonly codes: readonly string[];
  /** Requests to make it alone on: `request`, or `maker:request` if every maker can make it. */
  readonly on: readonly string[];
  /** Findings that name it equally well. */
  readonly or: Readonly<Record<string, readonly string[]>>;
  /** Findings that are also true of the request. */
  readonly also: readonly string[];
  /** Set for a wrong setting of correct code. */
  readonly change: ((job: Job) => void) | undefined;
  /** Set for a change on the way to the service. */
  readonly way: ((wire: Wire) => void) | undefined;
  /** Set when the service has seen the request before. */
  readonly isReplay: boolean;
  /** Set when the maker's bytes differ each time. */
  readonly isRandom: boolean;
  /** Set when the client always states its signature base. */
  readonly isClaimed: boolean;
}

interface Extras {
  readonly or?: string;
  readonly also?: string;
  readonly change?: (job: Job) => void;
  readonly way?: (wire: Wire) => void;
  readonly isReplay?: boolean;
  readonly isRandom?: boolean;
  readonly isClaimed?: boolean;
}

/** Defines a mistake. Codes and requests are separated by spaces; `or` belongs to the first code. */
export function slip(name: string, does: string, codes: string, on: string, extras: Extras = {}): Slip {
  const listed = words(codes);
  return {
    name,
    does,
    codes: listed,
    on: words(on),
    or: extras.or ? { [listed[0]!]: words(extras.or) } : {},
    also: words(extras.also ?? ''),
    change: extras.change,
    way: extras.way,
    isReplay: extras.isReplay ?? false,
    isRandom: extras.isRandom ?? false,
    isClaimed: extras.isClaimed ?? false,
  };
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
