import { type ClientSort, isClientId } from '@countersign/contract';
import { type RawBuilder, sql, type SqlBool } from 'kysely';

/** The position of a client in a list: the value that the list is sorted by, then its ID. */
export interface ClientPlace {
  readonly clientId: string;
  /** Undefined if the list is sorted by ID. */
  readonly value: string | number | undefined;
}

/** A value that lists of clients can be sorted by. */
interface SortKey {
  readonly expression: RawBuilder<string | number>;
  /** Reads the value in a cursor; undefined if it cannot be one. */
  readonly read: (text: string) => string | number | undefined;
}

const readTime = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

const sortKeys: Readonly<Record<'name' | 'createdAt' | 'lastUsedAt', SortKey>> = {
  name: { expression: sql`clients.search_name`, read: (text) => text },
  createdAt: { expression: sql`clients.created_at_ms`, read: readTime },
  lastUsedAt: {
    // Clients that were never used sort before all others.
    expression: sql`coalesce((select used_at_ms from last_uses
      where subject = 'client' and subject_id = clients.client_id), 0)`,
    read: readTime,
  },
};

/** The order of a list of clients: always total, so pages neither repeat nor skip clients. */
export class ClientOrder {
  readonly #key: SortKey | undefined;
  readonly #isDescending: boolean;

  constructor(sort: ClientSort | undefined) {
    this.#isDescending = sort?.startsWith('-') === true;
    this.#key = sort && sortKeys[sort.replace('-', '') as keyof typeof sortKeys];
  }

  /** The value that the list is sorted by; null if it is sorted by ID. */
  get value(): RawBuilder<string | number | null> {
    return this.#key?.expression ?? sql<null>`null`;
  }

  /** True if no index has this order, so that all clients of the account must be sorted. */
  get needsAllClients(): boolean {
    return this.#key === sortKeys.lastUsedAt;
  }

  get by(): RawBuilder<unknown> {
    const direction = this.#isDescending ? sql`desc` : sql`asc`;
    if (this.#key === undefined) return sql`clients.client_id ${direction}`;
    return sql`${this.#key.expression} ${direction}, clients.client_id ${direction}`;
  }

  isAfter(place: ClientPlace): RawBuilder<SqlBool> {
    return this.#compare(place, this.#isDescending ? sql`<` : sql`>`);
  }

  isUpTo(place: ClientPlace): RawBuilder<SqlBool> {
    return this.#compare(place, this.#isDescending ? sql`>=` : sql`<=`);
  }

  #compare({ value, clientId }: ClientPlace, operator: RawBuilder<unknown>): RawBuilder<SqlBool> {
    if (this.#key === undefined) return sql`clients.client_id ${operator} ${clientId}`;
    return sql`(${this.#key.expression}, clients.client_id) ${operator} (${value}, ${clientId})`;
  }

  /** Writes a position as ASCII, for a cursor. */
  writePlace({ clientId, value }: ClientPlace): string {
    return this.#key === undefined ? clientId : `${clientId} ${encodeURIComponent(String(value))}`;
  }

  /** Reads a position from a cursor; undefined if it cannot be one in this order. */
  readPlace(place: string): ClientPlace | undefined {
    const [clientId = '', written, ...more] = place.split(' ');
    if (!isClientId(clientId) || more.length > 0 || (written === undefined) !== (this.#key === undefined))
      return undefined;
    if (this.#key === undefined || written === undefined) return { clientId, value: undefined };
    const text = decoded(written);
    const value = text === undefined ? undefined : this.#key.read(text);
    if (value === undefined || String(value).includes('\0')) return undefined;
    return { clientId, value };
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
