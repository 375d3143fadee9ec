import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { validationError } from '../domain/errors.ts';
import { sameSecret, type Tokens } from '../infra/tokens.ts';

interface ListScope {
  orgId: string;
  /** Does not contain the page size, because a cursor works with every page size. */
  filter: Readonly<Record<string, unknown>>;
}

interface ListPlace<Id> {
  createdAt: string;
  id: Id;
}

/**
 * Signed, opaque cursors of one list. A cursor works only with the same list, organization and
 * filters (contract decisions 7).
 */
export interface Cursors<Id> {
  write(tokens: CursorKeys, scope: ListScope, after: ListPlace<Id>): string;
  /**
   * Throws VALIDATION_ERROR for a cursor of another list, organization or filter, and for a text
   * that is no cursor.
   */
  read(tokens: CursorKeys, scope: ListScope, cursor: string): ListPlace<Id>;
}

type CursorKeys = Pick<Tokens, 'key'>;

/** Returns the cursors of the list named `list`. */
export function cursorsOf<Id>(list: string, id: z.ZodType<Id>): Cursors<Id> {
  const place = z.strictObject({ createdAt: z.iso.datetime({ precision: 6 }).regex(/^2/), id });

  const sign = (tokens: CursorKeys, { orgId, filter }: ListScope, payload: string) => {
    const filters = Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const signed = JSON.stringify([list, orgId, filters, payload]);
    return createHmac('sha256', keyOf(tokens)).update(signed).digest('base64url').slice(0, MAC_LENGTH);
  };

  return {
    write(tokens, scope, after) {
      const payload = Buffer.from(JSON.stringify(after)).toString('base64url');
      return `${payload}.${sign(tokens, scope, payload)}`;
    },
    read(tokens, scope, cursor) {
      const [payload = '', mac = '', ...rest] = cursor.split('.');
      if (rest.length > 0 || !sameSecret(mac, sign(tokens, scope, payload))) throw foreign();
      const parsed = place.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      // The signature is valid, so the cursor was written before the schema of ids changed.
      if (!parsed.success) throw foreign();
      return parsed.data as ListPlace<Id>;
    },
  };
}

/** Length of a signature in characters: enough for 128 bits in base64url. */
const MAC_LENGTH = 22;

const keys = new WeakMap<CursorKeys, Buffer>();

function keyOf(tokens: CursorKeys): Buffer {
  const known = keys.get(tokens) ?? tokens.key('list cursor');
  keys.set(tokens, known);
  return known;
}

function foreign() {
  return validationError([{ path: 'cursor', message: 'is not a cursor of this list with these filters' }]);
}
