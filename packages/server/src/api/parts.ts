import type {
  DeploymentPermissions,
  ProfileEntry,
  ServiceHealth,
  ServiceSetting,
} from '@countersign/contract';
import type { Answer, OtherProfiles, ServiceRequestLimit } from '@countersign/gate';
import type { OfferedKeyPolicy } from '@countersign/signature/keys';
import type { Transaction } from 'kysely';
import type { ExplanationOutcome, ExplanationTask } from '../explanations/explainer.ts';
import type { People } from '../people/identity/identity.ts';
import type { EventStreams } from '../live/event-streams.ts';
import type { StoreContext } from '../registry/store/context.ts';
import type { Schema } from '../storage/schema.ts';
import type { Database } from '../storage/transaction.ts';
import type { StrangersRequest } from '../request-log/strangers-requests.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import type { ApiRequest } from './handler.ts';
import type { Idempotency } from './idempotency.ts';
import type { ReportMaker } from './reports/report-maker.ts';

/** Everything the service passes to the API. */
export interface ApiOptions {
  readonly database: Database;
  /**
   * Makes the reports in their own thread; undefined if the database is a server, which is a separate process
   * anyway.
   */
  readonly reportMaker?: Pick<ReportMaker, 'make'> | undefined;
  /** The keys that may be registered. */
  readonly keyPolicy: OfferedKeyPolicy;
  /** The origins from which directories of keys may be fetched whatever their address; none by default. */
  readonly directoryOrigins?: ReadonlySet<string>;
  /** Where webhooks may be sent, and how their secrets are stored. */
  readonly webhooks: {
    readonly trustedOrigins: ReadonlySet<string>;
    readonly secrets: Pick<WebhookSecrets, 'create' | 'seal' | 'sealHeader' | 'hashKey'>;
  };
  /** Permissions that the deployment adds; none by default. */
  readonly addedPermissions?: DeploymentPermissions;
  /** The service's limit for each client. */
  readonly requestLimit: ServiceRequestLimit;
  /** The profiles that clients can have. */
  readonly profiles: readonly ProfileEntry[];
  /** Called after each change and before its response, so that this node applies the change to the next request. */
  readonly followChange: () => Promise<void>;
  readonly explaining: ExplainingParts;
  /** Finds a request that named no known client. */
  readonly findStrangersRequest: (requestId: string) => StrangersRequest | undefined;
  readonly health: () => ServiceHealth;
  /** Every setting in force, without secrets. */
  readonly settings: () => readonly ServiceSetting[];
  readonly eventStreams: Pick<EventStreams, 'hasRoom' | 'stream'>;
  /**
   * Sends and counts invitations, and says where mails go; undefined without a portal, which is the only place
   * to request them.
   */
  readonly people:
    | Pick<
        People,
        'invite' | 'countInvitation' | 'newInvitationToken' | 'mail' | 'removeEndedSessionsOfPerson'
      >
    | undefined;
  /** The days that the service keeps requests; 0 for no limit. Accounts can choose fewer. */
  readonly requestsKeptDays: number;
  /** How long a payment stays pending. */
  readonly paymentsCompleteAfterSeconds: number;
}

/** The parts that explain a pasted request. */
export interface ExplainingParts {
  /** Resolves with undefined if there is no capacity for another explanation. */
  readonly explain: (task: ExplanationTask, owner: string) => Promise<ExplanationOutcome | undefined>;
  /** The options that the service itself decides with. */
  readonly options: () => Pick<ExplanationTask['options'], 'window' | 'nonce' | 'baseUrls'>;
  /** The profiles that clients may have besides the closed ones; undefined for none. */
  readonly otherProfiles?: OtherProfiles | undefined;
}

/** Everything that the handlers need. */
export interface ApiParts extends ApiOptions {
  readonly idempotency: Idempotency;
  readonly change: Change;
  /** Makes a request again that a second person has approved. */
  readonly callAgain: (request: ApiRequest) => Promise<Answer>;
}

/**
 * Makes a change for a caller: in one transaction, in the caller's name, and once per `Idempotency-Key`. This
 * node applies it before responding.
 *
 * @throws ProblemError `precondition_required`, and the problems of `Idempotency`
 */
export type Change = <Body>(
  request: ApiRequest,
  work: (transaction: Transaction<Schema>, context: StoreContext) => Promise<Answer<Body>>,
) => Promise<Answer<Body>>;
