import type { DeploymentPermissions, AuditActorKind, MemberRole, Permission } from '@countersign/contract';
import type { PublicKeyPolicy } from '@countersign/signature/node';
import type { ChangingClient, ChangingPerson } from './caller.ts';

/** Who makes a change, for the audit event. */
export interface Actor {
  readonly kind: AuditActorKind;
  /** The clientId, the userId, the name of the operator on the machine, or what in the service does it. */
  readonly id: string;
  /** Only of a person. */
  readonly name?: string | undefined;
  /** Why a person of the operator acts for the account that is changed. */
  readonly actingReason?: string | undefined;
  readonly sourceAddress?: string | undefined;
  readonly requestId?: string | undefined;
}

/** When and by whom a change is made, and how far it may go. */
export interface ChangeContext {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly actor: Actor;
  /**
   * Set when a client asks by a signed request, or a person by a session: they are looked at again, and the account, the
   * ceiling and the role follow from that.
   */
  readonly caller?: ChangingClient | ChangingPerson | undefined;
  /** The only account that may be touched, as if there were no other; every account unless set. */
  readonly accountId?: string | undefined;
  /** Whether a version of the thing that is changed is the one that the caller has seen; any unless set. */
  readonly isExpected?: ((version: number) => boolean) | undefined;
  /** As what a person makes the change; undefined when it is no person. */
  readonly memberRole?: MemberRole | undefined;
  /** The permissions that the deployment adds; none unless set. */
  readonly addedPermissions?: DeploymentPermissions | undefined;
  /** The permissions that may be granted, by a role or by a client; all unless set. */
  readonly grantable?: ReadonlySet<Permission> | undefined;
}

/** The context of a change that may bring a key. */
export interface StoreContext extends ChangeContext {
  readonly keyPolicy: PublicKeyPolicy;
}
