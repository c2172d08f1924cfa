import { z } from 'zod';
import { timestampSchema } from '../pages.ts';
import { exportParameters, type QueryParameter, text } from '../query-parameters.ts';

/** Refused requests that name the same client and were refused with the same code. */
export interface FailureGroup {
  /** The code of the refusals. */
  readonly outcome: string;
  /** The client that the requests named; whether they came from it, only their signatures tell. */
  readonly clientId: string;
  /** Undefined when the client is gone. */
  readonly clientName?: string | undefined;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastRequestId: string;
  /** Where the newest of them came from: five at most. */
  readonly sourceAddresses: readonly string[];
  /** What was wrong with the newest one. */
  readonly reason?: string | undefined;
}

/** What was refused lately, grouped: those that happened last come first. */
export interface RequestFailures {
  readonly items: readonly FailureGroup[];
  /** False when there were so many requests that only the newest were looked at. */
  readonly isComplete: boolean;
}

/** An address from which a client was refused, though it had signed: one that is missing in its whitelist. */
export interface RefusedAddress {
  readonly clientId: string;
  readonly clientName: string;
  readonly sourceAddress: string;
  readonly count: number;
  readonly lastAt: string;
  readonly lastRequestId: string;
}

/** The addresses that whitelists refused lately, and that they do not allow now either. */
export interface RefusedAddresses {
  readonly items: readonly RefusedAddress[];
}

/** How much is told of refused requests. */
export const failureLimits: {
  readonly groupsMax: number;
  readonly sourceAddressesMax: number;
  readonly failureDaysMax: number;
  readonly addressDays: number;
} = { groupsMax: 100, sourceAddressesMax: 5, failureDaysMax: 30, addressDays: 7 };

/** Describes grouped failures in answers. */
export const requestFailuresSchema: z.ZodType<RequestFailures> = z.strictObject({
  items: z.array(
    z.strictObject({
      outcome: z.string(),
      clientId: z.string(),
      clientName: z.optional(z.string()),
      count: z.int(),
      firstAt: timestampSchema,
      lastAt: timestampSchema,
      lastRequestId: z.string(),
      sourceAddresses: z.array(z.string()),
      reason: z.optional(z.string()),
    }),
  ),
  isComplete: z.boolean(),
});

/** Describes refused addresses in answers. */
export const refusedAddressesSchema: z.ZodType<RefusedAddresses> = z.strictObject({
  items: z.array(
    z.strictObject({
      clientId: z.string(),
      clientName: z.string(),
      sourceAddress: z.string(),
      count: z.int(),
      lastAt: timestampSchema,
      lastRequestId: z.string(),
    }),
  ),
});

/** The query of `GET /v1/request-failures`. */
export interface FailureParameters {
  readonly clientId: QueryParameter<string>;
  readonly from: QueryParameter<number>;
}

/** Which failures. */
export const failureParameters: FailureParameters = {
  clientId: text('clientId', 256, 'Only requests that name this client'),
  from: { ...exportParameters.from, summary: 'Since when; the last 24 hours unless set' },
};

/** The query of `GET /v1/refused-addresses`. */
export interface RefusedAddressParameters {
  readonly clientId: QueryParameter<string>;
}

/** Which refused addresses. */
export const refusedAddressParameters: RefusedAddressParameters = {
  clientId: text('clientId', 256, 'Only addresses from which this client was refused'),
};
