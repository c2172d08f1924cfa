import type { DeploymentPermissions, AuditActorKind, Permission } from '@countersign/contract';
import type { OfferedKeyPolicy } from '@countersign/signature/keys';
import type { ChangingClient, ChangingPerson } from './caller.ts';
import type { ProfileAlgorithms } from './key-algorithm.ts';
import type { GuardedChange } from '../guarded-change.ts';

/** The author of a change, for the audit event. */
export interface Actor {
  readonly kind: AuditActorKind;
  /** The clientId, the userId, the operator's user name on the machine, or the part of the service that acts. */
  readonly id: string;
  /** Set only for a person. */
  readonly name?: string | undefined;
  /** The reason why one of the operator's people acts for the changed account. */
  readonly actingReason?: string | undefined;
  /** The second person who approved the change. */
  readonly approvedBy?: SecondPerson | undefined;
  readonly sourceAddress?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A person who approved what another one asked for. */
export interface SecondPerson {
  readonly userId: string;
  readonly name: string;
}

/** The time and actor of a change, and its limits. */
export interface ChangeContext {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly actor: Actor;
  /**
   * Set if a client's signed request or a person's session makes the change. The caller is then checked again,
   * which determines the account, the ceiling and the role.
   */
  readonly caller?: ChangingClient | ChangingPerson | undefined;
  /** The only account that the change can see or touch. Default every account. */
  readonly accountId?: string | undefined;
  /** Returns true if this is the version that the caller has seen. Default any version. */
  readonly isExpected?: ((version: number) => boolean) | undefined;
  /**
   * The role in which a person makes the change, as members store it; undefined if the caller isn't a person.
   */
  readonly memberRole?: string | undefined;
  /** Permissions that the deployment adds. Default none. */
  readonly addedPermissions?: DeploymentPermissions | undefined;
  /** The permissions that a role or a client may be granted. Default all. */
  readonly grantable?: ReadonlySet<Permission> | undefined;
  /** What a second person has approved; undefined for a change that nobody has approved. */
  readonly approved?: GuardedChange | undefined;
  /** True for what the provider does to whole accounts, which needs nobody else of the account. */
  readonly needsNoSecondPerson?: boolean | undefined;
  /** The algorithms of the profiles that clients can have, besides the closed ones. Default none known. */
  readonly profileAlgorithms?: ProfileAlgorithms | undefined;
}

/** The context of a change that may add a key. */
export interface StoreContext extends ChangeContext {
  readonly keyPolicy: OfferedKeyPolicy;
}
