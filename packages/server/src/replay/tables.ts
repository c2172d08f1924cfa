import type { Fixed } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    guard_mark: GuardMarkTable;
    used_signatures: UsedSignaturesTable;
    guard_epochs: GuardEpochsTable;
    guard_testimonies: GuardTestimoniesTable;
  }
}

/** One row: the seconds in which signatures may have been used, for a guard outside the database. */
interface GuardMarkTable {
  singleton: Fixed<1>;
  /** The epoch that may reserve seconds; empty before the first one. */
  epoch: string;
  /** Ranges of Unix seconds, as JSON. */
  reserved_ranges: string;
  /** The guard that decides for this database; empty before the first one. */
  claimed_by: string;
  /** Another guard may have accepted signatures up to this second. Unix seconds. */
  horizon_seconds: number;
}

/** The replay guard in the database. PostgreSQL only. */
interface UsedSignaturesTable {
  /** 16 bytes of a hash of keyid and signature. */
  id: Fixed<Buffer>;
  client_id: Fixed<string>;
  /** The signature's `created`. Unix seconds. */
  created_seconds: Fixed<number>;
  /** By the server's clock. */
  first_used_at: Fixed<Date>;
}

/** An epoch is a period in which the database can't have forgotten used signatures. PostgreSQL only. */
interface GuardEpochsTable {
  epoch: Fixed<string>;
  /** 1 once every node has reported what it had accepted before the epoch. */
  is_settled: 0 | 1;
  /** Unknown signatures created up to this second are rejected. Unix seconds. */
  horizon_seconds: number;
  /** Unknown signatures of these seconds are rejected. Ranges of Unix seconds, as JSON. */
  refused_ranges: string;
}

/** The testimony about earlier epochs by a node that was running when the epoch began. PostgreSQL only. */
interface GuardTestimoniesTable {
  epoch: Fixed<string>;
  node_id: Fixed<string>;
  /** The seconds of `created` in which the node had accepted signatures. Ranges of Unix seconds, as JSON. */
  accepted_ranges: string;
}
