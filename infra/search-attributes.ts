import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../workflows/contract.ts';

/** temporal.api.enums.v1.IndexedValueType. */
const INDEXED_VALUE_TYPE: Partial<Record<SearchAttributeType, number>> = {
  [SearchAttributeType.KEYWORD]: 2,
  [SearchAttributeType.KEYWORD_LIST]: 7,
};

/** gRPC codes. */
const EXISTS = 6;
const DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * Adds missing search attributes and returns their names. Temporal may take a moment to apply them.
 * Empty if Temporal refuses, as Temporal Cloud does: there, an operator registers them.
 */
export async function registerSearchAttributes({ operatorService }: Connection, namespace: string): Promise<string[]> {
  const listed = await unless([DENIED, UNIMPLEMENTED], operatorService.listSearchAttributes({ namespace }));
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !(name in (listed?.customAttributes ?? {})));
  if (missing.length === 0) return [];
  const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, INDEXED_VALUE_TYPE[type]!]));
  await unless([EXISTS, DENIED, UNIMPLEMENTED], operatorService.addSearchAttributes({ namespace, searchAttributes }));
  return listed ? Object.keys(searchAttributes) : [];
}

/** Undefined if the call fails with one of these codes. */
async function unless<Value>(codes: number[], call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isGrpcServiceError(error) && codes.includes(error.code)) return undefined;
    throw error;
  }
}
