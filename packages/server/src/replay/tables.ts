import type { Fixed } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    guard_mark: GuardMarkTable;
    used_signatures: UsedSignaturesTable;
    guard_epochs: GuardEpochsTable;
    guard_testimonies: GuardTestimoniesTable;
  }
}

/** One row: up to which second signatures may have been used, for a guard outside of the database. */
interface GuardMarkTable {
  singleton: Fixed<1>;
  /** The epoch that may raise the mark; empty before the first one. */
  epoch: string;
  /** Unix seconds. */
  reserved_seconds: number;
  /** The guard that decides for this database; empty before the first one. */
  claimed_by: string;
  /** Up to here, another guard may have accepted signatures. Unix seconds. */
  horizon_seconds: number;
}

/** The replay guard in the database; only on PostgreSQL. */
interface UsedSignaturesTable {
  /** 16 bytes of a hash of keyid and signature. */
  id: Fixed<Buffer>;
  client_id: Fixed<string>;
  /** `created` of the signature. Unix seconds. */
  created_seconds: Fixed<number>;
  /** By the clock of the server. */
  first_used_at: Fixed<Date>;
}

/** An epoch is a time in which the database cannot have forgotten used signatures. Only on PostgreSQL. */
interface GuardEpochsTable {
  epoch: Fixed<string>;
  /** Whether every node has said what it had accepted before the epoch. */
  is_settled: 0 | 1;
  /** Signatures created up to this second are refused when they are not known. Unix seconds. */
  horizon_seconds: number;
}

/** What a node that has lived through the beginning of an epoch says of the time before. Only on PostgreSQL. */
interface GuardTestimoniesTable {
  epoch: Fixed<string>;
  node_id: Fixed<string>;
  /** The latest `created` that the node had accepted. Unix seconds. */
  accepted_seconds: number;
}
