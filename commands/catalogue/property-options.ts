import type { KeyPrincipal } from '../../domain/principal.ts';
import type { PropOption } from '../../integrations/definition.ts';
import { staticOptions } from '../../integrations/describe-props.ts';
import type { Gateway } from '../gateway.ts';
import { askConnected, openProperty } from './ask-property.ts';
import { findProperty, type PropertyRequest } from './find-property.ts';

export interface PropertyOptions {
  options: PropOption[];
  /** True while the choices cannot be known, because an account or another input is missing. */
  disabled: boolean;
}

/** The choices of an input, from its schema or from the third party. Empty for free text. */
export async function propertyOptions(gateway: Gateway, principal: KeyPrincipal, request: PropertyRequest): Promise<PropertyOptions> {
  const property = await findProperty(gateway, principal, request);
  const { dynamic, schema } = property;
  if (!dynamic) return { options: narrow(staticOptions(schema) ?? [], request.searchValue), disabled: false };
  const account = await openProperty(gateway, property, request);
  if (account === undefined || !dynamic.options) return { options: [], disabled: account === undefined };
  const options = await askConnected(gateway, account, property, request, dynamic.options);
  return { options: options ?? [], disabled: options === undefined };
}

function narrow(options: PropOption[], search = ''): PropOption[] {
  const wanted = search.toLowerCase();
  return options.filter(({ label }) => label.toLowerCase().includes(wanted));
}
