import type { Wire } from '../recorder.ts';

/** The languages that the makers are written in. */
export type Maker = 'python' | 'java' | 'php' | 'node' | 'shell';

/** What a maker is told about one request. */
export interface Job {
  readonly id: string;
  /** The mistakes that the maker itself makes. */
  slips: string[];
  method: string;
  url: string;
  data: unknown;
  text: string;
  contentType: string;
  clientId: string;
  /** The name of the private key, in `accounts.ts`. */
  key: string;
  /** The client's clock, in Unix seconds. */
  clock: number;
}

/** One mistake, as a maker makes it. */
export interface Slip {
  readonly name: string;
  /** What the client does: the rest of a sentence that begins with "The client". */
  readonly does: string;
  /** The findings that name it. Mostly one; a single line of code can also be two mistakes. */
  readonly codes: readonly string[];
  /** The requests that it is made alone on: `request`, or `maker:request` when every maker can make it. */
  readonly on: readonly string[];
  /** Findings that name it as well as the one of `codes` does. */
  readonly or: Readonly<Record<string, readonly string[]>>;
  /** Findings that are true of the request too, but are not what it is about. */
  readonly also: readonly string[];
  /** A mistake of the settings, not of the code. */
  readonly change: ((job: Job) => void) | undefined;
  /** A mistake that happens on the way to the service. */
  readonly way: ((wire: Wire) => void) | undefined;
  /** The service has seen the same request before. */
  readonly isReplay: boolean;
  /** The maker's bytes are others each time. */
  readonly isRandom: boolean;
  /** The client always says what it built. */
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

/** Writes down one mistake. Codes and requests are words in a text; `or` is for the first code. */
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
