import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../workflows/contract.ts';

/** The numbers that Temporal's API has for the types that we use (temporal.api.enums.v1.IndexedValueType). */
const INDEXED_VALUE_TYPE: Partial<Record<SearchAttributeType, number>> = {
  [SearchAttributeType.KEYWORD]: 2,
  [SearchAttributeType.KEYWORD_LIST]: 7,
};

const UNIMPLEMENTED = 12;
const PERMISSION_DENIED = 7;

/**
 * Adds to the namespace what it lacks of our search attributes; answers the names it lacked. A server that does not let us
 * (Temporal Cloud, the test server) is taken to have them: its operator registers them.
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<string[]> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !(name in customAttributes));
    if (missing.length === 0) return [];
    const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, INDEXED_VALUE_TYPE[type]!]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return Object.keys(searchAttributes);
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code === UNIMPLEMENTED || error.code === PERMISSION_DENIED)) return [];
    throw error;
  }
}
