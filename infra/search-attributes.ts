import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { GatewayError } from '../domain/errors.ts';
import { SEARCH_ATTRIBUTES } from '../workflows/contract.ts';

/** Values of temporal.api.enums.v1.IndexedValueType. */
const INDEXED_VALUE_TYPE: Partial<Record<SearchAttributeType, number>> = {
  [SearchAttributeType.KEYWORD]: 2,
  [SearchAttributeType.KEYWORD_LIST]: 7,
};

/** gRPC codes. */
const EXISTS = 6;
const DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * Adds missing search attributes to the namespace. Throws UNAVAILABLE until Temporal has applied
 * them, and while it refuses to add them. Does not throw if Temporal refuses to list attributes, as
 * in Temporal Cloud. An operator must register them there.
 */
export async function ensureSearchAttributes({ operatorService }: Connection, namespace: string): Promise<void> {
  const listed = await unless([DENIED, UNIMPLEMENTED], operatorService.listSearchAttributes({ namespace }));
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !(name in (listed.value?.customAttributes ?? {})));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, INDEXED_VALUE_TYPE[type]!]));
  const added = await unless([EXISTS, DENIED, UNIMPLEMENTED], operatorService.addSearchAttributes({ namespace, searchAttributes }));
  if (!listed.value) return;
  const names = Object.keys(searchAttributes).join(', ');
  const isRefused = added.code === DENIED || added.code === UNIMPLEMENTED;
  throw new GatewayError(
    'UNAVAILABLE',
    isRefused
      ? `Temporal refuses to add our search attributes. Register them in the namespace ${namespace}: ${names}.`
      : `Temporal is still registering our search attributes: ${names}.`,
  );
}

/** Resolves to the value of a call, or to its error code if that is one of `codes`. */
async function unless<Value>(codes: number[], call: Promise<Value>): Promise<{ value?: Value; code?: number }> {
  try {
    return { value: await call };
  } catch (error) {
    if (isGrpcServiceError(error) && codes.includes(error.code)) return { code: error.code };
    throw error;
  }
}
