import type { KeyPrincipal } from '../domain/principal.ts';
import type { PropOption } from '../integrations/definition.ts';
import { staticOptions } from '../integrations/describe-props.ts';
import { askProperty } from './ask-property.ts';
import { findProperty, type PropertyRequest } from './find-property.ts';
import type { Gateway } from './gateway.ts';

export interface PropertyOptions {
  options: PropOption[];
  /** True while the choices can't be known yet. */
  disabled: boolean;
}

/** The choices of an input: those that its schema lists, or those that the third party names; none where it is written freely. */
export async function propertyOptions(gateway: Gateway, principal: KeyPrincipal, request: PropertyRequest): Promise<PropertyOptions> {
  const property = await findProperty(gateway, principal, request);
  const ask = property.dynamic?.options;
  if (!ask) return { options: narrow(staticOptions(property.schema) ?? [], request.searchValue), disabled: false };
  const options = await askProperty(gateway, property, request, ask);
  return { options: options ?? [], disabled: options === null };
}

function narrow(options: PropOption[], search = ''): PropOption[] {
  const wanted = search.toLowerCase();
  return options.filter(({ label }) => label.toLowerCase().includes(wanted));
}
