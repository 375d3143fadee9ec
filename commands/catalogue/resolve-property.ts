import { z } from 'zod';
import type { KeyPrincipal } from '../../domain/principal.ts';
import type { JsonSchema } from '../../integrations/catalog.ts';
import { describeProps, type Prop } from '../../integrations/describe-props.ts';
import { publicSchema } from '../../integrations/public-schema.ts';
import type { Gateway } from '../gateway.ts';
import { askConnected, openProperty } from './ask-property.ts';
import { findProperty, type PropertyRequest } from './find-property.ts';

export interface ResolvedProperty {
  schema: JsonSchema;
  /** The form fields of an object input. */
  props: Record<string, Prop>;
  /**
   * True while the choices or fields cannot be known, because an account or another input is
   * missing.
   */
  disabled: boolean;
}

/**
 * The schema of an input. The third party determines the schema of an input with dynamic fields.
 */
export async function resolveProperty(gateway: Gateway, principal: KeyPrincipal, request: PropertyRequest): Promise<ResolvedProperty> {
  const property = await findProperty(gateway, principal, request);
  const { dynamic, schema } = property;
  if (!dynamic) return present(schema, false);
  const account = await openProperty(gateway, property, request);
  if (account === undefined || !dynamic.fields) return present(schema, account === undefined);
  const fields = await askConnected(gateway, account, property, request, dynamic.fields);
  if (!fields) return present(schema, true);
  return present(z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }), false);
}

function present(schema: JsonSchema, disabled: boolean): ResolvedProperty {
  return { schema: publicSchema(schema), props: describeProps(schema), disabled };
}
