import type { Wire } from '../recorder.ts';

export type Maker = 'python' | 'java' | 'php' | 'node' | 'shell';

/** A request for a maker to sign and send. */
export interface Job {
  readonly id: string;
  /** Mistakes that the maker makes itself. */
  slips: string[];
  method: string;
  url: string;
  data: unknown;
  text: string;
  contentType: string;
  clientId: string;
  /** The private key's name in `account.ts`. */
  key: string;
  /** The client's clock, in Unix seconds. */
  clock: number;
}

/** One mistake that a maker can make. */
export interface Slip {
  readonly name: string;
  /** A phrase that continues a sentence starting with "The client". */
  readonly does: string;
  /** The findings that name it. Usually one, but a single line of code can be two mistakes. */
  readonly codes: readonly string[];
  /** The requests to make it on alone: `request`, or `maker:request` if every maker can make it. */
  readonly on: readonly string[];
  /** Findings that name it equally well. */
  readonly or: Readonly<Record<string, readonly string[]>>;
  /** Findings that are also true of the request but not its subject. */
  readonly also: readonly string[];
  /** A mistake in the settings, not in the code. */
  readonly change: ((job: Job) => void) | undefined;
  /** A mistake that happens in transit to the service. */
  readonly way: ((wire: Wire) => void) | undefined;
  /** True if the service has already seen the same request. */
  readonly isReplay: boolean;
  /** True if the maker's bytes differ on every run. */
  readonly isRandom: boolean;
  /** True if the client always declares what it built. */
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

/** Describes one mistake. Codes and requests are separated by spaces; `or` applies to the first code. */
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
